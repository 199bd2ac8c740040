// Tasks as spans for a collector: each is told once it has ended.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/id.hpp"
#include "base/log.hpp"
#include "base/signal.hpp"
#include "engine/trace.hpp"
#include "server/otlp.hpp"
#include "storage/store.hpp"

#include <set>
#include <string_view>
#include <vector>

namespace cadre::net {
class Loop;
}

namespace cadre::server {

class Feed;

/// Under what a task's metadata has the trace that asked for it.
inline constexpr std::string_view kTraceKey = "traceparent";

/// Of a task's trace. `traceparent` is that of the request that asked for it; empty: the task is a trace of its own. Ids follow from the
/// task, so that a span that is sent twice is the same. What models and tools said is not in them.
std::vector<OtlpSpan> spans_of(const engine::Trace& trace, std::string_view traceparent);

/// Lives on its loop, as long as feed, store and exporter do at least.
class TaskSpans {
public:
    TaskSpans(net::Loop& loop, Feed& feed, OtlpExporter& exporter, Log log);
    TaskSpans(const TaskSpans&) = delete;
    TaskSpans& operator=(const TaskSpans&) = delete;
    ~TaskSpans();

    /// Tells of those that have ended by now.
    Async<> finish();

private:
    Async<> run();
    Async<> tell_ended();
    Async<> tell(Id task);

    Feed& feed_;
    OtlpExporter& exporter_;
    Log log_;
    std::set<Id> changed_;
    Signal stirred_;
    AsyncScope scope_;  // last: what it spawned uses all of the above
};

}  // namespace cadre::server
