#include "model/format.hpp"

#include "base/ascii.hpp"
#include "base/id.hpp"

#include <algorithm>

namespace cadre::model {

namespace {

bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}
/// `^[a-z][a-z0-9X]*$` where X is the given separator
bool is_name(std::string_view text, char separator)
{
    return !text.empty() && is_lower(text[0]) &&
           std::all_of(text.begin(), text.end(), [=](char c) { return is_lower(c) || is_digit(c) || c == separator; });
}

/// Three numbers and what may follow them: `1.0.0`, `2.1.3-rc.1`
bool is_version(std::string_view text)
{
    int dots = 0;
    bool digit_before = false;
    for (char c : text) {
        if (is_digit(c)) {
            digit_before = true;
        } else if (c == '.' && digit_before && dots < 2) {
            ++dots;
            digit_before = false;
        } else {
            return dots == 2 && digit_before && (c == '-' || c == '+');
        }
    }
    return dots == 2 && digit_before;
}

/// No slash and no dot in front: it leads nowhere else.
bool is_file_name(std::string_view text)
{
    const auto is_letter = [](char c) { return is_lower(static_cast<char>(c | 0x20)) || is_digit(c); };
    return !text.empty() && is_letter(text[0]) &&
           std::ranges::all_of(text, [&](char c) { return is_letter(c) || c == '.' || c == '_' || c == '-'; });
}

bool is_url(std::string_view text)
{
    for (std::string_view scheme : {"http://", "https://"})
        if (text.starts_with(scheme)) return text.size() > scheme.size() && text.find(' ') == text.npos;
    return false;
}

}  // namespace

bool matches(Format format, std::string_view text)
{
    switch (format) {
    case Format::none: return true;
    case Format::snake_name: return is_name(text, '_');
    case Format::alias: return is_name(text, '-');
    case Format::uuid: return find_id(text).has_value();
    case Format::step_id: return find_prefixed_id("step_", text).has_value();
    case Format::call_id: return find_prefixed_id("tc_", text).has_value();
    case Format::version: return is_version(text);
    case Format::url: return is_url(text);
    case Format::file_name: return is_file_name(text);
    }
    return false;
}

std::string_view name_of(Format format)
{
    switch (format) {
    case Format::none: return "any text";
    case Format::snake_name: return "a name like agent_1 (lower-case letters, digits and _, a letter first)";
    case Format::alias: return "a name like light-agent (lower-case letters, digits and -, a letter first)";
    case Format::uuid: return "a UUID of version 4";
    case Format::step_id: return "step_ and the 32 hex digits of a UUID of version 4";
    case Format::call_id: return "tc_ and the 32 hex digits of a UUID of version 4";
    case Format::version: return "a version like 1.0.0";
    case Format::url: return "a URL that starts with http:// or https://";
    case Format::file_name: return "a name like article-2 (letters, digits, ., _ and -, a letter or digit first)";
    }
    return {};
}

std::string_view pattern_of(Format format)
{
    switch (format) {
    case Format::none: return {};
    case Format::snake_name: return "^[a-z][a-z0-9_]*$";
    case Format::alias: return "^[a-z][a-z0-9-]*$";
    case Format::uuid: return "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$";
    case Format::step_id: return "^step_[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$";
    case Format::call_id: return "^tc_[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$";
    case Format::version: return "^[0-9]+\\.[0-9]+\\.[0-9]+([-+][\\s\\S]*)?$";
    case Format::url: return "^https?://[^ ]+$";
    case Format::file_name: return "^[A-Za-z0-9][A-Za-z0-9._-]*$";
    }
    return {};
}

std::string_view time_pattern()
{
    return "^([0-9]{4}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|[0-9]{4}-(0[469]|11)-(0[1-9]|[12][0-9]|30)|"
           "[0-9]{4}-02-(0[1-9]|1[0-9]|2[0-8])|"
           "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)"
           "[T ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?"
           "(Z|[-+]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?$";
}

}  // namespace cadre::model
