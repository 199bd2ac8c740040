// A running task on a terminal: the screen's lines, redrawn in place.
#pragma once

#include "base/async_fwd.hpp"
#include "cli/console.hpp"
#include "cli/screen.hpp"

#include <memory>
#include <string>

namespace cadre::cli {

/// Lives on one loop. What is taken is shown by the next draw(); animate() draws again and again.
class LiveView {
public:
    explicit LiveView(Console& console);

    Screen& screen() { return screen_; }
    Instant now() const { return system_clock().instant(); }

    Async<> draw();
    /// For ever; not while it is held.
    Async<> animate();
    /// Everything is final as it stands, and the cursor is at the beginning of a line: something else may be written.
    Async<> settle();
    /// Somebody else writes to the terminal.
    void hold(bool held) { held_ = held; }
    /// These lines, below all others.
    Async<> say(std::string text);

private:
    void put(std::string_view text);

    Console& console_;
    Screen screen_;
    Canvas canvas_;
    bool held_ = false;
    std::shared_ptr<Outbox> outbox_ = std::make_shared<Outbox>();
};

}  // namespace cadre::cli
