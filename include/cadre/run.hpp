// Run: what a pattern may do. Each effect is written down with what came of it, so that a task that is run again after a crash
// gets the outcomes that it had, and goes on where it stopped.
//
//     cadre::Async<std::string> pay(cadre::Run& run)
//     {
//         const cadre::Answer answer = co_await run.ask(run.prompt() + "?");
//         if (!answer.yes) co_return "Not paid: " + answer.text;
//         co_return (co_await run.use("transfer", R"({"to":"Ann"})")).text;
//     }
#pragma once

#include "cadre/async.hpp"
#include "cadre/export.hpp"
#include "cadre/question.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace cadre {

namespace engine {
class Run;
}

/// A model wants a tool called.
struct ToolCall {
    std::string tool{};
    std::string arguments = "{}";  // a JSON object
    std::string id{};              // of a call that a model made
};

/// One turn of a model.
struct Step {
    std::string text{};
    std::vector<ToolCall> calls{};
};

/// What became of a call. A failure is an answer too: for the model, or for the pattern.
struct ToolReply {
    std::string text{};
    bool failed = false;
};

/// One scope of a run: the whole, a node or a parallel branch. One effect at a time. Lives as long as the coroutine that was
/// given it.
class CADRE_API Run {
public:
    explicit Run(engine::Run& run) : run_(run) {}
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    /// What the task was asked to do.
    const std::string& prompt() const;

    /// Adds to the conversation of this scope, which think() shows to the model.
    void tell(std::string text);
    /// One turn of the task's agent.
    Async<Step> think();
    /// The calls of a turn, all at once; their results are told to the model.
    Async<std::vector<ToolReply>> use(std::vector<ToolCall> calls);
    /// One call, by the pattern itself. The task's agent must have been given the tool.
    Async<ToolReply> use(std::string tool, std::string arguments);
    /// Waits for a person as long as it takes. Meanwhile the task is not kept in memory.
    Async<Answer> ask(std::string question);
    Async<> sleep(std::chrono::milliseconds duration);

    /// Runs `body` in a scope of its own. Once it has ended well it never runs again: its recorded result is returned.
    Async<std::string> node(std::string name, std::function<Async<std::string>(Run&)> body);
    /// Runs `body` for all items at once, each in a scope of its own; results in the order of the items.
    Async<std::vector<std::string>> map(std::vector<std::string> items,
                                        std::function<Async<std::string>(Run&, std::string)> body);

private:
    engine::Run& run_;
};

}  // namespace cadre
