#include "llm/endpoint.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/redact.hpp"
#include "base/suggest.hpp"
#include "config/document.hpp"
#include "config/interpolate.hpp"
#include "config/project.hpp"
#include "config/read_into.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::llm {

namespace {

namespace fs = std::filesystem;

/// Whose model has no name when its address is all that is said.
constexpr std::string_view kWhateverIsServed = "default";

/// `-2025-08-07`, `-20250929`, `-latest`: the same model at another time.
bool is_version(std::string_view rest)
{
    if (rest == "-latest") return true;
    return rest.size() >= 7 && rest[0] == '-' &&
           std::ranges::all_of(rest, [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
}

void merge(json::object& into, const json::object& from)
{
    for (const auto& member : from) {
        json::value& old = into[member.key()];
        if (old.is_object() && member.value().is_object()) merge(old.get_object(), member.value().get_object());
        else old = member.value();
    }
}

bool has_scheme(std::string_view url)
{
    return url.starts_with("http://") || url.starts_with("https://");
}

/// What stands behind the scheme and before the path.
std::string_view authority_of(std::string_view url)
{
    const std::size_t begin = url.find("://") + 3;
    return url.substr(begin, url.find('/', begin) - begin);
}

/// As people write addresses: `127.0.0.1:11434`, `http://gpu:8000`, `https://host/v1/`. A port that is left out of one without a
/// scheme is the provider's own, as OLLAMA_HOST has it.
std::string whole_address(std::string given, const model::Provider& provider, std::string_view from)
{
    while (given.ends_with('/')) given.pop_back();
    if (given.find("://") == given.npos) {
        if (given.starts_with(':')) given = "127.0.0.1" + given;
        if (given.starts_with("0.0.0.0")) given.replace(0, 7, "127.0.0.1");
        if (given.find(':') == given.npos && provider.base_url) {
            const std::string_view own = authority_of(*provider.base_url);
            if (const auto colon = own.rfind(':'); colon != own.npos && given.find('/') == given.npos)
                given += own.substr(colon);
        }
        given = "http://" + given;
    }
    const bool is_clean = std::ranges::all_of(given, [](char c) { return c > ' ' && c < 0x7F; });
    if (!has_scheme(given) || !is_clean || authority_of(given).empty())
        throw Error(Code::invalid, fmt::format("{} is not an address: {}; it begins with http:// or https://", from,
                                               redact(in_quotes(given))));
    if (authority_of(given).find('@') != std::string_view::npos || given.find_first_of("?#") != given.npos)
        throw Error(Code::invalid,
                    fmt::format("{} has more than an address; leave out what is before @ and after ? or #: "
                                "keys go into variables and headers",
                                from));
    if (given.find('/', given.find("://") + 3) == given.npos) given += provider.path;
    return given;
}

struct Found {
    std::string variable, value;
};

std::optional<Found> find_first(const std::vector<std::string>& variables, const config::Environment& environment)
{
    for (const std::string& name : variables)
        if (auto value = environment(name)) return Found{name, std::move(*value)};
    return std::nullopt;
}

/// NAME of `${NAME}`, when that is all.
std::optional<std::string> variable_in(std::string_view text)
{
    if (!text.starts_with("${") || !text.ends_with('}')) return std::nullopt;
    return std::string(text.substr(2, text.size() - 3));
}

const model::Provider& provider_of(const model::Providers& providers, const model::LlmConfig& config)
{
    static const model::Provider kAnyOther{.needs_key = false};  // who speaks OpenAI's words, at its base_url
    if (const model::Provider* found = providers.providers.find(config.provider)) return *found;
    if (config.base_url) return kAnyOther;
    std::vector<std::string> known;
    for (const auto& [name, provider] : providers.providers) known.push_back(name);
    const auto near = nearest(config.provider, known);
    throw Error(Code::not_found,
                fmt::format("unknown provider {}{}", in_quotes(config.provider),
                            near ? fmt::format(", did you mean {}?", in_quotes(*near))
                                 : fmt::format("; known are {}; describe any other in config/providers.yaml",
                                               fmt::join(known, ", "))));
}

void find_address(Endpoint& endpoint, const model::LlmConfig& config, const config::Environment& environment)
{
    const model::Provider& vendor = endpoint.vendor;
    if (config.base_url) endpoint.base_url = whole_address(*config.base_url, vendor, "base_url");
    else if (!vendor.needs_key && has_scheme(config.model)) {
        endpoint.base_url = whole_address(config.model, vendor, "the model");
        endpoint.model = kWhateverIsServed;
    } else if (const auto found = find_first(vendor.url_variables, environment)) {
        endpoint.base_url = whole_address(found->value, vendor, found->variable);
        endpoint.url_variable = found->variable;
    } else if (vendor.base_url) {
        endpoint.base_url = whole_address(*vendor.base_url, vendor, "base_url");
    }
}

void expect_address(const Endpoint& endpoint)
{
    if (endpoint.base_url.empty())
        throw Error(Code::invalid, fmt::format("where {} listens is not known; set {}, or give its base_url",
                                               endpoint.provider, fmt::join(endpoint.vendor.url_variables, " or ")));
}

/// Where its key may be, in the order in which one looks.
std::vector<std::string> key_variables(const Endpoint& endpoint, const model::LlmConfig& config)
{
    const auto named = config.api_key_env ? config.api_key_env : variable_in(config.api_key.value_or(""));
    return named ? std::vector{*named} : endpoint.vendor.key_variables;
}

bool gives_key(const model::LlmConfig& config)
{
    return config.api_key && !variable_in(*config.api_key);
}

/// Headers that say who asks, as far as their names tell; what of it must not be repeated.
void find_other_secrets(Endpoint& endpoint)
{
    for (const auto& [name, value] : endpoint.vendor.headers) {
        const std::string small = lower(name);
        constexpr std::string_view kTelling[] = {"auth", "key", "token", "secret", "cookie", "password"};
        if (std::ranges::none_of(kTelling, [&](std::string_view word) { return small.find(word) != small.npos; }))
            continue;
        endpoint.other_secrets.emplace_back(value.substr(value.rfind(' ') + 1));  // behind `Bearer `
    }
}

void find_key(Endpoint& endpoint, const model::LlmConfig& config, const config::Environment& environment)
{
    if (gives_key(config)) {
        endpoint.key = Secret(*config.api_key);
        return;
    }
    const std::vector<std::string> variables = key_variables(endpoint, config);
    if (!variables.empty()) endpoint.key_variable = variables.front();
    if (auto found = find_first(variables, environment)) {
        endpoint.key = Secret(std::move(found->value));
        endpoint.key_variable = found->variable;
    }
}

void expect_key(const Endpoint& endpoint, const model::LlmConfig& config)
{
    const model::Provider& vendor = endpoint.vendor;
    // who listens elsewhere may ask for none
    const bool is_own_address = vendor.base_url && endpoint.base_url == *vendor.base_url;
    if (endpoint.key.empty() && (config.api_key || config.api_key_env || (vendor.needs_key && is_own_address)))
        throw Error(Code::unauthorized,
                    fmt::format("{} needs a key, and {} is not set; set it in the environment or in the project's .env",
                                endpoint.provider, fmt::join(key_variables(endpoint, config), " or ")));
}

std::optional<fs::path> find_providers_file(const fs::path& root)
{
    for (const fs::path& file : config::files_of(root))
        if (config::kind_by_name(file) == config::FileKind::providers) return file;
    return std::nullopt;
}

/// Lays the file over `all`. What is wrong goes to `findings`.
void add_file(json::object& all, const fs::path& file, config::Variables& variables, config::Findings& findings)
{
    const std::string shown = file.string();
    const auto text = config::read_file(file, shown, findings);
    auto document = text ? config::load(shown, *text, findings) : std::nullopt;
    if (!document) return;
    config::interpolate(*document, variables, findings);
    model::Providers own;
    if (!config::read_into(document->value, *document, &own, describe(&own), findings)) return;
    for (const auto& [name, provider] : own.providers)
        for (const std::string& variable : provider.key_variables) variables.refer(variable);
    merge(all, document->value.at("providers").as_object());
}

}  // namespace

model::ProviderModel facts_of(const model::Provider& provider, std::string_view name)
{
    const model::ProviderModel* best = provider.models.find(name);
    std::size_t length = 0;
    if (!best)
        for (const auto& [known, model] : provider.models)
            if (known.size() > length && name.starts_with(known) && is_version(name.substr(known.size()))) {
                best = &model;
                length = known.size();
            }
    const model::ProviderModel& others = provider.other_models;
    if (!best) return others;
    model::ProviderModel facts = *best;
    if (!facts.context) facts.context = others.context;
    if (!facts.max_output) facts.max_output = others.max_output;
    if (!facts.encoding) facts.encoding = others.encoding;
    if (!facts.input_price && !facts.output_price) {
        facts.input_price = others.input_price;
        facts.output_price = others.output_price;
    }
    return facts;
}

model::Providers read_providers(const fs::path& project, const std::optional<fs::path>& home,
                                config::Variables& variables, config::Findings& findings)
{
    std::vector<fs::path> files;
    for (const auto& root : {home, std::optional(project)})
        if (root)
            if (auto file = find_providers_file(*root)) files.push_back(std::move(*file));
    if (files.empty()) return model::built_in_providers();

    json::object all = model::built_in_providers_json();
    const std::size_t before = findings.errors();
    for (const fs::path& file : files) add_file(all, file, variables, findings);
    if (findings.errors() > before) return model::built_in_providers();
    return model::from_json<model::Providers>(json::object{{"providers", std::move(all)}});
}

Endpoint setup_of(const model::Providers& providers, const std::string& provider,
                  const config::Environment& environment)
{
    const model::LlmConfig config{.provider = provider};
    Endpoint endpoint{.provider = provider, .vendor = provider_of(providers, config)};
    find_address(endpoint, config, environment);
    find_key(endpoint, config, environment);
    find_other_secrets(endpoint);
    return endpoint;
}

Endpoint endpoint_of(const model::Providers& providers, const model::LlmConfig& config,
                     const config::Environment& environment)
{
    Endpoint endpoint{.provider = config.provider,
                      .model = config.model,
                      .vendor = provider_of(providers, config),
                      .silence = std::chrono::seconds(config.timeout)};
    find_address(endpoint, config, environment);
    expect_address(endpoint);
    find_key(endpoint, config, environment);
    find_other_secrets(endpoint);
    expect_key(endpoint, config);
    endpoint.facts = facts_of(endpoint.vendor, endpoint.model);
    return endpoint;
}

Endpoint endpoint_of(const model::Providers& providers, std::string_view spec, const config::Environment& environment)
{
    const model::ModelName name = model::split_model_name(spec);
    if (name.model.empty())
        throw Error(Code::invalid,
                    fmt::format("{} names no model; write provider/model, like openai/gpt-5-mini", in_quotes(spec)));
    const model::LlmConfig config{.provider = std::string(name.provider), .model = std::string(name.model)};
    return endpoint_of(providers, config, environment);
}

}  // namespace cadre::llm
