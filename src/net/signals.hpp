// Signals of the operating system, awaited.
#pragma once

#include "base/async_fwd.hpp"

#include <initializer_list>
#include <memory>

namespace cadre::net {

class Loop;

/// As long as it lives, these signals end nothing: they wait to be taken.
class Signals {
public:
    Signals(Loop& loop, std::initializer_list<int> numbers);
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;
    ~Signals();

    /// The number of the next one.
    Async<int> next();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Waits until the descriptor can be read without blocking, or is at its end. It stays as it is: nobody who shares it notices.
Async<> readable(Loop& loop, int descriptor);

}  // namespace cadre::net
