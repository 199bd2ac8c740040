// Pattern: how a task runs. A name with a version, and a coroutine.
#pragma once

#include "base/async_fwd.hpp"
#include "model/reply.hpp"

#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace cadre::engine {

class Run;

struct Pattern {
    std::string name{};  // `react@1`; a change that alters paths or requests is a new version, and the old one stays
    std::function<Async<model::Reply>(Run&)> run{};
};

class Patterns {
public:
    /// Throws Error(conflict) when the name is taken.
    void add(Pattern pattern);
    /// Throws Error(not_found) that names the nearest.
    const Pattern& get(std::string_view name) const;
    /// Null when there is none.
    const Pattern* find(std::string_view name) const;

private:
    std::deque<Pattern> patterns_;  // tasks refer to theirs while others are added
};

}  // namespace cadre::engine
