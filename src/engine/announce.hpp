// announce: a fact that hangs on how far others of the run have come.
#pragma once

#include "base/async_fwd.hpp"

#include <functional>

namespace cadre::engine {

class Run;
struct Fact;

/// Run::announce, where `complete` fills the fact in just before it is recorded: then everything on record has happened again, so
/// what it sees of others is what they came to. It is not asked when the fact is on record.
Async<> announce_then(Run& run, Fact fact, std::function<void(Fact&)> complete);

/// Run::announce of a fact that the application log has as a line too: when it is recorded, and not again in a replay.
Async<> announce_logged(Run& run, Fact fact);

}  // namespace cadre::engine
