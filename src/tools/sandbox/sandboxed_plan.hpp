// Programs that stay, such as servers, in the sandbox that programs of tools run in.
#pragma once

#include "net/process.hpp"

#include <memory>
#include <string_view>

namespace cadre::tools {

/// How a program that stays is started inside of a sandbox, such as a server: it has the plan's environment, sees `folder` under the same path
/// and cannot change it, and everything that it starts ends with it. `given` lives until it has begun. What bubblewrap and our first process
/// say comes on its standard error; a line of kSandboxBegun is ours. Throws NotDispatched(unavailable) where there is no sandbox.
struct SandboxedPlan {
    net::ProcessPlan plan{};
    std::shared_ptr<const void> given{};
};
SandboxedPlan sandboxed_plan(net::ProcessPlan plan, bool network);

inline constexpr std::string_view kSandboxBegun = "\001begun";

}  // namespace cadre::tools
