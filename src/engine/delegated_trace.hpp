// The trace of a task with those of all tasks that it has delegated.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/trace.hpp"

namespace cadre::storage {
class Store;
}

namespace cadre::engine {

/// Puts them below the spans that delegated them. Who may read them is not asked: whoever may read the task may read what it delegated.
Async<> graft_delegated(storage::Store& store, Trace& trace);

}  // namespace cadre::engine
