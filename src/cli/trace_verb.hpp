// The verb trace.
#pragma once

#include "base/async_fwd.hpp"

namespace cadre::engine {
struct Trace;
}

namespace cadre::cli {

class Args;
class ReadOnlyHome;
struct Output;

int trace(const Args& args, Output& output);

/// Puts tasks that were delegated below what delegated them.
Async<> graft_delegated(ReadOnlyHome& onlooker, engine::Trace& trace);

}  // namespace cadre::cli
