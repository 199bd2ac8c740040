// The console of a command that runs on a loop: what it prints must not hold up the loop, on which other processes' tasks run
// too, when somebody reads it slowly (`| less`).
#pragma once

#include "base/async_fwd.hpp"
#include "base/pool.hpp"
#include "cli/output.hpp"

#include <cstddef>
#include <string>

namespace cadre::cli {

/// Whoever prints waits until it is printed, so the order is that of the calls of one coroutine. Dies before its loop.
class Console {
public:
    explicit Console(const Output& output);

    /// The result.
    Async<> out(std::string text);
    /// Everything else; as far as that works.
    Async<> err(std::string text);
    /// A line for people, `cadre: …`, safe for a terminal; with --json an object with that member.
    Async<> note(std::string text);

    const Output& output() const { return output_; }
    bool out_is_terminal() const { return out_is_terminal_; }
    bool err_is_terminal() const { return err_is_terminal_; }
    /// Columns of the terminal on standard error, or a usual number of them.
    std::size_t width() const { return width_; }

private:
    const Output& output_;
    bool out_is_terminal_;
    bool err_is_terminal_;
    std::size_t width_;
    ThreadPool writer_;
};

}  // namespace cadre::cli
