// The manual page, from the same table as help.
#include "cli/exit_codes.hpp"
#include "cli/help.hpp"
#include "cli/verb_groups.hpp"
#include "cli/version.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace cadre::cli {
namespace {

/// Text of a line: what roff would take for a command, or for a hyphen that is not one, is escaped.
std::string roff(std::string_view text)
{
    std::string result;
    bool begins = true;
    for (const char c : text) {
        if (begins && (c == '.' || c == '\'')) result += "\\&";
        if (c == '\\') result += "\\e";
        else if (c == '-') result += "\\-";
        else result += c;
        begins = c == '\n';
    }
    return result;
}

std::string paragraphs(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t end = text.find("\n\n");
        result += fmt::format(".PP\n{}\n", roff(text.substr(0, end)));
        text = end == text.npos ? std::string_view() : text.substr(end + 2);
    }
    return result;
}

std::string tagged(std::string_view tag, std::string_view text)
{
    return fmt::format(".TP\n.B {}\n{}\n", roff(tag), roff(text));
}

std::string flag_tags(std::span<const Flag> list)
{
    std::string text;
    for (const Flag& flag : list) {
        const std::string typed = spelling(flag);
        text += tagged(typed.substr(typed.find('-')), flag.help);
    }
    return text;
}

std::string verb_section(const Verb& verb)
{
    std::string text =
        fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", roff(usage(verb)), roff(verb.summary), roff(usage(verb)));
    if (!verb.text.empty()) text += paragraphs(verb.text);
    for (const Argument& argument : verb.arguments) {
        std::string help(argument.help);
        if (argument.choices) help += fmt::format(": {}", fmt::join(argument.choices(), ", "));
        text += tagged(spelling(argument), help);
    }
    text += flag_tags(verb.flags);
    for (const Example& example : verb.examples)
        text += fmt::format(".PP\n{}:\n.RS\n.nf\n{}\n.fi\n.RE\n", roff(example.says), roff(example.command));
    return text;
}

}  // namespace

std::string man_page(const Program& program)
{
    std::string text =
        fmt::format(".\\\" Printed by cadre help --man.\n.TH CADRE 1 \"\" \"Cadre {}\" \"User Commands\"\n",
                    roff(build_info().version));
    text += ".SH NAME\ncadre \\- run teams of AI agents\n.SH SYNOPSIS\n";
    text += fmt::format(".B {}\n.SH DESCRIPTION\n{}\n", roff(usage(program.root)), roff(program.root.text));
    text += ".SH FLAGS OF EVERY VERB\n" + flag_tags(global_flags());
    for (const VerbGroup& group : verb_groups()) {
        text += fmt::format(".SH \"{}\"\n", roff(group.title));
        for (const std::string_view name : group.verbs)
            if (const Verb* verb = find_verb(program, name)) text += verb_section(*verb);
    }
    text += ".SH EXIT STATUS\n";
    for (const ExitCode& code : exit_codes())
        text += tagged(fmt::format("{} {}", code.number, code.code), code.meaning);
    text += ".SH ENVIRONMENT\n" +
            tagged("CADRE_HOME", "Where tasks and their data are kept; ~/.multi-agent when left out.");
    text += tagged("CADRE_MODEL", "The model of all agents, whatever files say: provider/model, local or script:FILE.");
    text += tagged("CADRE_LOG_LEVEL, LOG_LEVEL", "What is written to the log: debug, info, warning or error.");
    return text + tagged("NO_COLOR", "No colours.");
}

}  // namespace cadre::cli
