// Starting a program: fork and exec done right, which posix_spawn cannot do with limits.
#pragma once

#include "net/process.hpp"

#include <string>
#include <sys/types.h>

namespace cadre::net {

/// The caller owns all four descriptors. Ours do not block and are closed on exec.
struct Spawned {
    pid_t pid = 0;
    int pidfd = -1;
    int in = -1;   // to write to
    int out = -1;  // to read from
    int err = -1;
};

/// Where the program is that the plan names; a name with a / is taken as it is. Throws Error(not_found).
std::string find_program(const ProcessPlan& plan);

/// In a group of its own, with default signals and nothing of ours open. It is killed when the thread that started it ends, and
/// adopts what its descendants leave behind, so that its tree stays whole. Throws as Process does.
Spawned spawn(const ProcessPlan& plan);

}  // namespace cadre::net
