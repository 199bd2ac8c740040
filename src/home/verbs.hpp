// The verbs of a home: one table that the control socket, and every further door that speaks JSON, is made of.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/principal.hpp"

#include <boost/json/fwd.hpp>

#include <span>
#include <string>
#include <string_view>

namespace cadre::model {
struct Entity;
}

namespace cadre::home {

class HomeOwner;
class Listener;

struct Verb {
    std::string_view name;
    engine::Act act;
    const model::Entity& takes;
    const model::Entity& gives;
    bool tells;  // what happens before its answer comes
    /// The answer as JSON. Throws what is wrong with the request, or Leaving. `listener` hears what a verb tells.
    Async<std::string> (*perform)(HomeOwner& owner, engine::Principal by, boost::json::object args, Listener& listener);
};

std::span<const Verb> verbs();
/// Throws Error(invalid) for a name that is none of theirs.
const Verb& get_verb(std::string_view name);

}  // namespace cadre::home
