// What a process and all its descendants take of the machine together.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cadre::tools {

struct TreeUse {
    std::size_t processes = 0;
    std::uint64_t memory = 0;  // bytes that are nobody else's
};

/// Looks at no more than `most` processes. Blocks, briefly.
TreeUse use_of_tree(int pid, std::size_t most);

/// Files in the sandbox's own /tmp and /dev/shm: each takes memory of the kernel, also an empty one. `pid` is the process that
/// has the sandbox below it. Blocks, briefly.
std::size_t scratch_files(int pid);

/// Bytes on the disk of files that have no name any more, but are open there. Blocks, briefly.
std::uint64_t unlinked_bytes(int pid, std::size_t most);

}  // namespace cadre::tools
