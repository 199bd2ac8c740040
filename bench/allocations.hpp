// Counts what goes through operator new, in programs that link allocations.cpp.
#pragma once

#include <cstddef>

namespace cadre::bench {

struct Allocations {
    std::size_t count = 0;
    std::size_t bytes = 0;
};
/// Of this thread, since it began.
Allocations allocations();

/// Bytes of the heap that are in use now, as the allocator counts them, of all threads.
std::size_t heap_in_use();

}  // namespace cadre::bench
