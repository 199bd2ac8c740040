// Ids that follow from where something happens, so that they are the same whenever it is said again.
#pragma once

#include "base/id.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace cadre::engine {

/// The bits of a UUID v4, from a digest instead of chance.
Id derived_id(std::string_view from);

/// `step_` and 32 hex digits: the step of the model call at that path.
std::string step_id_of(const Id& task, std::string_view path);
/// The same of its n-th attempt: each is a step of its own.
std::string step_id_of(const Id& task, std::string_view path, int attempt);
/// The question that is asked at that path.
std::string request_id_of(const Id& task, std::string_view path);
/// `sbx_` and 32 hex digits: where programs that the task's tools run are locked in.
std::string sandbox_id_of(const Id& task);
/// `tc_` and 32 hex digits: the `index`-th call of that step.
std::string call_id_of(std::string_view step, std::size_t index);

}  // namespace cadre::engine
