// One WebSocket for many tasks: a console would need more connections than browsers open. The client says what it watches:
//     {"op":"watch","id":1,"task":"…","streams":["events","content"],"after":7}      {"op":"unwatch","id":1}
// and what comes carries that id.
#pragma once

#include "base/async_fwd.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::server {

class Call;

/// What a client says.
struct ConsoleRequest {
    std::string op{};  // watch, unwatch
    std::int64_t id = 0;
    std::optional<std::string> task{};
    std::vector<std::string> streams{};  // names of kinds; empty: all that happens, and what models write
    std::optional<std::string> after{};  // as `since` of a stream
    std::optional<std::string> step{};
    std::optional<std::int64_t> offset{};
};
const model::Entity& describe(const ConsoleRequest*);

/// Answers the call, until the client goes.
Async<> stream_console(Call& call);

}  // namespace cadre::server
