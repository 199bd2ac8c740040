#include "config/secrets.hpp"

#include "base/json.hpp"
#include "base/redact.hpp"
#include "config/interpolate.hpp"
#include "config/variable_name.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::config {

namespace {

/// `api_key: OPENAI_API_KEY` names a variable (C-09).
bool is_name_of_variable(std::string_view text)
{
    return text.find('_') != text.npos && is_variable_name(text) &&
           std::ranges::none_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

/// A name for the variable that should hold it: `api_key` is API_KEY.
std::string variable_for(std::string_view field)
{
    std::string name;
    for (const char c : field) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name += !letter ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return is_variable_name(name) ? name : "MY_SECRET";
}

/// A key, where `none` or `not-needed` would be a word that says that there is no key.
bool looks_made_up_by_a_machine(std::string_view text)
{
    return text.size() >= 16 && !is_name_of_variable(text) &&
           std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

class Search {
public:
    Search(const Document& document, Findings& findings) : document_(document), findings_(findings) {}

    void value(const json::value& value, const Place& place, std::string_view name, const std::string& path)
    {
        if (const auto* array = value.if_array()) {
            for (std::size_t i = 0; i < array->size(); ++i)
                this->value((*array)[i], place.items[i], name, fmt::format("{}[{}]", path, i));
        } else if (const auto* object = value.if_object()) {
            std::size_t i = 0;
            for (const auto& member : *object) {
                const std::string_view key = member.key();
                this->value(member.value(), place.items[i++], key,
                            path.empty() ? std::string(key) : fmt::format("{}.{}", path, key));
            }
        } else if (const auto* text = value.if_string()) {
            this->text(*text, place, name, path);
        }
    }

private:
    void text(std::string_view text, const Place& place, std::string_view name, const std::string& path)
    {
        for (const Default& given : defaults_in(text))
            if (redact(given.text) != given.text || (is_secret_name(name) && looks_made_up_by_a_machine(given.text)))
                return problem(place, path, ", as the default of " + given.variable, given.variable);
        const std::string literal = without_references(text);
        if (literal.empty()) return;
        const bool named = is_secret_name(name) && literal.size() == text.size() && !is_name_of_variable(literal);
        if (!named && redact(literal) == literal) return;
        problem(place, path, "", named ? variable_for(name) : "MY_SECRET");
    }

    void problem(const Place& place, const std::string& path, const std::string& as, const std::string& variable)
    {
        findings_.error(
            document_.file, place.at,
            fmt::format("{}: a secret stands here in plain sight{}; put it into the environment or .env and "
                        "write ${{{}}} (then replace it, because others may have read it)",
                        path, as, variable));
    }

    const Document& document_;
    Findings& findings_;
};

}  // namespace

void find_secrets(const Document& document, Findings& findings)
{
    Search(document, findings).value(document.value, document.root, "", "");
}

}  // namespace cadre::config
