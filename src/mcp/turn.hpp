// Turn: one coroutine at a time.
#pragma once

#include "base/signal.hpp"

namespace cadre::mcp {

/// While it lives `busy` is true; afterwards those who wait for it are told.
class Turn {
public:
    Turn(bool& busy, Signal& changed) : busy_(busy), changed_(changed) { busy_ = true; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn()
    {
        busy_ = false;
        changed_.notify();
    }

private:
    bool& busy_;
    Signal& changed_;
};

}  // namespace cadre::mcp
