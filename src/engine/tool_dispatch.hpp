// ToolDispatch: one tool call while it happens: the time that it may take, what it asks on the way, what of its answer is kept.
#pragma once

#include "engine/memory_use.hpp"
#include "engine/perform.hpp"
#include "engine/run.hpp"
#include "engine/tool_guard.hpp"
#include "tools/tool.hpp"

#include <memory>
#include <string>

namespace cadre::engine {

class ToolDispatch final : public Performer {
public:
    /// All but `tool` outlive it. `path` is the call's own.
    ToolDispatch(RunState& state, const Agent& agent, std::shared_ptr<tools::Tool> tool, const model::Tool& pinned,
                 const model::ToolCall& call, std::string path, std::optional<Millis> limit = {});

    bool must_queue() override { return pinned_.max_parallel && !place_; }
    Async<> ready() override;
    void give_way() override { place_.release(); }
    Async<Answered> attempt(Attempt attempt) override;
    void complete(Answered& answered) override;

    tools::Result result;
    std::optional<MemoryUse> memory;  // what the call did there
    std::optional<Time> started;      // the last attempt, by its record

private:
    Async<tools::Result> dispatch(Attempt attempt);
    Async<GuardVerdict> guard_result();
    /// What does not fit the model is in a file that it can page through; what does not fit the tool's own schema is an error.
    Async<> shape();
    /// Looks at what the call has left in the task's folder.
    Async<> collect(Answered& answered);

    RunState& state_;
    const Agent& agent_;
    std::shared_ptr<tools::Tool> tool_;
    const model::Tool& pinned_;
    const model::ToolCall& call_;
    std::string path_;
    std::optional<Millis> limit_;  // instead of what call and tool say
    std::string guarded_;          // what the guard knows it by
    ToolGuard::Place place_;
    FoundFiles found_;  // by the last attempt
};

/// Below the path of a call: where what it asks on the way is recorded. Each attempt asks anew.
std::string inside_call(const std::string& path);

}  // namespace cadre::engine
