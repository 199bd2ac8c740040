// What this machine has to lock programs in with, and what to do where it has not. doctor reports it, the sandbox refuses with it.
#pragma once

#include <string>
#include <string_view>

namespace cadre::tools {

inline constexpr std::string_view kBubblewrapFix = "apt-get install bubblewrap";
inline constexpr std::string_view kSeccompFix = "use a kernel with CONFIG_SECCOMP_FILTER";

/// The errno with which the kernel refuses to make a user namespace; 0: it makes one. Only trying tells, in a process of its own:
/// distributions forbid them in half a dozen ways.
int user_namespace_error();
/// What helps against that errno.
std::string user_namespace_fix(int error);
/// What helps against what bubblewrap said; `error` is user_namespace_error().
std::string bubblewrap_fix(std::string_view said, int error);

bool has_seccomp_filters();

/// The ABI that the kernel reports, or minus an errno.
long landlock_abi();

}  // namespace cadre::tools
