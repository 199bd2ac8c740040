#include "cli/verb.hpp"

#include "cli/environment.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::cli {
namespace {

std::string upper(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return result;
}

constexpr Flag kGlobalFlags[] = {
    {.name = "json", .help = "Print one JSON object; errors are JSON on stderr"},
    {.name = "quiet", .letter = 'q', .help = "Print only what was asked for or needs attention"},
    {.name = "no-color", .help = "No colours; the variable NO_COLOR does the same"},
    {.name = "server",
     .value = "URL",
     .help = "Work on the tasks of a server; the variable CADRE_SERVER does the same"},
    {.name = "help", .letter = 'h', .help = "Explain the verb instead of running it"},
};

}  // namespace

std::span<const Flag> global_flags()
{
    return kGlobalFlags;
}

const Verb* find_verb(const Program& program, std::string_view name)
{
    const auto found = std::ranges::find(program.verbs, name, &Verb::name);
    return found == program.verbs.end() ? nullptr : &*found;
}

std::string spelling(const Flag& flag)
{
    std::string text =
        flag.letter ? fmt::format("-{}, --{}", flag.letter, flag.name) : fmt::format("    --{}", flag.name);
    if (!flag.value.empty()) text += fmt::format(" {}", flag.value);
    return text;
}

std::string spelling(const Argument& argument)
{
    const std::string name = upper(argument.name);
    switch (argument.count) {
    case Argument::Count::required: break;
    case Argument::Count::optional: return "[" + name + "]";
    case Argument::Count::repeated: return "[" + name + "...]";
    }
    return name;
}

std::string usage(const Verb& verb)
{
    if (verb.name.empty()) return "cadre VERB [ARGUMENTS] [FLAGS]";
    std::string text = fmt::format("cadre {}", verb.name);
    for (const Argument& argument : verb.arguments) text += " " + spelling(argument);
    return text + " [FLAGS]";
}

std::string help_command(const Verb& verb)
{
    return verb.name.empty() ? "cadre help" : fmt::format("cadre help {}", verb.name);
}

std::string as_typed(std::string_view command)
{
    constexpr std::string_view kName = "cadre ";
    if (!command.starts_with(kName)) return std::string(command);
    return fmt::format("{} {}", program_name(), command.substr(kName.size()));
}

}  // namespace cadre::cli
