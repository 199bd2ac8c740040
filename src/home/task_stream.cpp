#include "home/task_stream.hpp"

#include "base/async.hpp"
#include "engine/numbered_event.hpp"

#include <utility>

namespace cadre::home {

TaskStream::TaskStream(std::unique_ptr<engine::Subscription> events, std::uint32_t after, Listener& listener)
    : events_(std::move(events)), listener_(listener), sent_(after)
{}

TaskStream::~TaskStream() = default;

Async<> TaskStream::say(Told told)
{
    const auto turn = co_await saying_.lock();
    co_await listener_.hear(std::move(told));
}

Async<> TaskStream::send()
{
    while (auto seen = co_await events_->next()) {
        const auto* event = std::get_if<engine::EventPtr>(&*seen);
        const std::uint32_t number = event ? (*event)->number : sent_;
        co_await say(std::visit([](auto& one) { return Told(std::move(one)); }, *seen));
        sent_ = number;
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
