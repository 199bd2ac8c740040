#include "config/given_llm.hpp"

#include "base/json.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::config;

namespace {

/// As a file has it.
GivenLlm given(const char* text)
{
    const boost::json::value written = parse_json(text);
    return given_llm(model::from_json<model::LlmConfig>(written), &written);
}

std::string owner_of(std::string_view model)
{
    return model == "gpt-5-mini" ? "openai" : "";
}

std::string spec_of(const GivenLlm& llm)
{
    return llm.is_whole() ? llm.config.provider + "/" + llm.config.model : "none";
}

}  // namespace

TEST_CASE("llm_config: what is given in part is merged with what lies under it, field by field")
{
    const GivenLlm team = given(R"({"provider":"openai","model":"gpt-5-mini","api_key_env":"KEY","max_tokens":50})");
    struct {
        const char* agent;
        const char* spec;
        double temperature;
        bool has_key;
    } const cases[] = {
        {R"({})", "openai/gpt-5-mini", 0.7, true},
        {R"({"temperature":0.2})", "openai/gpt-5-mini", 0.2, true},
        {R"({"model":"gpt-5"})", "openai/gpt-5", 0.7, true},
        {R"({"provider":"openai"})", "openai/gpt-5-mini", 0.7, true},
        {R"({"provider":"openai","model":"gpt-5"})", "openai/gpt-5", 0.7, true},
        {R"({"provider":"mistral","model":"small"})", "mistral/small", 0.7, false},
        {R"({"base_url":"http://proxy:1/v1"})", "openai/gpt-5-mini", 0.7, true},
        {R"({"base_url":"http://gpu:8000/v1","model":"mine"})", "custom/mine", 0.7, false},
        {R"({"base_url":"https://api.deepseek.com","model":"deepseek-chat"})", "deepseek/deepseek-chat", 0.7, false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.agent);
        const GivenLlm both = merged(given(c.agent), team);
        CHECK(spec_of(both) == c.spec);
        CHECK(both.config.temperature == c.temperature);
        CHECK(both.has("temperature") == (c.temperature != 0.7));
        CHECK(both.config.max_tokens == 50);
        CHECK(both.config.api_key_env.has_value() == c.has_key);
        CHECK(pair_fault(given(c.agent), team, owner_of) == "");
    }
}

TEST_CASE("llm_config: half of a pair is an error that says what to write")
{
    const GivenLlm none = given("{}");
    const GivenLlm team = given(R"({"provider":"openai","model":"gpt-5-mini"})");
    CHECK(pair_fault(given(R"({"temperature":1})"), none, owner_of) == "");
    CHECK(pair_fault(given(R"({"model":"gpt-5-mini"})"), none, owner_of) ==
          R"(names the model "gpt-5-mini" and no provider; write `provider: openai` beside it)");
    CHECK(pair_fault(given(R"({"model":"mine"})"), none, owner_of) ==
          R"(names the model "mine" and no provider; write `provider: …` beside it)");
    CHECK(pair_fault(given(R"({"provider":"openai"})"), none, owner_of) ==
          R"(names the provider "openai" and no model; write `model: …` beside it, or leave the provider out)");
    CHECK(pair_fault(given(R"({"provider":"mistral"})"), team, owner_of) ==
          R"(names the provider "mistral" and no model, and the default is openai/gpt-5-mini; write `model: …` beside )"
          R"(it, or leave the provider out)");
}

TEST_CASE("llm_config: merging knows every field that an llm_config has")
{
    const model::Entity& entity = describe(static_cast<const model::LlmConfig*>(nullptr));
    for (const model::Field& field : entity.fields) {
        CAPTURE(field.name);
        const boost::json::value written{{field.name, 1}};
        CHECK(given_llm({}, &written).has(field.name));
    }
}

TEST_CASE("llm_config: a key that is given nearby does not stand beside one from further away")
{
    const GivenLlm both =
        merged(given(R"({"api_key":"${MINE}"})"), given(R"({"provider":"openai","model":"m","api_key_env":"THEIRS"})"));
    CHECK(both.config.api_key == "${MINE}");
    CHECK_FALSE(both.config.api_key_env);
}

TEST_CASE("llm_config: the project's model counts where nothing nearer names one")
{
    CHECK(spec_of(merged(given("{}"), given_spec("openai/gpt-5"))) == "openai/gpt-5");
    CHECK(spec_of(merged(given(R"({"model":"gpt-5-mini"})"), given_spec("openai/gpt-5"))) == "openai/gpt-5-mini");
    CHECK(spec_of(given_spec("openai")) == "none");
}
