// What a person, or a program, sees of a task while it runs.
#pragma once

#include "base/async_fwd.hpp"
#include "base/signal.hpp"
#include "cli/control.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::engine {
struct TaskState;
}

namespace cadre::cli {

class Console;

/// The answer goes to standard output, as it comes if that is a terminal; what the task does on the way goes to standard error.
/// With --json, every event is a line on standard output. Lives on one loop.
class TaskView final : public LineSink {
public:
    /// Events up to and including `seen` are known already.
    TaskView(Console& console, std::uint32_t seen) : console_(console), seen_(seen) {}

    Async<> take(std::string line) override;
    /// The task has completed: what of its answer was not shown yet.
    Async<> finish(const engine::TaskState& state);
    /// Ends a line that was begun.
    Async<> end_line();

    const std::uint32_t& seen() const { return seen_; }

    /// The task stands still until somebody answers.
    bool waiting() const { return waiting_; }
    void answered() { set_waiting(false); }
    /// A question stands on the terminal: should the answer come from elsewhere, that is said.
    void set_asking(bool asking) { asking_ = asking; }
    Async<> until_waiting();
    Async<> until_answered();

private:
    Async<> show_event(const boost::json::value& json);
    Async<> show_chunk(const boost::json::object& chunk);
    void set_waiting(bool waiting);

    Console& console_;
    std::uint32_t seen_;
    bool waiting_ = false;
    bool asking_ = false;
    Signal changed_;
    std::string streamed_;    // of the step that is under way
    std::string cut_;         // the beginning of a character whose end has not come
    bool line_open_ = false;  // the last character on standard output was no newline
};

}  // namespace cadre::cli
