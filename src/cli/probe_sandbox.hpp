// The rules behind the probes of what can lock tools in, apart from looking at it.
#pragma once

#include "cli/command.hpp"
#include "cli/probe.hpp"

#include <string>
#include <vector>

namespace cadre::cli {

struct CgroupFacts {
    int version = 0;                         // 2 where it has controllers for us, else 1; 0: none of ours is found
    std::vector<std::string> controllers{};  // of cpu, memory, pids: those we could use
    bool writable = false;
    bool systemd = false;  // which hands out groups of version 2
};

Finding judge_bubblewrap(const Outcome& outcome);
/// `error` is an errno, 0 when a namespace could be made.
Finding judge_user_namespaces(int error, bool root);
/// The ABI that the kernel reports, or minus an errno.
Finding judge_landlock(long abi);
Finding judge_cgroups(const CgroupFacts& cgroups);

}  // namespace cadre::cli
