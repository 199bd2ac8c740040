// Who serves models: address, keys, peculiarities and prices, as data. What Cadre knows by itself stands in providers.json; a
// file config/providers.yaml of the same form adds to it and changes it.
#pragma once

#include "model/type.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {

struct Entity;
class Path;
class Problems;

/// Whose words are spoken on the wire.
enum class ApiFamily : std::uint8_t { openai, anthropic };
enum class MaxTokensField : std::uint8_t { max_tokens, max_completion_tokens };
enum class SystemRole : std::uint8_t { system, developer };
/// What a vendor takes to make an answer JSON; with less than a schema the model is told in words too.
enum class StructuredOutput : std::uint8_t { json_schema, json_object, none };
/// Which answers are sent back with the thoughts that led to them.
enum class ReasoningBack : std::uint8_t { never, with_calls, always };
/// Anthropic's two ways to ask for thoughts: a number of tokens, or a word that says how hard to think.
enum class Thinking : std::uint8_t { none, budget, adaptive };

/// What is known of one model. An unknown price is no price, which is not zero.
struct ProviderModel {
    std::optional<std::int64_t> context{}, max_output{};                                       // tokens
    std::optional<double> input_price{}, cached_price{}, cache_write_price{}, output_price{};  // US dollars a million
    std::optional<std::int64_t> long_from{};  // more input than this makes the whole call dearer
    double long_input_factor = 1, long_output_factor = 1;
    std::optional<std::string> encoding{};  // of its tokens: o200k_base, cl100k_base
    bool temperature = true;                // whether one may be given
    Thinking thinking = Thinking::none;

    bool operator==(const ProviderModel&) const = default;
};

struct Provider {
    ApiFamily api = ApiFamily::openai;
    std::optional<std::string> base_url{};
    std::string path{};  // added to an address that a variable or person gives without one
    std::vector<std::string> key_variables{}, url_variables{};  // the first that is set counts
    bool needs_key = true;
    std::string key_header{};  // empty: as the API has it
    Dict<std::string> headers{};
    MaxTokensField max_tokens_field = MaxTokensField::max_tokens;
    SystemRole system_role = SystemRole::system;
    bool stream_usage = true;
    bool seed = true;
    StructuredOutput structured_output = StructuredOutput::json_schema;
    std::string reasoning_field = "reasoning_content";
    ReasoningBack reasoning_back = ReasoningBack::never;
    bool reasoning_effort = false;
    bool short_call_ids = false;
    bool prompt_cache = false;
    double max_temperature = 2;
    std::optional<std::string> as_of{};  // the day of its prices: 2026-09-23
    Dict<ProviderModel> models{};
    ProviderModel other_models{};

    bool operator==(const Provider&) const = default;
};

struct Providers {
    Dict<Provider> providers{};

    bool operator==(const Providers&) const = default;
};

std::span<const EnumName> names_of(const ApiFamily*);
std::span<const EnumName> names_of(const MaxTokensField*);
std::span<const EnumName> names_of(const SystemRole*);
std::span<const EnumName> names_of(const StructuredOutput*);
std::span<const EnumName> names_of(const ReasoningBack*);
std::span<const EnumName> names_of(const Thinking*);
const Entity& describe(const ProviderModel*);
const Entity& describe(const Provider*);
const Entity& describe(const Providers*);

/// Those that Cadre knows by itself (C-08).
const Providers& built_in_providers();
/// The same as they are written down, to be changed by somebody's own.
const boost::json::object& built_in_providers_json();
/// Their names, and those of the scripted model.
std::span<const std::string> provider_names();

/// The parts of `openai/gpt-5-mini` or `openai:gpt-5-mini`; `model` is empty when there is no separator.
struct ModelName {
    std::string_view provider, model;
};
ModelName split_model_name(std::string_view spec);

/// The model that is in the program itself and generates nothing: as a provider, as a whole spec, and in records of what it said.
inline constexpr std::string_view kLocal = "local";

/// For a JSON Schema: `"enum":["deepseek",…]`, of any list of words.
template <class List>
std::string enum_of(const List& words)
{
    std::string text;
    for (const std::string_view word : words) text += (text.empty() ? "\"" : ",\"") + std::string(word) + '"';
    return "\"enum\":[" + text + ']';
}

}  // namespace cadre::model
