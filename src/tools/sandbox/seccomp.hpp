// Which system calls a sandboxed program may not make: a BPF program for the kernel, assembled here.
#pragma once

#include <string>

namespace cadre::tools {

/// As bubblewrap's --seccomp reads it. With `network` the program shares our network namespace, and so the abstract sockets of
/// everybody on this machine: then it gets no sockets of that family.
std::string seccomp_program(bool network);

}  // namespace cadre::tools
