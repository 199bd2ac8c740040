// The verb table. Help, usage lines, parsing, completion, suggestions and docs/reference/cli.md are derived from it: a new
// verb is one entry in verbs.cpp and one function.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

class Args;
struct Output;

struct Argument {
    /// An optional one may stand before a required one, which is then filled first. Repeated: none or more, and the last of its
    /// verb.
    enum class Count { required, optional, repeated };

    std::string_view name{};  // `shell`; people see SHELL
    std::string_view help{};
    Count count = Count::required;
    std::vector<std::string> (*choices)() = nullptr;  // the only values it takes; null: any
};

struct Flag {
    std::string_view name{};  // without its dashes
    char letter = 0;
    std::string_view value{};  // what people see for its value, `FILE`; empty: it takes none
    std::string_view help{};
};

struct Example {
    std::string_view command{};
    std::string_view says{};
};

struct Verb {
    std::string_view name{};
    std::string_view summary{};
    std::vector<Argument> arguments{};
    std::vector<Flag> flags{};
    std::string_view text{};  // paragraphs, an empty line between them
    std::vector<Example> examples{};
    int (*run)(const Args& args, Output& output) = nullptr;  // returns the exit code; failures are thrown
};

struct Program {
    Verb root{};  // `cadre` without a verb
    std::vector<Verb> verbs{};
};

/// The program that main() runs.
const Program& program();

/// Flags that every verb understands.
std::span<const Flag> global_flags();

/// Null when there is none of that name.
const Verb* find_verb(const Program& program, std::string_view name);

/// The flag as it is typed, with the name of its value: `-o, --output FILE`.
std::string spelling(const Flag& flag);
/// The argument as people see it: `SHELL`, `[TOPIC]`, `[FILE...]`.
std::string spelling(const Argument& argument);
/// `cadre completion SHELL [FLAGS]`
std::string usage(const Verb& verb);
/// Where to read on: `cadre help completion`
std::string help_command(const Verb& verb);
/// A command as it is typed here: one that begins with `cadre` begins with program_name() instead.
std::string as_typed(std::string_view command);

}  // namespace cadre::cli
