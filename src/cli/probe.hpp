// A probe looks at one property of the machine. doctor runs them all; the lists here are its table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

enum class Status {
    ok,
    warning,  // Cadre works, with less safety or comfort than it could have
    failed,   // Cadre cannot work like this
};

struct Number {
    std::string_view name{};  // `free_bytes`
    std::uint64_t number = 0;
};

struct Finding {
    Status status = Status::ok;
    std::string found{};
    std::string fix{};            // what the person can do; empty when all is well
    std::vector<Number> value{};  // what was measured, for programs
};

struct Probe {
    std::string_view name{};
    Finding (*look)() = nullptr;  // changes nothing, takes milliseconds
};

std::span<const Probe> system_probes();   // probe_system.cpp
std::span<const Probe> storage_probes();  // probe_storage.cpp
std::span<const Probe> sandbox_probes();  // probe_sandbox.cpp
std::vector<Probe> model_probes();        // probe_models.cpp: keys, and servers that variables name

}  // namespace cadre::cli
