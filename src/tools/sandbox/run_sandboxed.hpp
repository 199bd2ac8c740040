// A program, locked in by bubblewrap: namespaces, a read-only system, seccomp and limits. When the call ends, nothing of it is left.
#pragma once

#include "base/async_fwd.hpp"
#include "tools/sandbox/policy.hpp"
#include "tools/tool.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cadre {
class Pool;
}
namespace cadre::net {
class Loop;
}

namespace cadre::tools {

/// Which limit of the whole ended the program.
enum class SandboxStop : std::uint8_t { time, memory, processes, folder };

struct SandboxOutcome {
    std::string output{}, errors{};  // as much as the policy keeps, from the beginning and the end; valid UTF-8
    int exit_code = 0;               // 128 + signal for one that a signal ended
    std::optional<SandboxStop> stopped{};
    std::vector<std::string> changed{};  // files of the workspace that it wrote, sorted
    Usage usage{};
};

/// Runs `program`, which is looked up in /usr/local/bin, /usr/bin and /bin, with `input` on its standard input. Folders of the policy
/// that do not exist are made (0700). What it put into the workspace stays, unless that became too much: then what is new is removed.
///
/// Throws NotDispatched(unavailable) that says what is missing where the sandbox cannot be set up. Cancelled, or destroyed: everything
/// that it started is killed at once. The same happens when this process is killed. `loop` and `pool` outlive the call.
Async<SandboxOutcome> run_sandboxed(net::Loop& loop, Pool& pool, SandboxPolicy policy, std::vector<std::string> program,
                                    std::string input);

}  // namespace cadre::tools
