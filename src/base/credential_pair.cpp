// Names and values: `api_key=…`, `"api_key": "…"`, `<password>…</password>`.
#include "base/credential.hpp"
#include "base/credential_text.hpp"
#include "base/redact.hpp"

#include <algorithm>

namespace cadre {

namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::string_view kShown[] = {"",     kMasked, "null",  "true",      "false", "none", "nil",
                                       "None", "True",  "False", "undefined", "[",     "{",    "("};

bool is_shown(std::string_view value)
{
    return std::ranges::find(kShown, value) != std::end(kShown);
}

/// Names that mean a secret only in the query of a URL.
bool is_query_secret(std::string_view before, std::string_view name)
{
    if (before.ends_with('\\') && name.starts_with("u0026")) name.remove_prefix(5);  // `&` as some write it in JSON
    else if (!before.ends_with('?') && !before.ends_with('&') && !before.ends_with("&amp;")) return false;
    for (const std::string_view exact : {"key", "sig", "auth"})
        if (name.size() == exact.size() && starts_with_ignoring_case(name, exact)) return true;
    return ends_with_ignoring_case(name, "signature");  // X-Amz-Signature
}

/// `:`, `=`, `=>`, `:=`; but `Secret::reveal` and `secret://vault` are no pairs.
std::size_t separator_length(std::string_view text)
{
    if (text.starts_with("::") || text.starts_with("://")) return 0;
    if (!text.starts_with(':') && !text.starts_with('=')) return 0;
    return std::min(text.find_first_not_of(":=>"), text.size());
}

/// `, "value":`, as in `{"name": "api_key", "value": "…"}`.
std::size_t value_key_length(std::string_view text, std::string_view quote)
{
    const std::size_t all = text.size();
    if (quote.empty() || !text.starts_with(',')) return 0;
    text.remove_prefix(1);
    skip(text, " \t\r\n");
    for (const std::string_view part : {quote, std::string_view("value"), quote, std::string_view(":")}) {
        if (!text.starts_with(part)) return 0;
        text.remove_prefix(part.size());
    }
    return all - text.size();
}

/// `<` or `<prefix:`
bool opens_element(std::string_view before_name)
{
    constexpr std::size_t kLongestPrefix = 32;
    if (!before_name.ends_with(':')) return before_name.ends_with('<');
    before_name.remove_suffix(1);
    for (std::size_t i = 0; i < kLongestPrefix && !before_name.empty() && is_word_character(before_name.back()); ++i)
        before_name.remove_suffix(1);
    return before_name.ends_with('<');
}

/// The value in `<name attributes>value</name>`; `tail` begins after the first name.
Credential find_element(std::string_view name, std::string_view tail)
{
    std::string_view attributes = tail;
    const bool has_attributes = skip(attributes, " \t\r\n") && !attributes.empty() && is_letter(attributes[0]);
    const auto open = has_attributes ? tail.find_first_of("<>") : 0;
    if (open >= tail.size() || tail[open] != '>') return {};
    const std::string_view content = tail.substr(open + 1);
    const auto length = content.find('<');
    if (length == std::string_view::npos || !content.substr(length).starts_with("</")) return {};
    const std::string_view value = content.substr(0, length);
    if (is_shown(value) || is_count(name, value) || value.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return {};
    return {.keep = name.size() + open + 1, .mask = length};
}

bool is_header(std::string_view name, std::string_view value)
{
    constexpr std::size_t kLongestCookieName = 128;
    if (ends_with_ignoring_case(name, "authorization")) return true;
    if (!ends_with_ignoring_case(name, "cookie") && !ends_with_ignoring_case(name, "cookies")) return false;
    const auto end = value.substr(0, kLongestCookieName).find_first_of("= \t\r\n\"'`");
    return end != std::string_view::npos && value[end] == '=';
}

// A value without quotation marks after `name:` may be prose: "Unexpected token: IDENTIFIER", "the password: please
// enter it". It is masked if it looks like a credential (letters mixed with digits or symbols, six digits, or sixteen
// characters without a blank), or if name and value have a line or a quotation to themselves, as in YAML and headers.
// Everything is masked after `=`, after a quoted name, in quotation marks, after `--name` and in an element.

bool looks_like_credential(std::string_view value)
{
    if (value.size() >= 16) return true;
    const bool has_letter = std::ranges::any_of(value, is_letter), has_digit = std::ranges::any_of(value, is_digit);
    if (has_digit) return has_letter || value.size() >= 6;
    const auto symbol = value.find_first_of("!@#$%^&*+=~|");  // at the end it is the sentence's
    return has_letter && symbol != std::string_view::npos && symbol + 1 < value.size();
}

bool stand_alone(std::string_view before_name, std::string_view after_value)
{
    const bool dotted = before_name.ends_with('.');  // db.password: …
    before_name = before_name.substr(0, before_name.find_last_not_of(" \t-") + 1);
    skip(after_value);
    return (dotted || before_name.empty() || is_one_of(before_name.back(), "\r\n\"'`\\")) &&
           (after_value.empty() || is_one_of(after_value[0], "\r\n\"'`\\#"));
}

/// Where a value stands.
struct Slot {
    std::string_view before;  // the name
    std::string_view name;
    std::string_view name_quote;
    bool is_certain;  // no prose looks like this
};

/// The value at the start of `text`, if it must not be shown.
Credential find_value(const Slot& slot, std::string_view text)
{
    const auto& [before, name, name_quote, is_certain] = slot;
    const std::size_t prefix = quote_prefix_length(text);
    if (const auto open = quote_at(text.substr(prefix)); !open.empty()) {
        const std::size_t keep = prefix + open.size();
        const std::string_view tail = text.substr(keep);
        if (!name_quote.empty() || !follows_text(tail)) {
            const std::size_t length = quoted_length(tail, open);
            if (is_shown(tail.substr(0, length))) return {};
            return {.keep = keep, .mask = length};
        }
        if (prefix == 0) return {};
    }
    if (begins_structure(text, !name_quote.empty())) {
        constexpr std::string_view kAnyNumber = "1234567890";
        if (is_count(name, kAnyNumber) && begins_with_number(text)) return {};  // {"tokens": {"prompt": 5}}
        const std::size_t length = structure_length(text);
        return {.mask = length + bare_length(text.substr(length)), .quote = name_quote};
    }
    const bool header = name_quote.empty() && is_header(name, text);
    const std::size_t length = header ? header_length(text) : bare_length(text);
    const std::string_view value = text.substr(0, length);
    if (is_shown(value) || is_count(name, value)) return {};
    const bool may_be_prose = !is_certain && !header;
    if (may_be_prose && !looks_like_credential(value) && !stand_alone(before, text.substr(length))) return {};
    return {.mask = length, .quote = name_quote};
}

/// Whether a quotation mark, or a separator after blanks, follows the name.
bool may_be_pair(std::string_view tail)
{
    if (!quote_at(tail).empty()) return true;
    if (tail.starts_with(']')) tail.remove_prefix(1);
    skip(tail);
    return !tail.empty() && (tail[0] == ':' || tail[0] == '=');
}

}  // namespace

Credential find_secret_pair(std::string_view written, std::string_view rest)
{
    const std::string_view before = written.substr(0, written.find_last_not_of('-') + 1);
    // -5tokens is a number
    const bool is_flag = before.size() < written.size() && is_letter(rest[0]);
    if (!before.empty() && is_word_character(before.back())) return {};  // not where the name begins

    const std::string_view name = rest.substr(0, run_length(rest, is_word_character));
    if (name.size() > kLongestName) return {};
    std::string_view tail = rest.substr(name.size());
    // names are many, and what stands behind most of them makes no pair: that is seen at once
    const bool in_element = opens_element(before);
    if (!in_element && !is_flag && !may_be_pair(tail)) return {};
    if (!is_secret_name(name) && !is_query_secret(before, name)) return {};
    if (in_element)
        if (const auto found = find_element(name, tail); found.mask > 0) return found;

    Slot slot{.before = before, .name = name, .name_quote = quote_at(tail), .is_certain = true};
    tail.remove_prefix(slot.name_quote.size());
    if (tail.starts_with(']')) tail.remove_prefix(1);  // config["password"] = …
    const bool spaced = skip(tail);
    if (const auto separator = separator_length(tail); separator > 0) {
        const bool is_assigned = tail.substr(0, separator).find('=') != std::string_view::npos;
        slot.is_certain = is_assigned || !slot.name_quote.empty();
        tail.remove_prefix(separator);
    } else if (const auto key = value_key_length(tail, slot.name_quote); key > 0) {
        tail.remove_prefix(key);
    } else if (!is_flag || !spaced || tail.starts_with('-')) {
        return {};
    }
    skip(tail, slot.name_quote.empty() ? " \t" : " \t\r\n");

    auto found = find_value(slot, tail);
    if (found.mask > 0) found.keep += rest.size() - tail.size();
    return found;
}

}  // namespace cadre
