#include "engine/journal.hpp"

#include <utility>

namespace cadre::engine {

using storage::Record;

Journal::Journal(Loop& loop, storage::Port& port, JournalListener& listener, Owner owner, const JournalEnd& end)
    : loop_(loop), port_(port), listener_(listener), owner_(std::move(owner)), end_(end), durable_(end.seq)
{}

std::uint32_t Journal::append(JournalEntry&& entry, std::optional<storage::TaskEntry>&& index)
{
    Record record{.tenant = owner_.tenant,
                  .task = owner_.task,
                  .seq = end_.seq + 1,
                  .event_seq = end_.event_seq + static_cast<std::uint32_t>(entry.events),
                  .epoch = owner_.epoch,
                  .at = entry.at == Time{} ? now() : entry.at,
                  .kind = entry.kind,
                  .path = std::move(entry.path),
                  .ask = entry.ask,
                  .body = std::move(entry.body)};
    storage::seal(record, end_.hash);
    end_ = {record.seq, record.event_seq, record.hash};
    port_.append(std::move(record), *this, std::move(index));
    return end_.seq;
}

void Journal::durable(std::uint32_t seq) noexcept
{
    durable_ = seq;
    for (UntilDurable* wait = waiting_.front(); wait && wait->seq_ <= seq; wait = waiting_.front()) {
        wait->Link<DurableTag>::unlink();
        wait->wake();
    }
    listener_.on_durable(seq);
}

void Journal::refused(std::uint32_t, const std::exception_ptr& error) noexcept
{
    if (refused_) return;
    refused_ = error;
    while (UntilDurable* wait = waiting_.pop_front()) wait->wake();
    listener_.on_refused(error);
}

bool Journal::UntilDurable::arm()
{
    if (journal_.durable_ >= seq_ || journal_.refused_) return false;
    journal_.waiting_.push_back(*this);  // numbers only grow, so the list is in order
    return true;
}

bool Journal::UntilDurable::withdraw() noexcept
{
    Link<DurableTag>::unlink();
    return true;
}

void Journal::UntilDurable::await_resume()
{
    finish();
    if (journal_.refused_ && journal_.durable_ < seq_) std::rethrow_exception(journal_.refused_);
}

}  // namespace cadre::engine
