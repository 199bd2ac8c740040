#include "mcp/mock/tasks.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::mcp::mock {

namespace {

constexpr std::size_t kMost = 1000;
constexpr std::int64_t kShortestPoll = 50;
/// They are kept for as long as there is room, which is longer.
constexpr std::int64_t kKept = 3'600'000;

}  // namespace

std::string_view Task::status(Instant now) const
{
    return cancelled ? "cancelled" : now < due() ? "working" : "completed";
}

std::string Task::message(Instant now) const
{
    const auto passed = std::chrono::floor<Millis>(now - begun).count();
    const std::int64_t step = lasts.count() > 0 ? passed * steps / lasts.count() : steps;
    return fmt::format("step {} of {}", std::clamp<std::int64_t>(step, 0, steps), steps);
}

json::object to_object(const Task& task, Era era, const Clock& clock)
{
    const Instant now = clock.instant();
    const bool modern = era == Era::modern;
    const std::string_view status = task.status(now);
    json::object out{{"taskId", task.id},
                     {"status", status},
                     {"statusMessage", task.message(now)},
                     {"createdAt", to_iso(task.created)},
                     {"lastUpdatedAt", to_iso(clock.now())}};
    out[modern ? "ttlMs" : "ttl"] = kKept;
    out[modern ? "pollIntervalMs" : "pollInterval"] = std::max(kShortestPoll, task.lasts.count() / task.steps);
    if (modern && status == "completed") out["result"] = task.result;
    return out;
}

Task& Tasks::begin(Task task)
{
    if (tasks_.size() >= kMost) tasks_.erase(tasks_.begin());
    const std::int64_t number = ++last_;
    task.id = fmt::format("task-{}", number);
    return tasks_[number] = std::move(task);
}

Task* Tasks::find(std::string_view id)
{
    const auto found = std::ranges::find_if(tasks_, [&](const auto& one) { return one.second.id == id; });
    return found == tasks_.end() ? nullptr : &found->second;
}

}  // namespace cadre::mcp::mock
