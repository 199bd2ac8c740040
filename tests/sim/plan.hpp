// Plans: what the tasks of the simulation do. A plan is generated from a number and played by one pattern through Run, so
// that every seed has other nodes, joins, questions and sleeps; what it answers hangs on what its effects returned.
#pragma once

#include "base/async_fwd.hpp"
#include "model/reply.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cadre::engine {
class Run;
}

namespace cadre::sim {

enum class Act : std::uint8_t {
    use,    // one to three calls at once
    bomb,   // a call that fails, and the scope with it
    react,  // think and use until the model is content
    ask,
    nap,    // a sleep in memory
    sleep,  // one that puts the run away
    stamp,  // now and a fresh id, as arguments of a call: they must stay what they were
    slip,   // a call, and then a failure
    node,
    map,
    wonder,  // a question that nobody answers: whoever asks it loses
    // of structure.cpp
    first,
    within,
    collect,
    quorum,
    flow,
    seats,
    meet,
    delegate,
    heed,
    // of seams.cpp
    remember,
    recall,
    message,
    save,
    check,
    compact,
};

struct PlanStep {
    Act act = Act::use;
    std::uint64_t salt = 0;
    std::uint64_t width = 1;                      // calls, or the same node so often
    std::vector<std::vector<PlanStep>> inside{};  // of the node, or of each branch
};

using Plan = std::vector<PlanStep>;

/// Hears what a plan saw that must never be.
struct Watch {
    std::function<void(std::string)> broken{};
};

class Chance;
inline constexpr std::uint64_t kPlans = 1'000'000'000;
Plan plan_of(std::uint64_t number);
/// That of a delegated task, which is smaller.
Plan errand_of(std::uint64_t number);
/// Up to `most` of them.
Plan some_steps(Chance& chance, int depth, std::uint64_t most);
Async<std::string> play(engine::Run& run, const Plan& plan, const Watch& watch);
/// A line a step.
std::string to_text(const Plan& plan);

/// The first call that the plan makes at its top, as its path: what a "new version" of the code leaves out. Empty: none.
std::string first_call(const Plan& plan);

/// Plays the plan that the task's prompt names, `plan 12`. `leaves_out(task)`: skip the first call.
Async<model::Reply> play_plan(engine::Run& run, std::function<bool(const std::string& task)> leaves_out, Watch watch);
std::string prompt_of(std::uint64_t plan);
std::string errand_prompt(std::uint64_t errand);
/// What the prompt asks for.
Plan plan_in(const std::string& prompt);

/// A question has this in its context when nobody will answer it.
inline constexpr const char* kNobody = "nobody";

}  // namespace cadre::sim
