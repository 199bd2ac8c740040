// Why somebody has cancelled a task.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"

#include <string>

namespace cadre::storage {
class Store;
}

namespace cadre::engine {

/// What `cadre cancel --reason` said; empty when nobody cancelled the task, or without a reason.
Async<std::string> cancel_reason(storage::Store& store, Id task);

}  // namespace cadre::engine
