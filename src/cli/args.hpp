// What the person typed after `cadre`, understood with the verb table.
#pragma once

#include "base/error.hpp"
#include "cli/verb.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

/// Values by the name of their argument or flag; a flag without a value holds an empty one each time it was given.
class Args {
public:
    void add(std::string_view name, std::string value);

    bool has(std::string_view name) const { return values_.contains(name); }
    /// The last value given, as is usual for a flag given twice.
    std::optional<std::string> find(std::string_view name) const;
    /// The same, for what the table makes sure is there: a required argument.
    std::string operator[](std::string_view name) const { return find(name).value(); }
    /// All values, in the order given.
    std::vector<std::string> all(std::string_view name) const;

private:
    std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

struct Command {
    const Verb* verb = nullptr;
    Args args{};
};

/// What was typed has no meaning. The text says why; beside it, as commands: the usage line and where to read on.
struct UsageError : Error {
    UsageError(const std::string& text, const Verb& verb);

    std::string usage{};
    std::string help{};
};

/// Understands `words` (without the program's name) or throws UsageError. Flags may stand anywhere; `--` ends them.
/// `--flag VALUE`, `--flag=VALUE`, `-f VALUE` and `-fVALUE` are the same; a value may begin with `-` unless it is itself a
/// flag of the verb. Who asks for help gets it: what else is wrong then does not matter.
Command parse_command(const Program& program, std::span<const std::string> words);

/// Whether a global flag is among the words, even when the rest of them has no meaning.
bool asks_for(std::string_view global_flag, std::span<const std::string> words);

}  // namespace cadre::cli
