#include "model/providers.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::model {

extern const std::string_view kProvidersJson;  // providers.json

namespace {

constexpr std::string_view kScripted[] = {"scripted", kLocal, "replay", "script"};
constexpr double kMaxPrice = 1e6;
constexpr double kMaxTokens = 1e9;

bool is_provider_name(std::string_view name)
{
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    });
}

void check_providers(const Providers& all, const Path& path, Problems& problems)
{
    const Path list(path, "providers");
    for (const auto& [name, provider] : all.providers) {
        const Path here(list, name);
        if (std::ranges::find(kScripted, name) != std::end(kScripted))
            problems.add(here, "is the name of a model of Cadre's own; choose another");
        else if (!is_provider_name(name)) problems.add(here, "must be made of a-z, 0-9, _, - and .");
        if (!provider.base_url && provider.url_variables.empty() && !built_in_providers_json().contains(name))
            problems.add(here, ProblemKind::missing, "needs its base_url");
    }
}

/// A header that follows from the rest, or that would end another, is not for people to write.
void check_headers(const Provider& provider, const Path& path, Problems& problems)
{
    const Path list(path, "headers");
    for (const auto& [name, value] : provider.headers)
        if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != name.npos ||
            name.empty() || value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos)
            problems.add(Path(list, name), "must be a header's name and a value of one line");
}

void check_as_of(const Provider& provider, const Path& path, Problems& problems)
{
    constexpr std::string_view kForm = "0000-00-00";
    const auto fits = [](char c, char form) { return form == '0' ? c >= '0' && c <= '9' : c == form; };
    if (provider.as_of && !std::ranges::equal(*provider.as_of, kForm, fits))
        problems.add(Path(path, "as_of"), "must be a day like 2026-09-23");
}

}  // namespace

std::span<const EnumName> names_of(const ApiFamily*)
{
    static constexpr EnumName names[] = {{int(ApiFamily::openai), "openai"}, {int(ApiFamily::anthropic), "anthropic"}};
    return names;
}

std::span<const EnumName> names_of(const MaxTokensField*)
{
    static constexpr EnumName names[] = {{int(MaxTokensField::max_tokens), "max_tokens"},
                                         {int(MaxTokensField::max_completion_tokens), "max_completion_tokens"}};
    return names;
}

std::span<const EnumName> names_of(const SystemRole*)
{
    static constexpr EnumName names[] = {{int(SystemRole::system), "system"},
                                         {int(SystemRole::developer), "developer"}};
    return names;
}

std::span<const EnumName> names_of(const StructuredOutput*)
{
    static constexpr EnumName names[] = {{int(StructuredOutput::json_schema), "json_schema"},
                                         {int(StructuredOutput::json_object), "json_object"},
                                         {int(StructuredOutput::none), "none"}};
    return names;
}

std::span<const EnumName> names_of(const ReasoningBack*)
{
    static constexpr EnumName names[] = {{int(ReasoningBack::never), "never"},
                                         {int(ReasoningBack::with_calls), "with_calls"},
                                         {int(ReasoningBack::always), "always"}};
    return names;
}

std::span<const EnumName> names_of(const Thinking*)
{
    static constexpr EnumName names[] = {
        {int(Thinking::none), "none"}, {int(Thinking::budget), "budget"}, {int(Thinking::adaptive), "adaptive"}};
    return names;
}

