// The rules behind the probes of what can lock tools in, apart from looking at it.
#pragma once

#include "cli/command.hpp"
#include "cli/probe.hpp"

namespace cadre::tools {
struct CgroupPlan;
}

namespace cadre::cli {

Finding judge_bubblewrap(const Outcome& outcome);
/// `error` is an errno, 0 when a namespace could be made.
Finding judge_user_namespaces(int error, bool root);
/// The ABI that the kernel reports, or minus an errno.
Finding judge_landlock(long abi);
/// `systemd`, which hands out groups, runs here.
Finding judge_cgroups(const tools::CgroupPlan& plan, bool systemd);

}  // namespace cadre::cli
