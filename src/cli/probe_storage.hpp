// The rules behind the probes of the home folder, apart from looking at it.
#pragma once

#include "cli/probe.hpp"

#include <cstdint>
#include <string>

namespace cadre::cli {

struct HomeFacts {
    std::string path{};          // empty: nobody said where home is
    bool has_default = false;    // the default home is another folder, which could take its place
    std::string place{};         // home itself, or what exists above it, where it would be created
    bool exists = false;         // home itself
    bool is_folder = false;      // the place; a link that leads nowhere is none
    bool keeps_files = false;    // the place; /proc and /sys do not
    bool writable = false;       // the place
    bool is_for_others = false;  // home is /, /tmp, a folder of the system
    bool is_ours = false;        // home belongs to the user who runs us
    unsigned permissions = 0;    // of home, as in chmod: 0700
};

Finding judge_home(const HomeFacts& home);
Finding judge_disk(std::uint64_t free_bytes);

}  // namespace cadre::cli
