#include "allocations.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

thread_local cadre::bench::Allocations mine;

}  // namespace

void* operator new(std::size_t size)
{
    ++mine.count;
    mine.bytes += size;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace cadre::bench {

Allocations allocations()
{
    return mine;
}

std::size_t heap_in_use()
{
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

}  // namespace cadre::bench
