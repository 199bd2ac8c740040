// What the patterns of the storm have in common.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/pattern.hpp"
#include "model/tool.hpp"

#include <boost/json/object.hpp>

#include <span>
#include <string>

namespace cadre::engine {
class Run;
}

namespace cadre::storm {

/// A tool that counts, and what may be done when nobody knows whether it did.
struct Counted {
    const char* name;
    model::Effect effect;
};

/// Has that tool count.
Async<> count(engine::Run& run, std::string tool, boost::json::object arguments = {});

/// Branches that wait for each other, race, share seats and a budget, and tasks below: structure.cpp.
void add_structure(engine::Patterns& patterns);
std::span<const Counted> tools_of_structure();

}  // namespace cadre::storm