const Entity& describe(const ProviderModel*)
{
    static const Rule price{.min = 0, .max = kMaxPrice};
    static const Entity entity{
        .name = "provider_model",
        .doc = "What is known of one model of a provider. A price that is not known is left out; that is not zero.",
        .fields =
            {field("context", &ProviderModel::context, "Tokens that it can hold, answer included.",
                   {.min = 1, .max = kMaxTokens}),
             field("max_output", &ProviderModel::max_output, "Most tokens of one answer.",
                   {.min = 1, .max = kMaxTokens}),
             field("input_price", &ProviderModel::input_price, "US dollars for a million tokens that it reads.", price),
             field("cached_price", &ProviderModel::cached_price,
                   "The same for tokens that it still knew; left out: as dear as others.", price),
             field("cache_write_price", &ProviderModel::cache_write_price,
                   "The same for tokens that it shall keep in mind; left out: as dear as others.", price),
             field("output_price", &ProviderModel::output_price, "US dollars for a million tokens that it writes.",
                   price),
             field("long_from", &ProviderModel::long_from,
                   "When it reads more tokens than this, the whole call is dearer.", {.min = 1, .max = kMaxTokens}),
             field("long_input_factor", &ProviderModel::long_input_factor, "How many times dearer reading is then.",
                   {.min = 0, .max = 1000}),
             field("long_output_factor", &ProviderModel::long_output_factor, "How many times dearer writing is then.",
                   {.min = 0, .max = 1000}),
             field("encoding", &ProviderModel::encoding, "Its tokens: `o200k_base`, `cl100k_base`.", {.min_length = 1}),
             field("temperature", &ProviderModel::temperature, "Whether it takes a temperature."),
             field(
                 "thinking", &ProviderModel::thinking,
                 "How it is asked to think, for the API of Anthropic: by a number of tokens (`budget`), or by how hard "
                 "(`adaptive`).")},
        .dialect = {.writes_null = false},
        .example = R"({"context":400000,"max_output":128000,"input_price":0.25,"cached_price":0.025,
"output_price":2.0,"long_input_factor":1.0,"long_output_factor":1.0,"encoding":"o200k_base","temperature":false,"thinking":"none"})"};
    return entity;
}

const Entity& describe(const Provider*)
{
    static const Rule variable{.min_length = 1};
    static const Entity entity{
        .name = "provider",
        .doc =
            "Who serves models, and what is peculiar to it. What is left out of one that Cadre knows stays as it is.",
        .fields =
            {field("api", &Provider::api, "Whose API it speaks."),
             field("base_url", &Provider::base_url, "Where it listens.", {.format = Format::url}),
             field("path", &Provider::path, "Added to an address that a variable gives without a path: `/v1`."),
             field("key_variables", &Provider::key_variables,
                   "Environment variables that may hold the key; the first that is set counts.", {.items = &variable}),
             field("url_variables", &Provider::url_variables,
                   "Environment variables that may hold the address; the first that is set counts.",
                   {.items = &variable}),
             field("needs_key", &Provider::needs_key, "Whether nothing works without a key."),
             field("key_header", &Provider::key_header, "The header that carries the key; empty: as the API has it."),
             field("headers", &Provider::headers, "Further headers of every request."),
             field("max_tokens_field", &Provider::max_tokens_field, "What it calls the most tokens of an answer."),
             field("system_role", &Provider::system_role, "The role of instructions."),
             field("stream_usage", &Provider::stream_usage,
                   "Whether it must be asked to count tokens (`stream_options`)."),
             field("seed", &Provider::seed, "Whether it takes a seed."),
             field("structured_output", &Provider::structured_output, "What it takes to make an answer JSON."),
             field("reasoning_field", &Provider::reasoning_field, "What it calls its thoughts in a message."),
             field("reasoning_back", &Provider::reasoning_back, "Which answers it wants back with their thoughts."),
             field("reasoning_effort", &Provider::reasoning_effort, "Whether it can be told how hard to think."),
             field("short_call_ids", &Provider::short_call_ids, "Whether ids of calls must have nine letters."),
             field("prompt_cache", &Provider::prompt_cache, "Whether it must be told what to keep in mind."),
             field("max_temperature", &Provider::max_temperature, "The highest temperature that it takes.",
                   {.min = 0, .max = 2}),
             field("as_of", &Provider::as_of,
                   "The day when its prices were last compared with public lists, like `2026-09-23`; where they "
                   "differed, the dearer one holds.",
                   {.min_length = 10, .max_length = 10}),
             field("models", &Provider::models,
                   "What is known of its models. A name stands for its dated versions too."),
             field("other_models", &Provider::other_models, "What is known of all others.")},
        .dialect = {.writes_null = false},
        .checks = {check<Provider>({"headers"}, "A header has a name and a value of one line.", check_headers),
                   check<Provider>({"as_of"}, "`as_of` is a day: year, month and day.", check_as_of,
                                   R"({"properties":{"as_of":{"pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}}})")},
        .example = R"({"api":"openai","base_url":"https://models.example.org/v1","path":"/v1",
