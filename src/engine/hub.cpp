#include "engine/hub.hpp"

#include "base/async.hpp"
#include "engine/numbered_event.hpp"

#include <algorithm>

namespace cadre::engine {

namespace {

constexpr std::size_t kRecordsAtOnce = 256;
/// Of a step, for those who come late: bytes.
constexpr std::size_t kMaxKept = 256 << 10;
/// Of a task that is watched, for those who keep up: records, and bytes of their bodies.
constexpr std::size_t kMaxTail = 64;
constexpr std::size_t kMaxTailBytes = 256 << 10;

bool is_terminal(storage::RecordKind kind)
{
    return kind == storage::RecordKind::completed || kind == storage::RecordKind::failed ||
           kind == storage::RecordKind::cancelled;
}

}  // namespace

Subscription::Subscription(Hub& hub, Id task, std::uint32_t after, bool children)
    : hub_(hub), task_(task), children_(children), seen_(after)
{
    hub_.readers_.emplace(task, this);
    hub_.watched_.try_emplace(task);
    const auto take = [this](const Hub::Writing& writing, std::uint32_t events) {
        chunks_.push_back({.after = events});
        if (!writing.too_long) chunks_.back().chunk = writing.text;
    };
    for (const auto& [writer, steps] : hub_.writing_)
        for (const auto& [step, writing] : steps) {
            if (writer == task) take(writing, writing.after);
            if (!children) continue;
            const auto above = std::ranges::find(writing.above, task, &Above::value_type::first);
            if (above == writing.above.end()) continue;
            take(writing, above->second);
            if (chunks_.back().chunk) chunks_.back().chunk->task_id = to_string(writer);
        }
}

Subscription::~Subscription()
{
    for (auto [place, end] = hub_.readers_.equal_range(task_); place != end; ++place) {
        if (place->second != this) continue;
        hub_.readers_.erase(place);
        break;
    }
    if (!hub_.readers_.contains(task_)) hub_.watched_.erase(task_);
}

Async<std::optional<Watched>> Subscription::next()
{
    while (true) {
        const std::uint64_t looked_at = hub_.watched_.at(task_).changes;
        if (ready_.empty() && !ended_) co_await read_more();
        // a chunk comes after the events that were there before it
        const std::uint32_t passed = ready_.empty() ? counted_ : ready_.front()->number - 1;
        if (!chunks_.empty() && (chunks_.front().after <= passed || (ended_ && ready_.empty()))) {
            Pending pending = std::move(chunks_.front());
            chunks_.pop_front();
            if (pending.chunk) co_return Watched(std::move(*pending.chunk));
            co_return Watched(ChunkGap{});
        }
        if (!ready_.empty()) {
            EventPtr event = std::move(ready_.front());
            ready_.pop_front();
            seen_ = event->number;
            co_return Watched(std::move(event));
        }
        if (ended_) co_return std::nullopt;
        if (hub_.watched_.at(task_).changes == looked_at) co_await changed_.wait();
    }
}

Async<> Subscription::read_more()
{
    // a whole page may hold nothing new for a reader who comes back
    for (bool more = true; more && ready_.empty() && !ended_;) {
        if (read_tail()) {
            more = terminal_;
            continue;
        }
        const auto records = co_await hub_.store_.read(task_, next_seq_, kRecordsAtOnce);
        more = records.size() == kRecordsAtOnce;
        for (const storage::Record& record : records) look_at(record);
        ended_ = terminal_ && !more;  // something may have happened behind the end
    }
}

bool Subscription::read_tail()
{
    const Hub::Task& task = hub_.watched_.at(task_);
    if (terminal_ || task.tail.empty() || next_seq_ < task.tail.front().seq || next_seq_ > task.tail.back().seq + 1)
        return false;
    for (std::size_t at = next_seq_ - task.tail.front().seq; at < task.tail.size(); ++at) {
        if (task.tail[at].seq > task.durable) break;
        look_at(task.tail[at]);
    }
    return true;
}

void Subscription::look_at(const storage::Record& record)
{
    if (record.event_seq > seen_)
        for (EventPtr& event : numbered_events(record, counted_))
            if (event->number > seen_) ready_.push_back(std::move(event));
    counted_ = record.event_seq;
    next_seq_ = record.seq + 1;
    terminal_ = terminal_ || is_terminal(record.kind);
}

std::vector<WrittenStep> Hub::written(const Id& task) const
{
    std::vector<WrittenStep> steps;
    if (const auto found = writing_.find(task); found != writing_.end())
        for (const auto& [step, writing] : found->second) steps.push_back(writing);
    return steps;
}

void Hub::appended(const storage::Record& record)
{
    const auto place = watched_.find(record.task);
    if (place == watched_.end()) return;
    Task& task = place->second;
    if (!task.tail.empty() && record.seq != task.tail.back().seq + 1) forget(record.task);
    task.tail.push_back(record);
    task.bytes += record.body.size();
    while (task.tail.size() > kMaxTail || (task.bytes > kMaxTailBytes && !task.tail.empty())) {
        task.bytes -= task.tail.front().body.size();
        task.tail.pop_front();
    }
}

void Hub::durable(const Id& task, std::uint32_t seq) noexcept
{
    if (const auto place = watched_.find(task); place != watched_.end()) place->second.durable = seq;
    wake(task);
}

void Hub::durable(const Id& task) noexcept
{
    forget(task);
    wake(task);
}

void Hub::forget(const Id& task) noexcept
{
    const auto place = watched_.find(task);
    if (place == watched_.end()) return;
    place->second.tail.clear();
    place->second.bytes = 0;
}

void Hub::wake(const Id& task) noexcept
{
    if (listener_) listener_->on_durable(task);
    const auto [first, last] = readers_.equal_range(task);
    if (first == last) return;
    ++watched_.at(task).changes;
    for (auto place = first; place != last; ++place) place->second->changed_.notify();
}

void Hub::chunk(const Id& task, const model::StreamChunk& chunk, std::uint32_t events, const Above& above) noexcept
{
    keep(task, chunk, events, above);
    if (listener_) listener_->on_chunk(task, chunk, events);
    hand_out(task, chunk, events, false);
    if (above.empty()) return;
    model::StreamChunk named = chunk;
    named.task_id = to_string(task);
    for (const auto& [one, its_events] : above) hand_out(one, named, its_events, true);
}

void Hub::hand_out(const Id& task, const model::StreamChunk& chunk, std::uint32_t events, bool is_child)
{
    const auto [first, last] = readers_.equal_range(task);
    if (first == last) return;
    ++watched_.at(task).changes;
    for (auto place = first; place != last; ++place) {
        Subscription& reader = *place->second;
        if (is_child && !reader.children_) continue;
        if (reader.chunks_.size() < Subscription::kMaxChunks) {
            reader.chunks_.push_back({events, chunk});
        } else if (reader.chunks_.back().chunk) {
            reader.chunks_.back().chunk.reset();  // from here on pieces are missing
        }
        reader.changed_.notify();
    }
}

void Hub::keep(const Id& task, const model::StreamChunk& chunk, std::uint32_t events, const Above& above)
{
    if (chunk.is_final) {
        const auto steps = writing_.find(task);
        if (steps != writing_.end() && steps->second.erase(chunk.step_id) > 0 && steps->second.empty())
            writing_.erase(steps);
        return;
    }
    if (chunk.text.empty() && !chunk.throttled_until) return;
    const auto [place, is_new] = writing_[task].try_emplace(chunk.step_id, Writing{{events, chunk, false}, above});
    if (is_new) return;
    Writing& writing = place->second;
    writing.text.throttled_until = chunk.throttled_until;
    if (writing.text.text.size() + chunk.text.size() > kMaxKept) {
        writing.too_long = true;
        writing.text.text.clear();
    }
    if (!writing.too_long) writing.text.text += chunk.text;
}

}  // namespace cadre::engine
