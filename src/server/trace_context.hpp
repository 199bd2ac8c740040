// W3C trace context: which trace a request belongs to, so that what happens here is found beside what happened before.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cadre {
class Random;
}

namespace cadre::server {

struct TraceContext {
    std::string trace{};   // 32 hex digits
    std::string parent{};  // the span that asks: 16 hex digits; empty: it begins here
    std::string span{};    // our own
    bool sampled = true;

    bool operator==(const TraceContext&) const = default;
};

/// Of a header `traceparent`; `span` is empty. Nothing for what is malformed, or all zeros.
std::optional<TraceContext> find_trace_context(std::string_view traceparent);
/// That of a request: what it says, or a new trace; with a span of its own.
TraceContext trace_context_of(std::string_view traceparent, Random& random);
/// What is sent on: our span is the parent there.
std::string traceparent_of(const TraceContext& context);

}  // namespace cadre::server
