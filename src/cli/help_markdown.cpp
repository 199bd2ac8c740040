#include "cli/exit_codes.hpp"
#include "cli/help.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace cadre::cli {
namespace {

/// `|` would end a cell of a table.
std::string cell(std::string_view text)
{
    std::string result;
    for (const char c : text) result.append(c == '|' ? "\\" : "").push_back(c);
    return result;
}

std::string flag_table(std::span<const Flag> flags)
{
    if (flags.empty()) return "";
    std::string text = "| Flag | |\n|---|---|\n";
    for (const Flag& flag : flags) {
        const std::string typed = spelling(flag);
        text += fmt::format("| `{}` | {} |\n", cell(typed.substr(typed.find('-'))), cell(flag.help));
    }
    return text + "\n";
}

std::string argument_table(const Verb& verb)
{
    if (verb.arguments.empty()) return "";
    std::string text = "| Argument | |\n|---|---|\n";
    for (const Argument& argument : verb.arguments) {
        std::string help(argument.help);
        if (argument.choices) help += fmt::format(": `{}`", fmt::join(argument.choices(), "`, `"));
        text += fmt::format("| `{}` | {} |\n", cell(spelling(argument)), cell(help));
    }
    return text + "\n";
}

std::string examples(const Verb& verb)
{
    if (verb.examples.empty()) return "";
    std::string text = "```sh\n";
    for (const Example& example : verb.examples) text += fmt::format("# {}\n{}\n", example.says, example.command);
    return text + "```\n\n";
}

std::string chapter(const Verb& verb)
{
    return fmt::format("## cadre {}\n\n{}.\n\n```text\n{}\n```\n\n", verb.name, verb.summary, usage(verb)) +
           (verb.text.empty() ? "" : fmt::format("{}\n\n", verb.text)) + argument_table(verb) + flag_table(verb.flags) +
           examples(verb);
}

std::string exit_code_table()
{
    std::string text = "| Exit code | Error code | Meaning |\n|---|---|---|\n";
    for (const ExitCode& code : exit_codes())
        text += fmt::format("| {} | {} | {} |\n", code.number, code.code, cell(code.meaning));
    return text;
}

}  // namespace

std::string markdown_page(const Program& program)
{
    std::string text = "# The command line\n\n"
                       "<!-- Printed by `cadre help --markdown`; tests/e2e/cli_test.py compares. -->\n\n";
    text += fmt::format("{}\n\n```text\n{}\n```\n\n", program.root.text, usage(program.root));
    text +=
        "Flags can be given anywhere; `--` ends them. `--flag VALUE` and `--flag=VALUE` are the same. Results go to "
        "standard "
        "output, everything else to standard error. With `--json`, an error is "
        "`{\"error\":{\"code\":…,\"message\":…}}` on standard error; when the words typed were wrong, `error` also "
        "has `usage` and `help`, the commands that people see below the message.\n\n";
    text += "Flags of every verb:\n\n" + flag_table(global_flags());
    text += "Flags without a verb:\n\n" + flag_table(program.root.flags);
    for (const Verb& verb : program.verbs) text += chapter(verb);
    return text + "## Exit codes\n\n" + exit_code_table();
}

}  // namespace cadre::cli
