// The rules behind the probes of the machine, apart from looking at it.
#pragma once

#include "base/time.hpp"
#include "cli/probe.hpp"
#include "cli/terminal.hpp"

#include <cstdint>
#include <optional>

namespace cadre::cli {

struct ClockFacts {
    Time now{};
    std::optional<bool> synchronised{};  // unknown where the kernel may not be asked
    Monotonic::duration wall_step{};
    Monotonic::duration step{};
    bool systemd = false;  // which can set the clock
};

Finding judge_open_files(std::uint64_t limit, std::uint64_t hard_limit);
Finding judge_memory(std::uint64_t total, std::uint64_t available);
Finding judge_clock(const ClockFacts& clock);
Finding judge_terminal(const Terminal& terminal);
/// `exact`: the program holds the vocabularies of the public encodings.
Finding judge_tokens(bool exact);

}  // namespace cadre::cli
