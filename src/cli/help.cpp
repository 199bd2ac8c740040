#include "cli/help.hpp"

#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/exit_codes.hpp"
#include "cli/help_json.hpp"
#include "cli/layout.hpp"
#include "cli/verb_groups.hpp"
#include "cli/version.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cadre::cli {
namespace {

constexpr std::string_view kExitCodes = "exit-codes";

std::string section(const Paint& paint, std::string_view title, const std::vector<Row>& rows)
{
    return rows.empty() ? "" : "\n" + paint(Tone::bold, title) + "\n" + table(rows);
}

/// All verbs, a title over each group; one column for all of them.
std::string verb_sections(const Program& program, const Paint& paint)
{
    std::size_t width = 0;
    for (const Verb& verb : program.verbs) width = std::max(width, verb.name.size());
    std::string text;
    for (const VerbGroup& group : verb_groups()) {
        std::vector<Row> rows;
        for (const std::string_view name : group.verbs)
            if (const Verb* verb = find_verb(program, name))
                rows.push_back({padded(name, width), std::string(verb->summary)});
        text += section(paint, fmt::format("{}:", group.title), rows);
    }
    return text;
}

std::vector<Row> flag_rows(std::span<const Flag> flags)
{
    std::vector<Row> rows;
    for (const Flag& flag : flags) rows.push_back({spelling(flag), std::string(flag.help)});
    return rows;
}

std::vector<Row> argument_rows(const Verb& verb)
{
    std::vector<Row> rows;
    for (const Argument& argument : verb.arguments) {
        std::string help(argument.help);
        if (argument.choices) help += fmt::format(": {}", fmt::join(argument.choices(), ", "));
        rows.push_back({spelling(argument), help});
    }
    return rows;
}

std::vector<Row> example_rows(const Verb& verb)
{
    std::vector<Row> rows;
    for (const Example& example : verb.examples) rows.push_back({as_typed(example.command), std::string(example.says)});
    return rows;
}

std::string version_line(const Paint& paint)
{
    return paint(Tone::bold, fmt::format("Cadre {}", build_info().version)) + "\n";
}

std::string usage_line(const Verb& verb, const Paint& paint)
{
    return paint(Tone::bold, "Usage:") + " " + as_typed(usage(verb)) + "\n";
}

}  // namespace

std::string welcome_page(const Program& program, const Paint& paint)
{
    return version_line(paint) + "\n" + wrapped(program.root.text) + verb_sections(program, paint) +
           section(paint, "To try:", example_rows(program.root));
}

std::string overview_page(const Program& program, const Paint& paint)
{
    return usage_line(program.root, paint) + verb_sections(program, paint) +
           section(paint, "Flags of every verb:", flag_rows(global_flags())) +
           section(paint, "Flags without a verb:", flag_rows(program.root.flags)) +
           section(paint, "More:",
                   {{as_typed("cadre help VERB"), "One verb in full, with examples"},
                    {as_typed("cadre help exit-codes"), "What the exit codes mean"}});
}

std::string verb_page(const Verb& verb, const Paint& paint)
{
    std::string page = wrapped(verb.summary) + "\n" + usage_line(verb, paint);
    if (!verb.text.empty()) page += "\n" + wrapped(verb.text);
    return page + section(paint, "Arguments:", argument_rows(verb)) + section(paint, "Flags:", flag_rows(verb.flags)) +
           section(paint, "Flags of every verb:", flag_rows(global_flags())) +
           section(paint, "Examples:", example_rows(verb));
}

std::string exit_codes_page(const Paint& paint)
{
    std::vector<Row> rows;
    for (const ExitCode& code : exit_codes())
        rows.push_back({fmt::format("{:<4}{}", code.number, code.code), std::string(code.meaning)});
    return wrapped("The exit code says how a command ended. Beside it: the code that --json names in the error.") +
           section(paint, "Exit codes:", rows);
}

std::vector<std::string> help_topics()
{
    std::vector<std::string> topics;
    for (const Verb& verb : program().verbs) topics.emplace_back(verb.name);
    topics.emplace_back(kExitCodes);
    return topics;
}

void explain(const Program& program, const Verb& verb, const Output& output)
{
    const bool root = &verb == &program.root;
    if (output.json) {
        output.print(root ? to_json(program) : to_json(verb));
    } else {
        output.print(root ? overview_page(program, output.out.paint) : verb_page(verb, output.out.paint));
    }
}

int welcome(const Args& args, Output& output)
{
    if (args.has("version")) return version(args, output);
    if (output.json) {
        output.print(to_json(program()));
    } else {
        output.print(output.quiet ? version_line(output.out.paint) : welcome_page(program(), output.out.paint));
    }
    return 0;
}

int help(const Args& args, Output& output)
{
    const std::string topic = args.find("topic").value_or("");
    if (args.has("markdown") && !output.json) {
        output.print(markdown_page(program()));
    } else if (args.has("man") && !output.json) {
        output.print(man_page(program()));
    } else if (topic == kExitCodes) {
        output.print(output.json ? exit_codes_json() : exit_codes_page(output.out.paint));
    } else {
        explain(program(), topic.empty() ? program().root : *find_verb(program(), topic), output);
    }
    return 0;
}

}  // namespace cadre::cli
