#include "model/machine.hpp"

#include "model/call.hpp"
#include "model/checkpoint.hpp"
#include "model/session.hpp"
#include "model/status.hpp"
#include "model/task.hpp"
#include "model/wire_name.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace cadre;
using namespace cadre::model;
using cadre::test::error_of;

namespace {

/// Every pair of states: those in `allowed`, written `from>to`, may follow each other; all others are refused.
template <class State>
void check_all_pairs(const Machine<State>& machine, const std::set<std::string>& allowed)
{
    std::size_t moves = 0;
    for (const EnumName& from : machine.names()) {
        for (const EnumName& to : machine.names()) {
            const std::string from_name(find_name(machine.names(), from.value));
            const std::string to_name(find_name(machine.names(), to.value));
            if (from.name != from_name || to.name != to_name) continue;  // a second spelling
            CAPTURE(from_name);
            CAPTURE(to_name);
            const bool allows = allowed.contains(from_name + ">" + to_name);
            const auto a = static_cast<State>(from.value);
            const auto b = static_cast<State>(to.value);
            CHECK(machine.allows(a, b) == allows);
            moves += allows;
            if (allows) CHECK(machine.next(a, b) == b);
            else
                CHECK(error_of([&] { machine.next(a, b); }) ==
                      doctest::Contains(("cannot go from " + from_name + " to " + to_name).c_str()));
        }
    }
    CHECK(moves == allowed.size());  // nothing in `allowed` is misspelt
}

}  // namespace

TEST_CASE("a task moves as its table says, and every other move is a conflict")  // TASK-16 U
{
    check_all_pairs(task_machine(), {"pending>running", "pending>cancelled", "running>paused", "running>waiting",
                                     "running>completed", "running>failed", "running>cancelled", "paused>running",
                                     "paused>cancelled", "waiting>running", "waiting>cancelled"});
    CHECK(error_of([] { task_machine().next(TaskStatus::completed, TaskStatus::running); }) ==
          "conflict: a task cannot go from completed to running; completed is final");
    CHECK(error_of([] { task_machine().next(TaskStatus::pending, TaskStatus::completed); }) ==
          "conflict: a task cannot go from pending to completed; only to running or cancelled");
}

TEST_CASE("a sub-agent session ends once")  // SUB-11 U
{
    check_all_pairs(sub_agent_machine(), {"running>completed", "running>failed"});
}

TEST_CASE("a tool call is pending, then in progress, then over")  // TOOL-46 U
{
    check_all_pairs(call_machine(),
                    {"pending>in_progress", "in_progress>completed", "in_progress>failed", "in_progress>timeout"});
}

TEST_CASE("a message workflow goes through its phases, refines at most on the way, and a failure is answered too")
{
    check_all_pairs(phase_machine(),
                    {"created>planning",     "planning>extracting",   "planning>composing",  "extracting>composing",
                     "composing>formatting", "formatting>validating", "validating>refining", "validating>sending",
                     "refining>formatting",  "refining>sending",      "sending>completed",   "created>failed",
                     "planning>failed",      "extracting>failed",     "composing>failed",    "formatting>failed",
                     "validating>failed",    "refining>failed",       "sending>failed",      "failed>completed"});
}

TEST_CASE("a checkpoint is answered once")
{
    check_all_pairs(checkpoint_machine(), {"created>awaiting_human", "awaiting_human>resumed"});
}

TEST_CASE("an idle conversation can be resumed")
{
    check_all_pairs(conversation_machine(), {"Created>Active", "Created>Idle", "Active>Idle", "Idle>Active"});
}
