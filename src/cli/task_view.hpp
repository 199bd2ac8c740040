// What a person, or a program, sees of a task while it runs.
#pragma once

#include "base/async_fwd.hpp"
#include "base/signal.hpp"
#include "cli/live_view.hpp"
#include "cli/text_stream.hpp"
#include "home/telling.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {
struct TaskState;
}

namespace cadre::cli {

/// The answer goes to standard output, as it comes if that is a terminal; what the task does on the way goes to standard error.
/// With --json, every event is a line on standard output. On a terminal that can redraw lines it is a LiveView. Lives on one
/// loop.
class TaskView final : public home::Listener {
public:
    /// Events up to and including `seen` are known already.
    TaskView(Console& console, std::uint32_t seen);

    bool redraws() const { return live_.has_value(); }
    /// What happened before, so that what comes can be understood. For one that redraws.
    void remember(const std::vector<engine::EventPtr>& events);
    Async<> hear(home::Told told) override;
    /// The task has completed: what of its answer was not shown yet, and what it used.
    Async<> finish(const engine::TaskState& state);
    /// Ends a line that was begun.
    Async<> end_line();
    /// Shows what moves, for ever.
    Async<> animate();
    /// Whether somebody else writes to the terminal: nothing is shown meanwhile.
    void hold(bool held);

    /// Stands below what is live until that ends; false where nothing is live: then it is for the caller to say.
    bool set_footer(std::string text);

    const std::uint32_t& seen() const { return seen_; }

    /// The task stands still until somebody answers.
    bool waiting() const { return waiting_; }
    /// To what.
    const home::WaitsForPerson& question() const { return question_; }
    void answered() { set_waiting(false); }
    /// A question stands on the terminal: should the answer come from elsewhere, that is said.
    void set_asking(bool asking) { asking_ = asking; }
    Async<> until_waiting();
    Async<> until_answered();

private:
    Async<> show(engine::EventPtr event);
    Async<> show(model::StreamChunk chunk);
    Async<> show_in_lane(const model::StreamChunk& chunk);
    Async<> end_lane(std::string step);
    Async<> show_rest(const model::AgentCompleteEvent& end);
    Async<> say_elsewhere(const model::Event& next);
    Async<> summarize(const engine::TaskState& state);
    void set_waiting(bool waiting);

    Console& console_;
    std::uint32_t seen_;
    bool waiting_ = false;
    home::WaitsForPerson question_;
    bool asking_ = false;
    Signal changed_;
    std::optional<LiveView> live_;
    std::string streamed_;  // of the step that is under way, where there is no live view
    TextStream stream_;
    bool line_open_ = false;  // the last character on standard output was no newline
    struct Lane {
        std::string name{};
        TextStream stream{};
        std::string text{};  // of the line that has begun
    };
    std::set<std::string> at_work_;                    // steps, where there is no live view
    std::map<std::string, std::size_t> written_;       // of each of these, bytes that have come
    std::set<std::string> lossy_;                      // of these, steps that pieces are missing of
    std::optional<model::AgentCompleteEvent> unsaid_;  // what was written last, which may be the answer
    std::map<std::string, Lane> lanes_;                // of those that write at the same time
    std::string node_;                                 // of a workflow, whose title was written last
};

}  // namespace cadre::cli
