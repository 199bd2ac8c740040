#include "schema/messages.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "schema/quote.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

namespace cadre::schema {

namespace {

constexpr std::size_t kMaxListed = 12;      // values of an enum
constexpr std::size_t kMaxCandidates = 48;  // for a suggestion; a message must not cost more than it is worth

template <class Container>
auto first(const Container& container, std::size_t count)
{
    return std::ranges::subrange(container.begin(),
                                 container.begin() +
                                     static_cast<std::ptrdiff_t>(std::min<std::size_t>(container.size(), count)));
}

/// A value in few words.
std::string shown(const json::value& value)
{
    if (value.is_number()) return Number(value).to_text();
    if (const bool* flag = value.if_bool()) return *flag ? "true" : "false";
    if (const auto* text = value.if_string()) return in_quotes(*text);
    return text_of(types_of(value));
}

std::string listed(const std::vector<std::string>& texts, std::size_t total)
{
    std::string list;
    for (const std::string& text : texts) list.append(list.empty() ? "" : ", ").append(text);
    if (total > texts.size()) list += fmt::format(" and {} more", total - texts.size());
    return list;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates)
{
    const auto near = nearest(word, candidates);
    return near ? fmt::format("; did you mean {}?", in_quotes(*near)) : "";
}

}  // namespace

std::string wrong_type(Types expected, const json::value& value)
{
    const Types actual = types_of(value);
    const bool both_numbers = (actual & kNumber) && (expected & kInteger);
    return fmt::format("must be {}, not {}", text_of(expected), both_numbers ? shown(value) : text_of(actual));
}

std::string wrong_constant(const json::value& expected, const json::value& value)
{
    if (expected.is_structured())
        return fmt::format("must be equal to the {} in const", expected.is_array() ? "array" : "object");
    return fmt::format("must be {}, not {}", shown(expected), shown(value));
}

std::string not_enumerated(const json::array& expected, const json::value& value)
{
    std::vector<std::string> texts;
    std::vector<std::string> words;
    for (const json::value& choice : first(expected, kMaxCandidates)) {
        if (texts.size() < kMaxListed) texts.push_back(shown(choice));
        if (choice.is_string()) words.emplace_back(choice.get_string());
    }
    const auto* word = value.if_string();
    return fmt::format("must be one of {}, not {}{}", listed(texts, expected.size()), shown(value),
                       word ? suggestion(*word, words) : "");
}

std::string wrong_number(std::string_view rule, const Number& bound, const Number& number)
{
    return fmt::format("must be {} {}, not {}", rule, bound.to_text(), number.to_text());
}

std::string wrong_count(const Range& range, std::size_t count, std::string_view noun, std::string_view which)
{
    const bool too_few = count < range.min;
    const std::size_t bound = too_few ? range.min : range.max;
    std::string nouns(noun);
    if (bound != 1) nouns = noun.ends_with('y') ? nouns.substr(0, nouns.size() - 1) + "ies" : nouns + "s";
    return fmt::format("must have at {} {} {}{}, not {}", too_few ? "least" : "most", bound, nouns, which, count);
}

std::string wrong_pattern(const Pattern& pattern, std::string_view text)
{
    return fmt::format("must match the pattern {}, unlike {}", quoted_whole(pattern.text()), in_quotes(text));
}

std::string wrong_format(const Format& format, std::string_view text)
{
    return fmt::format("must be {}, not {}", format.text, in_quotes(text));
}

/// A name of the object that the schema does not know may be the missing one, mistyped.
std::string missing_property(std::string_view name, const json::object& object, const ObjectRules& rules)
{
    std::vector<std::string> strangers;
    for (const auto& member : first(object, kMaxCandidates))
        if (!rules.find_member(member.key())) strangers.emplace_back(member.key());
    const auto near = nearest(name, strangers);
    return fmt::format("must have the property {}{}", in_quotes(name),
                       near ? fmt::format("; it has {}", in_quotes(*near)) : "");
}

std::string unknown_property(std::string_view name, const ObjectRules& rules)
{
    std::vector<std::string> known;
    for (const Member& member : first(rules.members, kMaxCandidates)) known.push_back(member.name);
    return fmt::format("must not have the property {}{}", in_quotes(name), suggestion(name, known));
}

}  // namespace cadre::schema
