// Ctrl-C and its like: once to stop in good order, twice to stop at once. SIGTERM: in good order within ten seconds.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/signal.hpp"
#include "net/loop.hpp"
#include "net/signals.hpp"

namespace cadre::cli {

/// Lives on its loop; close() before it dies. A signal ends the process, unless somebody sees to good order at that time.
class Interrupts {
public:
    /// `hang_ups`: SIGHUP is one of them, too.
    explicit Interrupts(net::Loop& loop, bool hang_ups = true);
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    /// While one lives, the first signal is only told.
    class GoodOrder {
    public:
        explicit GoodOrder(Interrupts& interrupts) : interrupts_(interrupts) { interrupts_.good_order_ = true; }
        GoodOrder(const GoodOrder&) = delete;
        GoodOrder& operator=(const GoodOrder&) = delete;
        ~GoodOrder() { interrupts_.good_order_ = false; }

    private:
        Interrupts& interrupts_;
    };

    /// 0 as long as none came.
    int number() const { return number_; }
    /// What came is dealt with, and the process goes on: the next one is the first again.
    void forget() { number_ = 0; }
    /// Until one comes.
    Async<> came();
    Async<> close() { return scope_.close(); }

    /// The exit code of a process that the signal ends, by custom.
    static int exit_code(int number) { return 128 + number; }

private:
    Async<> listen();
    Async<> run_out();

    net::Signals signals_;
    bool good_order_ = false;
    int number_ = 0;
    Signal told_;
    AsyncScope scope_;  // last: what it spawned uses all of the above
};

}  // namespace cadre::cli
