// A pattern of the program around us, as the engine knows patterns.
#pragma once

#include "base/async_fwd.hpp"
#include "cadre/engine.hpp"
#include "model/reply.hpp"

namespace cadre::library {

/// Runs it. A copy: the coroutine lives in it.
Async<model::Reply> reply_of(Pattern pattern, engine::Run& inner);

}  // namespace cadre::library
