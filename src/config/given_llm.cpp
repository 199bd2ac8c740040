#include "config/given_llm.hpp"

#include "base/error.hpp"
#include "model/providers.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::config {

namespace {

namespace json = boost::json;

/// Whose address it is when only that and a model are given: nobody's that we know, who speaks OpenAI's words.
constexpr const char* kUnnamed = "custom";

/// What belongs to the provider and to no other.
constexpr std::string_view kProvidersOwn[] = {"base_url", "api_key", "api_key_env", "key"};

bool is_written(const json::value& value)
{
    return !value.is_null() && !(value.is_string() && value.get_string().empty());
}

template <auto Member>
void copy_member(const model::LlmConfig& from, model::LlmConfig& to)
{
    to.*Member = from.*Member;
}

struct LlmField {
    std::string_view name;
    void (*copy)(const model::LlmConfig& from, model::LlmConfig& to);
};

using model::LlmConfig;
constexpr LlmField kLlmFields[] = {{"provider", copy_member<&LlmConfig::provider>},
                                   {"model", copy_member<&LlmConfig::model>},
                                   {"temperature", copy_member<&LlmConfig::temperature>},
                                   {"max_tokens", copy_member<&LlmConfig::max_tokens>},
                                   {"api_key", copy_member<&LlmConfig::api_key>},
                                   {"base_url", copy_member<&LlmConfig::base_url>},
                                   {"timeout", copy_member<&LlmConfig::timeout>},
                                   {"retry_policy", copy_member<&LlmConfig::retry_policy>},
                                   {"key", copy_member<&LlmConfig::key>},
                                   {"api_key_env", copy_member<&LlmConfig::api_key_env>},
                                   {"fallback", copy_member<&LlmConfig::fallback>}};

/// The provider whose own address it is.
std::string provider_at(std::string_view url)
{
    for (const auto& [name, provider] : model::built_in_providers().providers)
        if (provider.base_url && (url.starts_with(*provider.base_url) || provider.base_url->starts_with(url)))
            return name;
    return kUnnamed;
}

}  // namespace

GivenLlm given_llm(const model::LlmConfig& config, const json::value* written)
{
    GivenLlm given{.config = config};
    const auto* fields = written ? written->if_object() : nullptr;
    if (!fields) return given;
    for (const LlmField& field : kLlmFields)
        if (const auto* value = fields->if_contains(field.name); value && is_written(*value))
            given.fields.emplace(field.name);
    if (const auto* endpoint = fields->if_contains("endpoint"); endpoint && is_written(*endpoint))
        given.fields.emplace("base_url");
    return given;
}

GivenLlm given_spec(std::string_view spec)
{
    const model::ModelName name = model::split_model_name(spec);
    GivenLlm given{.config = {.provider = std::string(name.provider), .model = std::string(name.model)},
                   .fields = {"provider"}};
    if (!name.model.empty()) given.fields.insert("model");
    else if (name.provider == model::kLocal) given.config.model = model::kLocal;  // a model has a name
    return given;
}

GivenLlm merged(const GivenLlm& over, const GivenLlm& under)
{
    GivenLlm result = over;
    // an address and a model are all that is needed: it is no part of what the others mean
    if (over.has("base_url") && over.has("model") && !over.has("provider")) {
        result.config.provider = provider_at(over.config.base_url.value_or(""));
        result.fields.insert("provider");
    }
    const bool same_provider = !result.has("provider") || result.config.provider == under.config.provider;
    for (const auto& [field, copy] : kLlmFields) {
        if (result.has(field) || !under.has(field)) continue;
        const bool is_providers = std::ranges::find(kProvidersOwn, field) != std::end(kProvidersOwn);
        if ((is_providers || field == "model") && !same_provider) continue;
        // of the two ways to give a key, the nearer one counts
        if (field == "api_key" && over.has("api_key_env")) continue;
        if (field == "api_key_env" && over.has("api_key")) continue;
        copy(under.config, result.config);
        result.fields.emplace(field);
    }
    if (result.config.provider == model::kLocal && !result.has("model"))
        result.config.model = model::kLocal;  // not the usual one of others
    return result;
}

std::string pair_fault(const GivenLlm& over, const GivenLlm& under,
                       const std::function<std::string(std::string_view)>& owner_of)
{
    const GivenLlm both = merged(over, under);
    if (both.is_whole() || (!over.has("provider") && !over.has("model"))) return {};
    if (!over.has("provider")) {
        const std::string owner = owner_of(over.config.model);
        return fmt::format("names the model {} and no provider; write `provider: {}` beside it",
                           in_quotes(over.config.model), owner.empty() ? "…" : owner);
    }
    const std::string other =
        under.is_whole() ? fmt::format(", and the default is {}/{}", under.config.provider, under.config.model) : "";
    return fmt::format("names the provider {} and no model{}; write `model: …` beside it, or leave the provider out",
                       in_quotes(over.config.provider), other);
}

}  // namespace cadre::config
