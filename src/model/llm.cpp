#include "model/llm.hpp"

#include "model/describe.hpp"

namespace cadre::model {

const Entity& describe(const LlmConfig*)
{
    static const Entity entity{
        .name = "llm_config",
        .doc = "How to reach a language model.",
        .fields = {field("provider", &LlmConfig::provider, "Who serves the model; supplies a default `base_url`.",
                         {.min_length = 1}),
                   field("model", &LlmConfig::model, "The model's name at the provider.", {.min_length = 1}),
                   field("temperature", &LlmConfig::temperature, "How freely it speaks.", {.min = 0, .max = 2}),
                   field("max_tokens", &LlmConfig::max_tokens,
                         "Most tokens of an answer; null: the provider's own limit.", {.min = 1}),
                   field("api_key", &LlmConfig::api_key, "The key, or `${VAR}` to take it from the environment.",
                         {.min_length = 1, .secret = true}),
                   field("base_url", &LlmConfig::base_url, "Where the provider listens.", {.format = Format::url}),
                   field("timeout", &LlmConfig::timeout, "Seconds of silence before a request is given up.",
                         {.min = 1}),
                   field("retry_policy", &LlmConfig::retry_policy, "When to ask again after a failure."),
                   field("key", &LlmConfig::key, "A name for this client, to choose it by.",
                         {.min_length = 1, .extension = true}),
                   field("api_key_env", &LlmConfig::api_key_env, "The environment variable that holds the key.",
                         {.min_length = 1, .extension = true}),
                   field("fallback", &LlmConfig::fallback,
                         "Models, each as `provider/model`, that are asked in turn when this one does not work.",
                         {.extension = true})},
        .demands = {{.when = {given("api_key")},
                     .then = !given("api_key_env"),
                     .says = "cannot stand beside api_key; give one of the two"}},
        .checks =
            {{.doc =
                  "`provider` is one that Cadre knows, such as `openai` or `ollama`, or that `config/providers.yaml` "
                  "describes; any other needs its `base_url`."}},
        .example = R"({"provider":"openai","model":"gpt-4o-mini","temperature":0.2,"max_tokens":1024,
"api_key":"${OPENAI_API_KEY}","base_url":"https://api.openai.com/v1","timeout":60,
"retry_policy":{"max_retries":2}})"};
    return entity;
}

}  // namespace cadre::model
