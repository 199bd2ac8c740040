// Where in a run something happened, as records have it: `review/2/use:1.0` is a call in the second visit of the node `review`.
#pragma once

#include "storage/record.hpp"

#include <string_view>

namespace cadre::engine {

/// Whether the record is one of those that say how the effect or node at its path began, went and ended: what a replay finds
/// there, what a fork takes over with it, and what a trace makes a span of. What came too late, or is for people only, is not.
bool belongs_to_effect(const storage::Record& record);

/// `use` of `review/use:1.0`.
std::string_view effect_in(std::string_view path);
/// The path of what `path` lies in: `a/2/think:1` lies in `a/2`, that in nothing, because the 2 counts visits of `a`.
std::string_view outside(std::string_view path);
/// Whether `path` is that of something in the node: `review/2/think:1` is in `review/2`, not in the first visit `review`.
bool lies_in(std::string_view path, std::string_view node);
/// Where the call begins that a path is, or lies below: at `use:2.1` of `a/b/use:2.1/ask:1`; npos: it is none.
std::size_t call_in(std::string_view path);
/// `a/b/` of `a/b/use:2.1/ask:1` and of `a/b/think:1`: the scope whose turn an effect belongs to.
std::string_view turn_scope(std::string_view path);
bool is_number(std::string_view part);

}  // namespace cadre::engine
