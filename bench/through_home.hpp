// The same work as a user's program does it: a project in a folder, a home, and tasks that are started through the public library.
#pragma once

#include <string>
#include <vector>

namespace cadre::bench {

/// CPU of this process in microseconds for each call of the tool `echo` of an MCP server over stdio, one after the other by one task; one
/// number a round, after one that is not counted. The home is in a temporary folder, or in memory.
std::vector<double> calls_through_home(const std::vector<std::string>& server, int calls, int rounds, bool durable);

/// The same for each task of one agent, one tool call and two model calls, `at_once` of `tasks` at a time. `vendor` is the address of a
/// model that asks for the tool `look`.
std::vector<double> tasks_through_home(const std::string& vendor, int tasks, int at_once, int rounds, bool durable);

}  // namespace cadre::bench
