#include "cli/live_view.hpp"

#include "base/async.hpp"
#include "base/timeout.hpp"
#include "cli/layout.hpp"

#include <utility>

namespace cadre::cli {
namespace {

constexpr Millis kBetweenFrames{60};

ScreenLook look_of(const Console& console)
{
    const Output& output = console.output();
    return {.paint = console.out_is_terminal() ? output.out.paint : output.err.paint,
            .utf8 = output.utf8,
            .shows_text = console.out_is_terminal()};
}

}  // namespace

LiveView::LiveView(Console& console) : console_(console), screen_(look_of(console), console.size().width)
{}

void LiveView::put(std::string_view text)
{
    const std::lock_guard lock(outbox_->mutex);
    outbox_->text += text;
}

Async<> LiveView::draw()
{
    const TerminalSize size = console_.size();
    const std::string change = canvas_.show(screen_.frame(now(), size), size.width);
    if (change.empty()) co_return;
    put(change);
    co_await console_.send(outbox_);
}

Async<> LiveView::animate()
{
    while (true) {
        if (!held_) co_await draw();
        co_await sleep_for(kBetweenFrames);
    }
}

Async<> LiveView::settle()
{
    const TerminalSize size = console_.size();
    put(canvas_.show(screen_.settled(now(), size), size.width));
    co_await console_.send(outbox_);
}

Async<> LiveView::say(std::string text)
{
    for (const std::string& line : lines_of(std::move(text), console_.size().width - 1)) put(line + "\n");
    co_await console_.send(outbox_);
}

}  // namespace cadre::cli
