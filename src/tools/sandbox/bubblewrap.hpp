// How bubblewrap is called: a policy as its arguments.
#pragma once

#include "tools/sandbox/policy.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::tools {

/// Descriptors that bubblewrap reads from.
struct BubblewrapFiles {
    int seccomp = -1;
    int first = -1;
    int passwd = -1;
    int group = -1;
};

/// The first thing that is said on standard error once the sandbox stands and the program is about to start. Before it bubblewrap speaks.
inline constexpr std::string_view kBegun = "\001begun\n";

/// The program that says it, as bubblewrap puts it into the sandbox: see first/main.cpp.
extern const std::string_view kSandboxFirst;

inline constexpr std::string_view kPasswd = "nobody:x:65534:65534:nobody:/tmp:/bin/sh\n";
inline constexpr std::string_view kGroup = "nogroup:x:65534:\n";

/// `bwrap`, its options, and the program. Looks at how this machine's system folders are laid out.
std::vector<std::string> bubblewrap_command(const SandboxPolicy& policy, const BubblewrapFiles& files,
                                            const std::vector<std::string>& program);

/// All that the program gets of an environment, with or without a sandbox.
std::vector<std::string> program_environment(const SandboxPolicy& policy);

}  // namespace cadre::tools
