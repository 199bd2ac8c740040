#include "storage/port.hpp"

#include <cassert>
#include <utility>

namespace cadre::storage {

namespace {

/// So many appends are worth waking the store for.
constexpr std::size_t kHandOver = 128;

}  // namespace

Receipt::~Receipt()
{
    if (port_) port_->leave(slot_);
}

void Backchannel::report(const std::shared_ptr<Backchannel>& channel, std::vector<AppendResult> results)
{
    if (results.empty()) return;
    const std::lock_guard lock(channel->mutex_);  // the loop may die as soon as its port is gone
    if (channel->loop_) channel->loop_->deliver([channel, results = std::move(results)] { tell(channel, results); });
}

void Backchannel::tell(const std::shared_ptr<Backchannel>& channel, const std::vector<AppendResult>& results) noexcept
{
    for (const AppendResult& item : results)
        if (channel->port_) channel->port_->hear(item);  // asked each time: who hears may end the port
}

void Backchannel::refuse(const Append& append)
{
    if (refused_.size() <= append.slot) refused_.resize(append.slot + 1);
    refused_[append.slot] = append.generation;
}

bool Backchannel::refuses(const Append& append) const
{
    return append.slot < refused_.size() && refused_[append.slot] == append.generation;
}

void Backchannel::cut()
{
    const std::lock_guard lock(mutex_);
    loop_ = nullptr;
    port_ = nullptr;
}

PortBase::PortBase(Loop& loop, Intake& intake)
    : loop_(loop), intake_(intake), channel_(std::make_shared<Backchannel>(loop, *this))
{}

PortBase::PortBase(Loop& loop, DirectIntake& intake) : PortBase(loop, static_cast<Intake&>(intake))
{
    direct_ = &intake;
}

PortBase::~PortBase()
{
    channel_->cut();
    for (Slot& slot : slots_)
        if (slot.receipt) slot.receipt->port_ = nullptr;
    if (!pending_.empty()) intake_.take(channel_, pending_);
}

void PortBase::append(Record&& record, Receipt& receipt, std::optional<TaskEntry>&& entry)
{
    assert(!entry || entry->task == record.task);
    settle(receipt);
    const Slot& slot = slots_[receipt.slot_];
    if (slot.refused) return;  // it knows: nothing from there on will be written
    if (direct_) {
        AppendResult result{receipt.slot_, slot.generation, record.seq};
        result.error = direct_->write(std::move(record), std::move(entry));
        return hear(result);
    }
    if (pending_.empty()) loop_.post(*this);
    pending_.push_back({.record = std::move(record),
                        .entry = entry ? std::make_unique<TaskEntry>(std::move(*entry)) : nullptr,
                        .slot = receipt.slot_,
                        .generation = slot.generation});
    // so that a store with a thread of its own need not wait for the end of a long turn; what is refused is told then
    if (pending_.size() >= kHandOver && !intake_.take(channel_, pending_)) pending_.clear();
}

/// The end of a turn.
void PortBase::run() noexcept
{
    if (pending_.empty()) return;
    std::vector<Append> appends = std::exchange(pending_, {});
    const std::exception_ptr error = intake_.take(channel_, appends);
    if (!error) return;
    std::vector<AppendResult> results;
    for (const Append& append : appends) results.push_back({append.slot, append.generation, append.record.seq, error});
    Backchannel::tell(std::shared_ptr(channel_), results);  // by a copy, which stays when the port goes
}

void PortBase::hear(const AppendResult& result) noexcept
{
    Slot& slot = slots_[result.slot];
    if (slot.generation != result.generation || slot.refused) return;
    slot.refused = result.error != nullptr;
    Receipt& receipt = *slot.receipt;  // `slot` is not looked at again: the receipt may append, or die
    if (result.error) receipt.refused(result.seq, result.error);
    else receipt.durable(result.seq);
}

/// Gives the receipt a place, if it has none.
void PortBase::settle(Receipt& receipt)
{
    if (receipt.port_ == this) return;
    assert(!receipt.port_);  // a receipt stays with its loop
    if (free_.empty()) {
        if (free_.capacity() <= slots_.size())
            free_.reserve(2 * slots_.size() + 16);  // so that leaving never allocates
        free_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    receipt.slot_ = free_.back();
    receipt.port_ = this;
    free_.pop_back();
    slots_[receipt.slot_].receipt = &receipt;
}

void PortBase::leave(std::uint32_t slot) noexcept
{
    slots_[slot].receipt = nullptr;
    ++slots_[slot].generation;
    slots_[slot].refused = false;
    free_.push_back(slot);
}

}  // namespace cadre::storage
