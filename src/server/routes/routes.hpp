// The tables of routes, by what they are about. A room that brings routes of its own has such a table too.
#pragma once

#include "server/route.hpp"

#include <vector>

namespace cadre::server {

std::vector<Route> create_routes();     // POST /tasks
std::vector<Route> task_routes();       // get, list, start, pause, resume, step, continue, intervene, cancel
std::vector<Route> people_routes();     // open questions and answers to them
std::vector<Route> look_routes();       // history, plan, metrics of a task, trace, tree, checkpoints, verify, replay
std::vector<Route> fork_routes();       // fork, budget, breakpoints, export
std::vector<Route> memory_routes();     // what a task remembers
std::vector<Route> session_routes();    // conversations
std::vector<Route> ask_routes();        // questions to data domains
std::vector<Route> message_routes();    // messages of people, answered for their channel
std::vector<Route> channel_routes();    // webhooks of those who carry messages
std::vector<Route> project_routes();    // teams, workflows, agents, models
std::vector<Route> guardrail_routes();  // of teams
std::vector<Route> file_routes();       // what a task has written
std::vector<Route> server_routes();     // health, metrics, version, who am I, schemas, OpenAPI, problems, docs
std::vector<Route> key_routes();        // API keys
std::vector<Route> audit_routes();      // what people did, and were refused
std::vector<Route> stream_routes();     // what happens to a task as it happens: SSE and WebSocket

/// All of them.
std::vector<Route> all_routes();

}  // namespace cadre::server
