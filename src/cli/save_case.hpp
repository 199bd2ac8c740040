// `cadre test --save`: a test made of a run.
#pragma once

#include <optional>
#include <string>

namespace cadre::cli {

struct Output;

/// Adds the task whose id begins with `prefix` as a case to `file`, or else to the one beside its team. Returns the exit code.
int save_case(const std::string& prefix, const std::optional<std::string>& file, const Output& output);

}  // namespace cadre::cli
