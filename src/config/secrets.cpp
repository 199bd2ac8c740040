#include "config/secrets.hpp"

#include "base/credential.hpp"
#include "base/json.hpp"
#include "base/redact.hpp"
#include "config/interpolate.hpp"
#include "config/variable_name.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace cadre::config {

namespace {

/// `api_key: OPENAI_API_KEY` names a variable (C-09).
bool is_name_of_variable(std::string_view text)
{
    return text.find('_') != text.npos && is_variable_name(text) &&
           std::ranges::none_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Variables that the shell or the system sets: whoever is told to write one of these gets what they hold.
bool is_of_system(std::string_view name)
{
    static constexpr std::string_view kNames[] = {
        "COLUMNS", "DISPLAY", "EDITOR", "EUID",    "GROUPS",  "HISTFILE", "HOME",   "HOST",  "HOSTNAME",
        "IFS",     "LANG",    "LINES",  "LOGNAME", "MAIL",    "OLDPWD",   "OSTYPE", "PAGER", "PATH",
        "PPID",    "PS1",     "PWD",    "RANDOM",  "SECONDS", "SHELL",    "SHLVL",  "TEMP",  "TERM",
        "TMP",     "TMPDIR",  "TZ",     "UID",     "USER",    "USERNAME"};
    return name.starts_with("LC_") || std::ranges::find(kNames, name) != std::end(kNames);
}

/// A name for the variable that should hold it: `api_key` is API_KEY.
std::string variable_for(std::string_view field)
{
    std::string name;
    for (const char c : field) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name += !letter ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    if (!is_variable_name(name)) return "MY_SECRET";
    return is_of_system(name) ? "CONFIG_" + name : name;
}

/// `<your key>`, `YOUR_API_KEY`, `xxxx`: what examples have in place of a secret.
bool is_placeholder(std::string_view text)
{
    for (const std::string_view scheme : {"Bearer ", "Basic ", "Token "})
        if (text.starts_with(scheme)) text.remove_prefix(scheme.size());
    if (text.size() > 2 && text.starts_with('<') && text.ends_with('>'))
        return text.substr(1, text.size() - 2).find_first_of("<>") == text.npos;
    if (text.size() > 2 && text.find_first_not_of("xX*.") == text.npos) return true;
    return (text.starts_with("your") || text.starts_with("YOUR")) && text.size() > 4 &&
           std::string_view("-_ ").find(text[4]) != std::string_view::npos &&
           std::ranges::none_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// `$KEY` is KEY, as a shell has it.
std::optional<std::string_view> find_shell_reference(std::string_view text)
{
    if (!text.starts_with('$')) return std::nullopt;
    text.remove_prefix(1);
    const bool is_name =
        is_variable_name(text) && std::ranges::none_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
    return is_name ? std::optional(text) : std::nullopt;
}

/// `--api-key` says what the word after it is. Nothing when it is no such option.
std::string_view secret_option(std::string_view word)
{
    if (!word.starts_with('-')) return {};
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    return is_secret_name(word) ? word : std::string_view();
}

/// What the word after an option of that name is, if anything: another option is none of its business.
bool is_argument_of(std::string_view option, std::string_view word)
{
    return !option.empty() && !word.empty() && !word.starts_with('-') && !is_count(option, word);
}

bool is_command_line(std::string_view field)
{
    return field == "args" || field == "command";
}

/// The option whose secret stands in a line like `serve --token x`; empty when there is none.
std::string_view option_with_secret(std::string_view line)
{
    std::string_view option;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        if (word.empty()) continue;
        if (is_argument_of(option, word) && !without_references(word).empty() && !is_name_of_variable(word) &&
            !is_placeholder(word) && !word.starts_with('<'))  // `<your key>` is two words
            return option;
        option = secret_option(word);
    }
    return {};
}

/// A key, where `none` or `not-needed` would be a word that says that there is no key.
bool looks_made_up_by_a_machine(std::string_view text)
{
    return text.size() >= 16 && !is_name_of_variable(text) &&
           std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Names that mean a secret when they are those of variables: `MY_PASS`, and `MY_KEY` with something like a key in it.
bool is_secret_variable(std::string_view name, std::string_view text)
{
    std::string upper;
    for (const char c : name) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    const auto is = [&](std::string_view word) {
        return upper == word || (upper.ends_with(word) && upper[upper.size() - word.size() - 1] == '_');
    };
    return is("PASS") || is("PW") || is("CREDS") || (is("KEY") && looks_made_up_by_a_machine(text));
}

/// Fields that people write sentences in. A sentence may tell of passwords and of what they are called.
bool is_prose(std::string_view field)
{
    static constexpr std::string_view kFields[] = {
        "backstory", "condition", "content",     "description",  "expected_output", "goal",   "graceful_failure",
        "examples",  "greeting",  "instruction", "instructions", "message",         "notes",  "personality",
        "prompt",    "purpose",   "reason",      "role",         "summary",         "system", "system_prompt",
        "task",      "text",      "title"};
    return std::ranges::find(kFields, field) != std::end(kFields);
}

bool shows_secret(std::string_view field, std::string_view text)
{
    return is_prose(field) ? shows_key(text) : redact(text) != text;
}

class SecretSearch {
public:
    SecretSearch(Document& document, Findings& findings) : document_(document), findings_(findings) {}

    /// `in_env`: the name is one of an environment variable.
    void value(const json::value& value, Place& place, std::string_view name, const std::string& path,
               bool in_env = false)
    {
        if (const auto* array = value.if_array()) {
            std::string_view option;  // of the word before
            for (std::size_t i = 0; i < array->size(); ++i) {
                const auto* word = (*array)[i].if_string();
                const bool is_argument = word && is_argument_of(option, *word);
                this->value((*array)[i], place.items[i], is_argument ? option : name, fmt::format("{}[{}]", path, i));
                option = word ? secret_option(*word) : std::string_view();
            }
        } else if (const auto* object = value.if_object()) {
            std::size_t i = 0;
            for (const auto& member : *object) {
                const std::string_view key = member.key();
                this->value(member.value(), place.items[i++], key,
                            path.empty() ? std::string(key) : fmt::format("{}.{}", path, key), name == "env");
            }
        } else if (const auto* text = value.if_string()) {
            this->text(*text, place, name, path, in_env);
        }
    }

private:
    void text(std::string_view text, Place& place, std::string_view name, const std::string& path, bool in_env)
    {
        for (const Default& given : defaults_in(text))
            if (shows_secret(name, given.text) || (is_secret_name(name) && looks_made_up_by_a_machine(given.text)))
                return problem(place, path, ", as the default of " + given.variable, given.variable);
        const std::string literal = without_references(text);
        if (literal.empty() || is_placeholder(literal)) return;
        if (const auto option = is_command_line(name) ? option_with_secret(text) : std::string_view(); !option.empty())
            return problem(place, path, "", variable_for(option));
        const bool secret_name = is_secret_name(name) || (in_env && is_secret_variable(name, literal));
        const bool named = secret_name && literal.size() == text.size() && !is_name_of_variable(literal);
        if (const auto variable = find_shell_reference(literal); named && variable)
            return told(place,
                        fmt::format("{}: ${} is not a reference, did you mean ${{{}}}?", path, *variable, *variable));
        if (!named && !shows_secret(name, literal)) return;
        problem(place, path, "", named ? variable_for(name) : "MY_SECRET");
    }

    void problem(Place& place, const std::string& path, const std::string& as, const std::string& variable)
    {
        told(place, fmt::format("{}: a secret is written here in plain text{}; put it into the environment or .env and "
                                "write ${{{}}} (then replace it, because others may have read it)",
                                path, as, variable));
    }

    /// Whatever else is wrong with it is not worth a word.
    void told(Place& place, std::string text)
    {
        findings_.error(document_.file, place.at, std::move(text));
        place.reported = true;
    }

    Document& document_;
    Findings& findings_;
};

}  // namespace

void find_secrets(Document& document, Findings& findings)
{
    SecretSearch(document, findings).value(document.value, document.root, "", "");
}

}  // namespace cadre::config
