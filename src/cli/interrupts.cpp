#include "cli/interrupts.hpp"

#include "base/async.hpp"
#include "base/timeout.hpp"

#include <csignal>
#include <cstdlib>

namespace cadre::cli {

namespace {

constexpr Millis kGrace{10'000};

}

Interrupts::Interrupts(net::Loop& loop, bool hang_ups)
    : signals_(loop, hang_ups ? std::initializer_list<int>{SIGINT, SIGTERM, SIGHUP}
                              : std::initializer_list<int>{SIGINT, SIGTERM}),
      scope_(loop)
{
    scope_.spawn(listen());
}

Async<> Interrupts::listen()
{
    while (true) {
        const int number = co_await signals_.next();
        if (!good_order_ || number_) std::_Exit(exit_code(number));  // the journal bears that
        number_ = number;
        told_.notify();
        if (number == SIGTERM) scope_.spawn(run_out());
    }
}

/// Who sends SIGTERM sends SIGKILL soon.
Async<> Interrupts::run_out()
{
    co_await sleep_for(kGrace);
    std::_Exit(exit_code(number_));
}

Async<> Interrupts::came()
{
    while (!number_) co_await told_.wait();
}

}  // namespace cadre::cli
