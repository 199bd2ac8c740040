// cadre doctor: is this machine ready for Cadre, and what to do where it is not?
#pragma once

#include "cli/probe.hpp"

#include <span>
#include <string_view>

namespace cadre::cli {

class Args;
struct Output;

std::string_view name_of(Status status);

/// Runs the probes, prints what they found, returns the exit code: 0 unless one failed.
int examine(std::span<const Probe> probes, const Output& output);

/// The verb.
int doctor(const Args& args, Output& output);

}  // namespace cadre::cli
