// Numbers that are looked up when somebody asks for them: tasks by status, open questions, the process.
#pragma once

#include "base/async_fwd.hpp"

namespace cadre::server {

struct Service;

/// Brings them up to date.
Async<> refresh_gauges(Service& service);

}  // namespace cadre::server
