// How a fuzz target says what must hold: assert() would vanish from release builds.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#define EXPECT(condition) cadre::fuzz::expect(condition, #condition, __FILE__, __LINE__)

namespace cadre::fuzz {

inline void expect(bool holds, const char* what, const char* file, int line)
{
    if (holds) return;
    std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    std::abort();
}

inline std::string_view text_of(const unsigned char* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

}  // namespace cadre::fuzz