"key_variables":["EXAMPLE_API_KEY"],"url_variables":["EXAMPLE_BASE_URL"],"needs_key":true,"key_header":"",
"headers":{"X-Team":"support"},"max_tokens_field":"max_tokens","system_role":"system","stream_usage":true,"seed":true,
"structured_output":"json_schema","reasoning_field":"reasoning_content","reasoning_back":"never","reasoning_effort":false,
"short_call_ids":false,"prompt_cache":false,"max_temperature":2.0,"as_of":"2026-09-23",
"models":{"large-1":{"context":131072,"max_output":8192,"input_price":0.5,"output_price":1.5,"long_input_factor":1.0,
"long_output_factor":1.0,"temperature":true,"thinking":"none"}},
"other_models":{"long_input_factor":1.0,"long_output_factor":1.0,"temperature":true,"thinking":"none"}})"};
    return entity;
}

const Entity& describe(const Providers*)
{
    static const Entity entity{
        .name = "providers",
        .doc = "Providers of models: new ones, and changes to those that Cadre knows.",
        .fields = {field("providers", &Providers::providers, "By the name that stands before the model's.",
                         {.required = true})},
        .home = {Home::Kind::yaml_file, "`config/providers.yaml`, in the project or the home"},
        .dialect = {.writes_null = false},
        .checks = {check<Providers>({"providers"},
                                    "A provider's name is made of `a-z`, `0-9`, `_`, `-` and `.`; one that Cadre does "
                                    "not know needs its `base_url`, or a variable that holds it.",
                                    check_providers, R"({"properties":{"providers":{"propertyNames":{
            "pattern":"^[a-z0-9_.-]+$","not":{"enum":["scripted","replay","script"]}}}}})")},
        .example = R"({"providers":{"acme":{"api":"openai","base_url":"https://models.example.org/v1","path":"",
"key_variables":["ACME_API_KEY"],"url_variables":[],"needs_key":true,"key_header":"","headers":{},
"max_tokens_field":"max_tokens","system_role":"system","stream_usage":true,"seed":true,"structured_output":"json_schema",
"reasoning_field":"reasoning_content","reasoning_back":"never","reasoning_effort":false,"short_call_ids":false,
"prompt_cache":false,"max_temperature":2.0,"models":{},
"other_models":{"long_input_factor":1.0,"long_output_factor":1.0,"temperature":true,"thinking":"none"}}}})"};
    return entity;
}

const json::object& built_in_providers_json()
{
    static const json::object all = parse_json(kProvidersJson).at("providers").as_object();
    return all;
}

const Providers& built_in_providers()
{
    static const Providers all = from_json<Providers>(json::object{{"providers", built_in_providers_json()}});
    return all;
}

std::span<const std::string> provider_names()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const auto& member : built_in_providers_json()) list.emplace_back(member.key());
        list.insert(list.end(), std::begin(kScripted), std::end(kScripted));
        return list;
    }();
    return names;
}

ModelName split_model_name(std::string_view spec)
{
    const std::size_t end = spec.find_first_of(":/");
    if (end == spec.npos) return {spec, {}};
    return {spec.substr(0, end), spec.substr(end + 1)};
}

}  // namespace cadre::model
