// A trace: what a journal says about who did what, when and for how long, as nested spans. A pure function of the records.
#pragma once

#include "base/id.hpp"
#include "llm/model.hpp"
#include "model/event.hpp"
#include "storage/record.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

enum class SpanKind : std::uint8_t {
    task,
    node,      // a part of the run, or one of its parallel branches
    step,      // a model call
    call,      // a tool call
    question,  // to a person
    delegate,  // another task does it
    sleep,
    pause,
    gap,   // nobody drove the task: its process had ended
    fact,  // what a team announced: a handoff, a vote, its plan; it takes no time
};
std::string_view name_of(SpanKind kind);

enum class SpanStatus : std::uint8_t { open, done, failed, cancelled };
std::string_view name_of(SpanStatus status);

struct Span {
    SpanKind kind = SpanKind::task;
    SpanStatus status = SpanStatus::open;
    int depth = 0;  // 0: the task
    std::string path{};
    std::string name{};   // of the agent, tool or node; why it was paused
    std::string agent{};  // who made the call or asked
    Time begin{};
    std::optional<Time> end{};
    int attempts = 1;
    llm::Usage usage{};    // of this span and all in it
    std::string input{};   // the prompt, a call's arguments as JSON, a question
    std::string output{};  // the answer, a result, what a model wrote
    std::string error{};
    bool is_named = false;             // a node of a workflow, an item of a plan, or a turn, branch or try in one
    std::vector<std::string> after{};  // nodes that this one waited for, as far as they counted
    bool joins = false;                // these: several, or as many as had to come
    std::string model{};               // that answered a step
    std::vector<std::string> calls{};  // tools that a step asked for
    std::optional<Id> child{};         // of `delegate`
    std::optional<model::Event>
        event{};  // of `fact`, where it was told as one; else `output` is what was announced, as JSON

    /// Of one that is open, until `now`.
    Millis lasted(Time now) const { return end.value_or(std::max(now, begin)) - begin; }
    bool operator==(const Span&) const = default;
};

struct Trace {
    Id task{};
    /// Each before those in it, and those in the order in which they began; the first is the task.
    std::vector<Span> spans{};
    /// When the last thing happened that is known.
    Time last{};

    bool operator==(const Trace&) const = default;
};

/// Of a whole journal. Throws Error(unavailable) when a body cannot be read.
Trace trace_of(std::span<const storage::Record> records);

/// Puts the trace of a task that was delegated below the span that delegated it.
void graft(Trace& trace, std::size_t delegate, const Trace& child);

}  // namespace cadre::engine
