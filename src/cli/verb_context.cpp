#include "cli/verb_context.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/race.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "cli/args.hpp"
#include "cli/environment.hpp"
#include "cli/foreground_task.hpp"
#include "cli/here.hpp"
#include "cli/run.hpp"
#include "cli/verb.hpp"
#include "home/project/project.hpp"
#include "storage/sqlite/database.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <optional>
#include <pwd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::cli {
namespace {

/// Whoever gives up the home at once says nothing about it.
constexpr Millis kLongLeave{1000};

}  // namespace

void end_without_journal(const Output& output, const std::exception_ptr& failure)
{
    ::alarm(1);  // should nobody read our words
    int exit = surface(Code::unavailable).exit;
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        exit = report(output, error);
    } catch (...) {
        output.complain("cadre: the journal cannot be written any more\n");
    }
    std::_Exit(exit);
}

VerbContext::VerbContext(const Output& output)
    : console(output),
      session(
          loop, engine::local_user(user_name()), runtime_here(),
          {.warn = [&output](std::string_view text) { output.complain(fmt::format("cadre: {}\n", text)); },
           .journal_failed = [&output](const std::exception_ptr& failure) { end_without_journal(output, failure); }}),
      interrupts(loop)
{}

int VerbContext::run(Async<int> work)
{
    return cadre::run(loop, complete(std::move(work)));
}

Async<int> VerbContext::complete(Async<int> work)
{
    co_return co_await finally(finally(std::move(work), leave()), interrupts.close());
}

Async<> VerbContext::leave()
{
    AsyncScope scope(loop);
    scope.spawn(say_what_is_waited_for());
    co_await finally(session.leave(), scope.close());
}

Async<> VerbContext::say_what_is_waited_for()
{
    co_await sleep_for(kLongLeave);
    if (!console.output().quiet)
        co_await console.note("finishing steps that other terminals wait for; Ctrl-C quits now, and no work is lost");
}

Async<int> VerbContext::see_through(Id task, std::uint32_t seen)
{
    ForegroundTask work(*this, task, seen);
    co_return co_await work.run();
}

Async<> VerbContext::drive(Id task, home::Listener& lines, const std::uint32_t& seen)
{
    home::Drive request{.task = task, .stay = true};
    co_await session.drive(std::move(request), lines, seen);
}

Async<> VerbContext::until_stopped()
{
    co_await interrupts.came();
}

Async<std::optional<int>> VerbContext::drive_to_answer(Id task, home::Listener& lines, const std::uint32_t& seen,
                                                       std::string_view what)
{
    const Interrupts::GoodOrder good_order(interrupts);
    {
        Race race(co_await this_context());
        race.add(drive(task, lines, seen));
        race.add(until_stopped());
        co_await race.over();
    }
    if (!interrupts.number()) co_return std::nullopt;
    co_await session.settle(task);
    co_await console.note(fmt::format("the {} is not answered yet; to have it answered: {}", what,
                                      as_typed("cadre resume " + short_id(task))));
    co_return Interrupts::exit_code(interrupts.number());
}

void expect_deltas(const Args& args, Output& output, std::string_view verb)
{
    if (!args.has("deltas")) return;
    if (!output.json)
        throw UsageError(fmt::format("{}: --deltas is for --json; a terminal shows them anyway", verb),
                         *find_verb(program(), verb));
    output.deltas = true;
}

std::string user_name()
{
    std::array<char, 4096> space;
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(::geteuid(), &entry, space.data(), space.size(), &found) == 0 && found) return found->pw_name;
    return std::to_string(::geteuid());
}

bool has_journal(const std::filesystem::path& home)
{
    std::error_code error;
    return std::filesystem::exists(storage::database_file(home), error);
}

void expect_journal(const std::filesystem::path& home)
{
    if (!has_journal(home))
        throw Error(Code::not_found, "there are no tasks in " + home.string() + " yet; " +
                                         as_typed("cadre run \"Hello\"") + " makes one");
}

}  // namespace cadre::cli
