#include "server/task_spans.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/timeout.hpp"
#include "engine/task_state.hpp"
#include "net/loop.hpp"
#include "server/feed.hpp"
#include "server/trace_context.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace cadre::server {
namespace {

constexpr std::size_t kSpanBytes = 8;
/// Tasks that stir are looked at together, this long after the first.
constexpr Millis kGather{500};
constexpr std::size_t kMostChanged = 10'000;

std::string span_id(const Id& task, std::string_view path, std::size_t number)
{
    const Hash hash = sha256(fmt::format("{}\n{}\n{}", to_string(task), path, number));
    std::string id;
    append_hex(id, std::span(hash).first(kSpanBytes));
    return id;
}

std::string trace_id(const Id& task)
{
    std::string id;
    append_hex(id, task.bytes);
    return id;
}

/// As the conventions for generative AI name it.
struct SpanName {
    std::string operation{};  // empty: they have no word for it
    std::string name{};
};

SpanName span_name(const engine::Span& span)
{
    using engine::SpanKind;
    switch (span.kind) {
    case SpanKind::task: return {"invoke_agent", "invoke_agent " + span.name};
    case SpanKind::step: return {"chat", "chat " + span.name};
    case SpanKind::call: return {"execute_tool", "execute_tool " + span.name};
    case SpanKind::delegate: return {"invoke_agent", "invoke_agent " + span.name};
    default: return {"", fmt::format("{} {}", engine::name_of(span.kind), span.name)};
    }
}

OtlpSpan span_from(const engine::Span& span, const Id& task, Time last)
{
    const SpanName what = span_name(span);
    OtlpSpan out{.name = what.name, .begin = span.begin, .end = std::max(span.begin, span.end.value_or(last))};
    if (span.kind == engine::SpanKind::step) out.kind = OtlpSpan::Kind::client;
    if (span.status == engine::SpanStatus::failed) out.error = "failed";
    if (span.status == engine::SpanStatus::cancelled) out.error = "cancelled";
    auto& attributes = out.attributes;
    attributes.emplace_back("cadre.task", to_string(task));
    attributes.emplace_back("cadre.kind", std::string(engine::name_of(span.kind)));
    if (!what.operation.empty()) attributes.emplace_back("gen_ai.operation.name", what.operation);
    if (!span.agent.empty()) attributes.emplace_back("gen_ai.agent.name", span.agent);
    if (span.kind == engine::SpanKind::call) attributes.emplace_back("gen_ai.tool.name", span.name);
    if (span.usage.input + span.usage.output > 0) {
        attributes.emplace_back("gen_ai.usage.input_tokens", span.usage.input);
        attributes.emplace_back("gen_ai.usage.output_tokens", span.usage.output);
    }
    if (span.attempts > 1) attributes.emplace_back("cadre.attempts", std::int64_t{span.attempts});
    if (!out.error.empty()) attributes.emplace_back("error.type", out.error);
    return out;
}

}  // namespace

std::vector<OtlpSpan> spans_of(const engine::Trace& trace, std::string_view traceparent)
{
    const auto context = find_trace_context(traceparent);
    std::vector<OtlpSpan> spans;
    if (context && !context->sampled) return spans;
    std::vector<std::string> above;  // ids of the spans around the next one, by depth
    for (std::size_t i = 0; i < trace.spans.size(); ++i) {
        const engine::Span& span = trace.spans[i];
        OtlpSpan out = span_from(span, trace.task, trace.last);
        out.trace = context ? context->trace : trace_id(trace.task);
        out.id = span_id(trace.task, span.path, i);
        above.resize(std::min<std::size_t>(above.size(), static_cast<std::size_t>(span.depth)));
        if (!above.empty()) out.parent = above.back();
        else if (context) out.parent = context->parent;
        above.push_back(out.id);
        spans.push_back(std::move(out));
    }
    return spans;
}

TaskSpans::TaskSpans(net::Loop& loop, Feed& feed, OtlpExporter& exporter, Log log)
    : feed_(feed), exporter_(exporter), log_(std::move(log)), scope_(loop)
{
    feed_.set_watcher([this](const Id& task) {
        if (changed_.size() < kMostChanged) changed_.insert(task);
        stirred_.notify();
    });
    scope_.spawn(run());
}

TaskSpans::~TaskSpans()
{
    feed_.set_watcher({});
}

Async<> TaskSpans::run()
{
    while (true) {
        while (changed_.empty()) co_await stirred_.wait();
        co_await sleep_for(kGather);
        co_await tell_ended();
    }
}

Async<> TaskSpans::tell_ended()
{
    const std::set<Id> changed = std::exchange(changed_, {});
    for (const Id& task : changed) {
        const auto entry = co_await feed_.store().find_task(task);
        if (!entry || entry->open) continue;
        std::string trouble;
        try {
            co_await tell(task);
        } catch (const Error& error) {
            trouble = error.what();
        }
        if (!trouble.empty()) log_.warning("a task cannot be told to the collector", {{"what", trouble}});
    }
}

Async<> TaskSpans::tell(Id task)
{
    const auto records = co_await feed_.store().read(task);
    if (records.empty()) co_return;
    const engine::TaskState state = engine::fold(records);
    std::string traceparent;
    if (const auto* given = state.spec.metadata.if_contains(kTraceKey); given && given->is_string())
        traceparent = given->get_string();
    for (OtlpSpan& span : spans_of(engine::trace_of(records), traceparent)) exporter_.add(std::move(span));
}

Async<> TaskSpans::finish()
{
    co_await scope_.close();
    co_await tell_ended();
}

}  // namespace cadre::server
