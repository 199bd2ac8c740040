// Verbs that work on the tasks of a server elsewhere: `--server URL`, or the variable CADRE_SERVER.
#pragma once

#include "cli/verb.hpp"

#include <optional>
#include <string>

namespace cadre::cli {

using RemoteVerb = int (*)(const Args& args, Output& output, const std::string& url);

/// What the verb does to a server's tasks; null: it is about this machine.
RemoteVerb find_remote(std::string_view verb);
/// The server that is meant. `--server` with a verb that is about this machine: Error(invalid); the variable does not concern that one.
std::optional<std::string> server_for(const Verb& verb, const Args& args);

}  // namespace cadre::cli
