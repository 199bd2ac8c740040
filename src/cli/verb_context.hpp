// What a verb that runs or changes tasks has around it, and what such verbs share.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "cli/console.hpp"
#include "cli/interrupts.hpp"
#include "home/home_link.hpp"
#include "net/loop.hpp"

#include <cstdint>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace cadre::cli {

class Args;

class VerbContext {
public:
    explicit VerbContext(const Output& output);

    /// Runs the verb's work and then gives the home up. Returns its exit code or throws what it threw.
    int run(Async<int> work);

    /// Drives the task until it has ended, or needs somebody's help that is not to be had here, and shows what happens after event
    /// `seen`. Returns the exit code; throws the task's failure.
    Async<int> see_through(Id task, std::uint32_t seen);

    /// Drives a task that answers what was just asked, until it has ended. The exit code where somebody stopped that; `what` was asked.
    Async<std::optional<int>> drive_to_answer(Id task, home::Listener& lines, const std::uint32_t& seen,
                                              std::string_view what);

    net::Loop loop;
    Console console;
    home::HomeLink session;
    Interrupts interrupts;
    std::set<std::string>
        allowed;  // rules that the person has given while this runs: calls that fit are not asked about

private:
    Async<int> complete(Async<int> work);
    Async<> drive(Id task, home::Listener& lines, const std::uint32_t& seen);
    Async<> until_stopped();
    Async<> leave();
    Async<> say_what_is_waited_for();
};

/// What the journal holds is whole; what is in memory is worth nothing any more: ends the process with the failure's exit code.
[[noreturn]] void end_without_journal(const Output& output, const std::exception_ptr& failure);

/// Heeds the flag --deltas of the verb; throws UsageError where it has no use.
void expect_deltas(const Args& args, Output& output, std::string_view verb);

/// The name of the person who runs us.
std::string user_name();

bool has_journal(const std::filesystem::path& home);
/// Throws Error(not_found) when there is no journal yet: verbs about tasks make no home.
void expect_journal(const std::filesystem::path& home);

}  // namespace cadre::cli
