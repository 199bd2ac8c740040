#include "home/task_stream.hpp"

#include "base/async.hpp"
#include "engine/commands.hpp"
#include "engine/hub.hpp"
#include "model/write.hpp"

#include <utility>

namespace cadre::home {
namespace {

std::string line_of(const engine::Watched& seen)
{
    if (const auto* event = std::get_if<engine::NumberedEvent>(&seen)) return event_line(event->number, event->json);
    if (const auto* chunk = std::get_if<model::StreamChunk>(&seen))
        return "{\"chunk\":" + model::to_json_text(*chunk) + "}\n";
    return "{\"gap\":true}\n";
}

/// One line at a time, whoever sends it.
class Turn {
public:
    Turn(bool& taken, Signal& moved) : taken_(taken), moved_(moved) { taken_ = true; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn()
    {
        taken_ = false;
        moved_.notify();
    }

private:
    bool& taken_;
    Signal& moved_;
};

}  // namespace

TaskStream::TaskStream(engine::Commands& commands, const Id& task, std::uint32_t after, LineSink& sink)
    : events_(commands.watch(task, after)), sink_(sink), sent_(after)
{}

TaskStream::~TaskStream() = default;

Async<> TaskStream::say(std::string line)
{
    while (saying_) co_await moved_.wait();
    const Turn turn(saying_, moved_);
    co_await sink_.take(std::move(line));
}

Async<> TaskStream::send()
{
    while (const auto seen = co_await events_->next()) {
        co_await say(line_of(*seen));
        if (const auto* event = std::get_if<engine::NumberedEvent>(&*seen)) sent_ = event->number;
        moved_.notify();
    }
    ended_ = true;
    moved_.notify();
}

Async<> TaskStream::until_sent(std::uint32_t number)
{
    while (sent_ < number && !ended_) co_await moved_.wait();
}

}  // namespace cadre::home
