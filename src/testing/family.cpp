#include "testing/family.hpp"

#include "base/async.hpp"

namespace cadre::testing {

Async<Family> family_of(storage::Store& store, std::vector<storage::Record> records)
{
    Family family{.trace = engine::trace_of(records)};
    family.tasks.push_back(std::move(records));
    engine::Trace& trace = family.trace;
    for (std::size_t i = 0; i < trace.spans.size(); ++i)  // which grows
        if (const auto child = trace.spans[i].child) {
            auto below = co_await store.read(*child);
            if (below.empty()) continue;
            engine::graft(trace, i, engine::trace_of(below));
            family.tasks.push_back(std::move(below));
        }
    co_return family;
}

}  // namespace cadre::testing
