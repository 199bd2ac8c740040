// The machine that a benchmark runs on, and the program that was built beside it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace cadre::bench {

inline void say_load()
{
    double load[3] = {};
    if (::getloadavg(load, 3) == 3) std::printf("load of the machine: %.1f\n", load[0]);
}

/// `cadre`: $CADRE_BIN, or what was built together with this benchmark.
inline std::filesystem::path find_program()
{
    if (const char* given = std::getenv("CADRE_BIN")) return given;
    return std::filesystem::canonical("/proc/self/exe").parent_path().parent_path() / "cadre";
}

/// Ends the benchmark, which makes no sense without that.
inline void require(const std::filesystem::path& file, const char* fix)
{
    if (std::filesystem::exists(file)) return;
    std::fprintf(stderr, "%s is not there; %s\n", file.c_str(), fix);
    std::exit(1);
}

}  // namespace cadre::bench
