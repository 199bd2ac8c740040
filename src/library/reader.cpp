#include "library/reader.hpp"

#include "base/async.hpp"
#include "base/race.hpp"
#include "library/backend.hpp"

#include <utility>

namespace cadre::library {

Reader::Reader(Backend& backend, const Id& task, std::uint32_t after) : backend_(backend), task_(task), seen_(after)
{}

Reader::Reader(Backend& backend, const Id& task, std::unique_ptr<engine::Subscription> from_the_first)
    : backend_(backend), task_(task), events_(std::move(from_the_first))
{}

Reader::~Reader() = default;

Async<std::optional<Event>> Reader::next(Until until)
{
    if (!events_) events_ = co_await backend_.watch(task_, seen_);
    while (true) {
        std::optional<engine::Watched> got;
        bool over = false;
        resting_ = false;
        if (until == Until::end || seen_ < rests_after_) {
            co_await read(got, over);  // there is one, or nothing but the end of the task counts
        } else {
            Race race(co_await this_context());
            race.add(read(got, over));
            race.add(until_rest());
            co_await race.over();
        }
        if (got) {
            auto event = translator_.translated(*got);
            if (event && event->number) seen_ = event->number;
            if (event) co_return event;
        }
        if (over || (resting_ && seen_ >= rests_after_)) co_return std::nullopt;
    }
}

Async<> Reader::read(std::optional<engine::Watched>& got, bool& over)
{
    got = co_await events_->next();
    over = !got;
}

/// A task that rests will have no further events until somebody helps it.
Async<> Reader::until_rest()
{
    rests_after_ = (co_await backend_.until_rest(task_)).last;
    resting_ = true;
}

}  // namespace cadre::library
