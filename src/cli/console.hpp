// The console of a command that runs on a loop: what it prints must not hold up the loop, on which other processes' tasks run
// too, when somebody reads it slowly (`| less`).
#pragma once

#include "base/async_fwd.hpp"
#include "base/pool.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace cadre::cli {

/// What is on its way to a terminal. It is written in one piece and once, also if whoever wanted that was cancelled meanwhile:
/// the next one to write then takes it along.
struct Outbox {
    std::mutex mutex{};
    std::string text{};
};

/// Whoever prints waits until it is printed, so the order is that of the calls of one coroutine. Dies before its loop.
class Console {
public:
    explicit Console(const Output& output);

    /// The result.
    Async<> out(std::string text);
    /// Everything else; as far as that works.
    Async<> err(std::string text);
    /// All of it, to the terminal that standard output is, or else standard error.
    Async<> send(std::shared_ptr<Outbox> outbox);
    /// A line for people, `cadre: …`, safe for a terminal; with --json an object with that member.
    Async<> note(std::string text);

    const Output& output() const { return output_; }
    bool out_is_terminal() const { return out_is_terminal_; }
    bool err_is_terminal() const { return err_is_terminal_; }
    /// Whether lines can be redrawn: standard error is a terminal that can move its cursor.
    bool redraws() const { return redraws_; }
    /// Of the terminal, as it is now; what is usual where there is none.
    TerminalSize size() const;

private:
    const Output& output_;
    bool out_is_terminal_;
    bool err_is_terminal_;
    bool redraws_;
    ThreadPool writer_;
};

}  // namespace cadre::cli
