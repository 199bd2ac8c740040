#include "server/routes/routes.hpp"

#include <iterator>
#include <utility>

namespace cadre::server {

std::vector<Route> all_routes()
{
    std::vector<Route> all;
    for (const auto table : {create_routes, task_routes, people_routes, look_routes, fork_routes, memory_routes,
                             session_routes, ask_routes, message_routes, channel_routes, project_routes,
                             guardrail_routes, file_routes, key_routes, audit_routes, server_routes, stream_routes}) {
        std::vector<Route> routes = table();
        std::move(routes.begin(), routes.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace cadre::server
