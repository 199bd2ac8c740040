#include "server/trace_context.hpp"

#include "base/random.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::server;

TEST_CASE("trace context: what a header says is kept, and what is malformed begins a new trace")
{
    const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736", span = "00f067aa0ba902b7";
    const std::string good = "00-" + trace + "-" + span + "-01";
    const auto found = find_trace_context(good);
    REQUIRE(found);
    CHECK(*found == TraceContext{.trace = trace, .parent = span, .sampled = true});
    CHECK(find_trace_context("00-" + trace + "-" + span + "-00")->sampled == false);
    CHECK(find_trace_context("01-" + trace + "-" + span + "-01-more"));
    const std::string bad[] = {"",
                               "00",
                               good + "x",
                               good + "-more",
                               "ff-" + trace + "-" + span + "-01",
                               "00-" + std::string(32, '0') + "-" + span + "-01",
                               "00-" + trace + "-" + std::string(16, '0') + "-01",
                               "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + span + "-01",
                               "00_" + trace + "-" + span + "-01",
                               "00-" + trace + "-" + span + "-0g"};
    for (const std::string& text : bad) {
        CAPTURE(text);
        CHECK(!find_trace_context(text));
        const TraceContext fresh = trace_context_of(text, system_random());
        CHECK(fresh.trace != trace);
        CHECK(fresh.parent.empty());
    }
    const TraceContext own = trace_context_of(good, system_random());
    CHECK(own.trace == trace);
    CHECK(own.parent == span);
    CHECK(own.span != span);
    CHECK(find_trace_context(traceparent_of(own))->parent == own.span);
}
