#include "server/stream_reader.hpp"

#include "base/async.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace cadre::server {
namespace {

/// Of a text at once: what is sent in one go stays bounded, whatever models write.
constexpr std::size_t kPiece = 48 << 10;

/// Without the beginning of a character of which the rest is still to come.
std::string_view whole_characters(std::string_view text)
{
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if (byte < 0x80) break;
        const bool is_first = byte >= 0xC0;
        if (is_first && utf8_length(text.substr(text.size() - back)) == 0) text.remove_suffix(back);
        if (is_first) break;
    }
    return text;
}

}  // namespace

StreamPosition position_now(const FeedTask& task)
{
    StreamPosition now{.seen = task.last()};
    for (const auto& [step, text] : task.texts()) now.written[step] = text.end();
    return now;
}

StreamReader::StreamReader(std::shared_ptr<FeedTask> task, StreamPosition from, StreamFilter filter)
    : task_(std::move(task)),
      filter_(std::move(filter)),
      position_(std::move(from)),
      noticed_(task_->last_notice()),
      heard_(task_->last_news())
{
    if (!filter_.has_text) position_.written.clear();
}

Async<> StreamReader::begin()
{
    if (task_->is_stale()) co_await task_->refresh();
}

bool StreamReader::can_read() const
{
    return !is_over() && ((is_behind() && waited_for_ != task_->changes()) || task_->is_stale());
}

bool StreamReader::is_over() const
{
    return gone_ || (task_->ended() && position_.seen >= task_->last());
}

std::optional<StreamItem> StreamReader::take()
{
    while (true) {
        const bool is_behind = this->is_behind();
        if (!is_behind) {
            page_.clear();
            place_.reset();
        }
        if (FeedEventPtr news = take_news()) return news;
        if (filter_.has_text && !is_behind) {
            if (auto item = take_text()) return item;
            if (auto item = take_notice()) return item;
        }
        const FeedEventPtr event = next_event();
        if (!event) return std::nullopt;
        if (!is_behind && !carried_.empty()) {
            if (auto item = take_end(carried_)) return item;
            pass(carried_);
            carried_.clear();
        }
        if (auto item = take_end(event->ends)) return item;
        pass(event->ends);
        position_.seen = event->number;
        if (is_behind) page_.pop_front();
        if (filter_.tells(event->type)) return event;
    }
}

FeedEventPtr StreamReader::next_event() const
{
    if (is_behind()) return page_.empty() ? nullptr : page_.front();
    const std::size_t index = position_.seen - task_->before();
    return index < task_->events().size() ? task_->events()[index] : nullptr;
}

/// Of what is being written right now, and comes behind what was seen.
std::optional<StreamItem> StreamReader::take_text()
{
    for (const auto& [step, text] : task_->texts()) {
        if (text.after > position_.seen) continue;
        const auto known = position_.written.find(step);
        const std::size_t offset = known == position_.written.end() ? 0 : known->second;
        if (offset < text.begin || offset > text.end()) continue;  // too far behind: the outcome has the rest
        std::string_view piece = utf8_prefix(std::string_view(text.text).substr(offset - text.begin), kPiece);
        if (!text.is_final) piece = whole_characters(piece);
        if (piece.empty() && !text.is_final) continue;
        StreamPiece item{.offset = offset};
        item.chunk = {.step_id = step, .agent_name = text.agent, .text = std::string(piece), .timestamp = text.at};
        item.chunk.is_final = text.is_final && offset + piece.size() == text.end();
        item.chunk.aborted = item.chunk.is_final && text.aborted;
        position_.written[step] = item.chunk.is_final ? kWholeText : offset + piece.size();
        return item;
    }
    return std::nullopt;
}

/// The rest of texts that have ended; nothing when all of it was taken.
std::optional<StreamItem> StreamReader::take_end(const std::vector<engine::StepEnd>& ends)
{
    if (!filter_.has_text) return std::nullopt;
    for (const engine::StepEnd& end : ends) {
        const auto known = position_.written.find(end.step);
        if (end.aborted && known == position_.written.end())
            continue;  // who has seen nothing of it need not hear of it
        const std::size_t offset = known == position_.written.end() ? 0 : known->second;
        if (offset == kWholeText) continue;
        StreamPiece item{.offset = offset};
        item.chunk = {.step_id = end.step, .agent_name = end.agent, .timestamp = end.at};
        if (!end.aborted && offset < end.text.size())
            item.chunk.text = utf8_prefix(std::string_view(end.text).substr(offset), kPiece);
        item.chunk.is_final = end.aborted || offset + item.chunk.text.size() >= end.text.size();
        item.chunk.aborted = end.aborted;
        position_.written[end.step] = item.chunk.is_final ? kWholeText : offset + item.chunk.text.size();
        return item;
    }
    return std::nullopt;
}

/// Their texts are whole, so that nothing has to be known of them any more.
void StreamReader::pass(const std::vector<engine::StepEnd>& ends)
{
    for (const engine::StepEnd& end : ends) position_.written.erase(end.step);
}

std::optional<StreamItem> StreamReader::take_notice()
{
    for (const FeedNotice& notice : task_->notices()) {
        if (notice.number <= noticed_) continue;
        noticed_ = notice.number;
        StreamPiece item{.chunk = notice.chunk};
        const auto known = position_.written.find(notice.chunk.step_id);
        if (known != position_.written.end() && known->second != kWholeText) item.offset = known->second;
        return item;
    }
    return std::nullopt;
}

FeedEventPtr StreamReader::take_news()
{
    for (const auto& [number, event] : task_->news()) {
        if (number <= heard_) continue;
        heard_ = number;
        if (filter_.tells(event->type)) return event;
    }
    return nullptr;
}

Async<> StreamReader::more()
{
    const std::uint64_t looked_at = task_->changes();
    if (is_over()) co_return;
    if (is_behind() && waited_for_ != looked_at) co_return co_await read_page();
    if (task_->is_stale()) co_return co_await task_->refresh();
    if (task_->changes() == looked_at) co_await task_->changed().wait();
}

Async<> StreamReader::read_page()
{
    const std::uint64_t looked_at = task_->changes();
    storage::Store& store = task_->feed().store();
    const Id id = task_->id();
    if (!place_) place_ = co_await engine::place_of_event(store, id, position_.seen, task_->records());
    engine::ToldPage page = co_await engine::read_told(store, id, place_->seq, place_->counted);
    if (page.next_seq == place_->seq && task_->ended()) gone_ = (co_await store.read(id, 1, 1)).empty();
    place_ = engine::JournalPlace{page.next_seq, page.counted};
    if (!page.events.empty()) {
        auto& first = page.events.front().ends;
        first.insert(first.begin(), std::make_move_iterator(carried_.begin()), std::make_move_iterator(carried_.end()));
        carried_.clear();
    }
    carried_.insert(carried_.end(), page.rest.begin(), page.rest.end());
    for (FeedEventPtr& event : rendered(std::move(page.events)))
        if (event->number > position_.seen) page_.push_back(std::move(event));
    waited_for_.reset();
    if (page_.empty() && page.is_whole) waited_for_ = looked_at;
}

}  // namespace cadre::server
