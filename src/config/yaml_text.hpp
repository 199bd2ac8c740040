// What can be said about YAML by looking at its text, and about what its parser says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::config {

/// What is known when the parser gives up.
struct YamlTrouble {
    std::string_view message;              // the parser's
    std::size_t offset;                    // where it noticed, which may be far behind the fault
    std::size_t last;                      // where the last thing begins that it has read
    std::optional<std::size_t> bracket{};  // the innermost '[' or '{' that is open
};

struct YamlFault {
    std::size_t offset;  // where it began
    std::string text;
};

/// What is wrong, in words that say what to do.
YamlFault fault_in(std::string_view text, const YamlTrouble& trouble);

/// The same where the parser goes on: whether the bracket there is never closed.
std::optional<YamlFault> find_open_bracket(std::string_view text, std::size_t bracket);

/// The first character that YAML does not allow, or npos. The parser would take some of them for the end of the file or for
/// another encoding.
std::size_t find_control(std::string_view text);

/// yaml-cpp 0.7 writes the escapes \N and \_ as the bytes 85 and A0 alone, which is not UTF-8; this makes them so.
std::string repaired(std::string_view text);

}  // namespace cadre::config
