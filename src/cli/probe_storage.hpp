// The rules behind the probes of the home folder, apart from looking at it.
#pragma once

#include "cli/probe.hpp"

#include <cstdint>
#include <string>

namespace cadre::cli {

struct HomeFacts {
    std::string path{};  // empty: nobody said where home is
    bool exists = false;
    bool is_folder = false;
    bool is_ours = false;      // belongs to the user who runs us
    bool writable = false;     // when it does not exist: whether it can be created
    unsigned permissions = 0;  // as in chmod: 0700
};

Finding judge_home(const HomeFacts& home);
Finding judge_disk(std::uint64_t free_bytes);

}  // namespace cadre::cli
