#include "server/feed.hpp"

#include "base/async.hpp"
#include "engine/numbered_event.hpp"
#include "engine/task_state.hpp"
#include "model/write.hpp"

#include <algorithm>
#include <utility>

namespace cadre::server {

std::size_t FeedEvent::size() const
{
    std::size_t bytes = sizeof(FeedEvent) + json.size();
    for (const engine::StepEnd& end : ends) bytes += sizeof(end) + end.text.size();
    return bytes;
}

std::vector<FeedEventPtr> rendered(std::vector<engine::JournaledEvent> told)
{
    std::vector<FeedEventPtr> events;
    events.reserve(told.size());
    for (engine::JournaledEvent& one : told)
        events.push_back(std::make_shared<FeedEvent>(FeedEvent{.number = one.event->number,
                                                               .type = model::type_of(one.event->event),
                                                               .json = model::to_json_text(one.event->event),
                                                               .ends = std::move(one.ends)}));
    return events;
}

// ---- one task ----

FeedTask::FeedTask(Feed& feed, const engine::TaskState& state)
    : feed_(feed),
      id_(state.id),
      tenant_(state.tenant),
      next_seq_(state.end.seq + 1),
      counted_(state.end.event_seq),
      ended_(state.finished())
{
    feed_.tasks_.emplace(id_, this);
    for (engine::WrittenStep& step : feed_.hub_.written(id_)) {
        if (step.too_long) missed_.insert(step.text.step_id);
        if (step.text.text.empty()) continue;
        feed_.bytes_ += step.text.text.size();
        texts_[step.text.step_id] = {.agent = std::move(step.text.agent_name),
                                     .after = step.after,
                                     .text = std::move(step.text.text),
                                     .at = step.text.timestamp};
    }
}

FeedTask::~FeedTask()
{
    while (!events_.empty()) drop_oldest();
    for (const auto& [step, text] : texts_) feed_.bytes_ -= text.text.size();
    feed_.tasks_.erase(id_);
}

void FeedTask::tell() noexcept
{
    ++changes_;
    changed_.notify();
    for (Signal* const ear : ears_) ear->notify();
}

void FeedTask::on_durable() noexcept
{
    stale_ = true;
    tell();
}

void FeedTask::on_chunk(const model::StreamChunk& chunk, std::uint32_t events)
{
    if (chunk.progress || chunk.throttled_until) {
        notices_.push_back({++last_notice_, chunk});
        if (notices_.size() > feed_.limits_.notices) notices_.pop_front();
        return tell();
    }
    auto place = texts_.find(chunk.step_id);
    if (place == texts_.end()) {
        if (chunk.is_final || chunk.text.empty() || missed_.contains(chunk.step_id)) return;  // the outcome has it
        place = texts_.emplace(chunk.step_id, FeedText{.agent = chunk.agent_name, .after = events}).first;
    }
    FeedText& text = place->second;
    text.text += chunk.text;
    feed_.bytes_ += chunk.text.size();
    text.at = chunk.timestamp;
    text.is_final = chunk.is_final;
    text.aborted = chunk.aborted;
    if (text.text.size() > feed_.limits_.bytes) {
        const std::size_t most = feed_.limits_.bytes / 2;  // seldom and much, because what is left moves
        const std::size_t less = text.text.size() - most;
        text.text.erase(0, less);
        text.begin += less;
        feed_.bytes_ -= less;
    }
    tell();
    feed_.make_room();
}

void FeedTask::add(FeedEventPtr event)
{
    for (const engine::StepEnd& end : event->ends)
        if (const auto text = texts_.find(end.step); text != texts_.end()) {
            feed_.bytes_ -= text->second.text.size();
            texts_.erase(text);
        }
    bytes_ += event->size();
    feed_.bytes_ += event->size();
    events_.push_back(std::move(event));
    while (events_.size() > feed_.limits_.events || (bytes_ > feed_.limits_.bytes && events_.size() > 1)) drop_oldest();
}

void FeedTask::drop_oldest()
{
    bytes_ -= events_.front()->size();
    feed_.bytes_ -= events_.front()->size();
    events_.pop_front();
}

Async<> FeedTask::refresh()
{
    if (reading_) {
        co_await changed_.wait();
        co_return;
    }
    /// Whoever reads may be cancelled: then another one does it.
    struct Turn {
        explicit Turn(FeedTask& t) : task(t)
        {
            task.reading_ = true;
            task.stale_ = false;
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn()
        {
            task.reading_ = false;
            if (!is_done) task.stale_ = true;
            task.tell();
        }
        FeedTask& task;
        bool is_done = false;
    };
    Turn turn(*this);
    engine::ToldPage page = co_await engine::read_told(feed_.store_, id_, next_seq_, counted_);
    turn.is_done = true;
    if (!page.is_whole) stale_ = true;
    if (!page.events.empty()) {
        auto& first = page.events.front().ends;
        first.insert(first.begin(), std::make_move_iterator(rest_.begin()), std::make_move_iterator(rest_.end()));
        rest_.clear();
    }
    rest_.insert(rest_.end(), std::make_move_iterator(page.rest.begin()), std::make_move_iterator(page.rest.end()));
    for (FeedEventPtr& event : rendered(std::move(page.events))) {
        counted_ = event->number;
        add(std::move(event));
    }
    counted_ = page.counted;
    next_seq_ = page.next_seq;
    ended_ = ended_ || page.ended;
    feed_.make_room();
}

// ---- all of them ----

Feed::Feed(engine::Hub& hub, storage::Store& store, FeedLimits limits) : hub_(hub), store_(store), limits_(limits)
{
    hub_.set_listener(this);
}

Feed::~Feed()
{
    hub_.set_listener(nullptr);
}

void Feed::tell_all(const FeedEventPtr& news, const std::optional<std::string>& tenant)
{
    for (const auto& [id, task] : tasks_) {
        if (tenant && task->tenant_ != *tenant) continue;
        task->news_.emplace_back(++task->last_news_, news);
        if (task->news_.size() > limits_.notices) task->news_.pop_front();
        task->tell();
    }
}

std::shared_ptr<FeedTask> Feed::watch(const engine::TaskState& state)
{
    if (const auto found = tasks_.find(state.id); found != tasks_.end())
        if (auto task = found->second->self_.lock()) return task;
    auto task = std::make_shared<FeedTask>(*this, state);
    task->self_ = task;
    return task;
}

void Feed::wake_all() noexcept
{
    for (const auto& [id, task] : tasks_) task->tell();
}

void Feed::on_durable(const Id& task) noexcept
{
    if (watcher_) watcher_(task);
    if (const auto found = tasks_.find(task); found != tasks_.end()) found->second->on_durable();
}

void Feed::on_chunk(const Id& task, const model::StreamChunk& chunk, std::uint32_t events) noexcept
{
    if (const auto found = tasks_.find(task); found != tasks_.end()) found->second->on_chunk(chunk, events);
}

/// What is dropped is read again from the journal by whoever needs it.
void Feed::make_room() noexcept
{
    while (bytes_ > limits_.all) {
        FeedTask* least = nullptr;
        for (const auto& [id, task] : tasks_)
            if (!task->events_.empty() && (!least || task->self_.use_count() < least->self_.use_count())) least = task;
        if (!least) return;
        while (!least->events_.empty()) least->drop_oldest();
    }
}

}  // namespace cadre::server
