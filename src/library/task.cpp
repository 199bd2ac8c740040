#include "cadre/task.hpp"

#include "base/timeout.hpp"
#include "library/core.hpp"

#include <algorithm>
#include <utility>

namespace cadre {

using library::Core;
using library::Floor;

namespace {

/// Nothing when time is up first.
Async<std::optional<Outcome>> rest_within(Floor& floor, Id task, bool heard, Millis limit)
{
    try {
        co_return co_await with_timeout(Core::until_rest(floor, task, heard), limit, "waiting for a task");
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
    co_return std::nullopt;
}

}  // namespace

Status Task::status() const
{
    return core_->call([id = id_from(id_)](Floor& floor) { return floor.backend.status(id); });
}

Outcome Task::look() const
{
    return core_->call([id = id_from(id_)](Floor& floor) { return floor.backend.look(id); });
}

Outcome Task::wait() const
{
    const Id id = id_from(id_);
    const bool heard = !library::is_listening_to(id);  // a listener must not wait for itself
    return core_->call([id, heard](Floor& floor) { return Core::until_rest(floor, id, heard); });
}

std::optional<Outcome> Task::wait_for(std::chrono::milliseconds duration) const
{
    const Id id = id_from(id_);
    const bool heard = !library::is_listening_to(id);
    const Millis limit = std::max(duration, Millis(0));
    return core_->call([=](Floor& floor) { return rest_within(floor, id, heard, limit); });
}

Events Task::events(Until until, std::uint32_t after) const
{
    auto feed = opening_ && after == 0 ? opening_->take() : nullptr;
    return Events(feed ? std::move(feed) : core_->open_feed(id_from(id_), after), until);
}

void Task::on_event(std::function<void(const Event&)> on_event) const
{
    if (!on_event) throw Failure(Code::invalid, "a listener needs a function");
    const Id id = id_from(id_);
    auto feed = opening_ ? opening_->take() : nullptr;
    core_->listen(id, feed ? std::move(feed) : core_->open_feed(id, 0), std::move(on_event));
}

void Task::answer(Answer answer, const std::string& question) const
{
    core_->call([id = id_from(id_), question, answer = std::move(answer)](Floor& floor) {
        return floor.backend.answer(id, question, answer);
    });
}

bool Task::cancel(const std::string& reason) const
{
    return core_->call([id = id_from(id_), reason](Floor& floor) { return floor.backend.cancel(id, reason); });
}

void Task::pause() const
{
    core_->call([id = id_from(id_)](Floor& floor) { return floor.backend.pause(id); });
}

void Task::resume() const
{
    core_->call([id = id_from(id_)](Floor& floor) { return floor.backend.resume(id); });
}

void Task::instruct(const std::string& text) const
{
    core_->call([id = id_from(id_), text](Floor& floor) { return floor.backend.instruct(id, text); });
}

Events::Events(std::unique_ptr<library::Feed> feed, Until until) : feed_(std::move(feed)), until_(until)
{}
Events::Events(Events&&) noexcept = default;
Events& Events::operator=(Events&&) noexcept = default;
Events::~Events() = default;

std::optional<Event> Events::next()
{
    return feed_->next(until_);
}

}  // namespace cadre
