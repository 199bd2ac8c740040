#include "channels/form.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/hex.hpp"

#include <algorithm>

namespace cadre::channels {
namespace {

std::string unescaped(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+') {
            out += ' ';
        } else if (text[i] == '%') {
            const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0) throw Error(Code::malformed, "the form has a broken escape");
            out += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

}  // namespace

Form form_from(std::string_view text)
{
    Form form;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('&'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (pair.empty()) continue;
        if (form.size() == kMostFormFields) throw Error(Code::too_large, "the form has too many fields");
        const std::size_t equals = std::min(pair.find('='), pair.size());
        form.emplace_back(unescaped(pair.substr(0, equals)), unescaped(pair.substr(std::min(equals + 1, pair.size()))));
    }
    return form;
}

std::string_view find_field(const Form& form, std::string_view name)
{
    const auto found = std::ranges::find(form, name, [](const auto& field) -> std::string_view { return field.first; });
    return found == form.end() ? std::string_view() : std::string_view(found->second);
}

std::string to_text(const Form& form)
{
    std::string out;
    for (const auto& [name, value] : form) {
        if (!out.empty()) out += '&';
        out += escaped_for_query(name) + '=' + escaped_for_query(value);
    }
    return out;
}

std::string escaped_for_query(std::string_view text)
{
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        if (is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~') {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
    }
    return out;
}

}  // namespace cadre::channels
