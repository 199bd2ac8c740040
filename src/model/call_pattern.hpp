// Patterns of calls, as rules name them: `write_file`, `files.*`, `shell:command=git *`.
#pragma once

#include "model/permissions.hpp"
#include "model/tool.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {

/// Whether `text` is what `glob` stands for: `*` is any text, everything else itself.
bool fits(std::string_view glob, std::string_view text);

/// Whether the call is one of those that `pattern` means. Behind the name may follow `:argument=glob`, more than once: all must
/// fit; one that is missing fits nothing. Paths fit as they are written and as tools resolve them, numbers by their value, lists
/// also by each of their elements, everything else as compact JSON.
bool is_meant(std::string_view pattern, std::string_view tool, const boost::json::object& arguments);

/// The pattern of the tool's name, without those of arguments.
std::string_view tool_part(std::string_view pattern);
/// The arguments that it names.
std::vector<std::string> arguments_in(std::string_view pattern);
/// Why it can mean nothing; nothing when it can.
std::optional<std::string> pattern_problem(std::string_view pattern);

/// The rule that forbids the call; nothing: none does.
std::optional<std::string> find_denial(const Permissions& rules, const Tool& tool,
                                       const boost::json::object& arguments);

/// What the rules say of the call, or else the tool itself; a tool that says nothing is allowed.
Permission permission_of(const Permissions& rules, const Tool& tool, const boost::json::object& arguments);

}  // namespace cadre::model
