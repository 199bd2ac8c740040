#include "engine/delegated_trace.hpp"

#include "base/async.hpp"
#include "storage/store.hpp"

namespace cadre::engine {

Async<> graft_delegated(storage::Store& store, Trace& trace)
{
    for (std::size_t i = 0; i < trace.spans.size(); ++i) {
        const auto child = trace.spans[i].child;
        if (!child) continue;
        const auto below = co_await store.read(*child);
        if (!below.empty()) graft(trace, i, trace_of(below));
    }
}

}  // namespace cadre::engine
