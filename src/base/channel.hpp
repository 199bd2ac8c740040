// A bounded queue between coroutines of one loop. Full: the sender waits. Empty: the receiver waits. First come, first
// served; a value is never lost to a receiver that is cancelled or destroyed.
#pragma once

#include "base/error.hpp"
#include "base/wait.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace cadre {

/// Outlives everyone who waits on it.
template <class T>
class Channel {
    class Receive;
    class Send;
    struct Tag;

public:
    /// A channel holds at least one value.
    explicit Channel(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// `co_await send(x)`: waits while the channel is full. Throws Error(unavailable) when it is closed.
    Send send(T value) { return Send(*this, std::move(value)); }
    /// False, with `value` untouched, when the channel is full or closed.
    bool try_send(T&& value);
    /// `co_await receive()`: the next value, or nothing when the channel is closed and drained.
    Receive receive() { return Receive(*this); }

    /// No more values; what is in the channel can still be received. Waiting senders fail.
    void close();

    std::size_t size() const { return values_.size(); }
    std::size_t capacity() const { return capacity_; }

private:
    T take();
    void hand_over();

    std::size_t capacity_;
    bool closed_ = false;
    std::deque<T> values_;
    LinkedList<Receive, Tag> receivers_;
    LinkedList<Send, Tag> senders_;
};

template <class T>
class Channel<T>::Receive final : public Wait, public cadre::Link<Tag> {
public:
    explicit Receive(Channel& channel) : channel_(channel) {}
    ~Receive()
    {
        // handed a value but never resumed: the frame was destroyed in between
        if (!value_) return;
        channel_.values_.push_front(std::move(*value_));
        channel_.hand_over();
    }

    std::optional<T> await_resume()
    {
        finish();
        return std::exchange(value_, std::nullopt);
    }

private:
    friend class Channel;

    bool arm() override
    {
        if (!channel_.values_.empty()) {
            value_.emplace(channel_.take());
            return false;
        }
        if (channel_.closed_) return false;
        channel_.receivers_.push_back(*this);
        return true;
    }
    bool withdraw() noexcept override
    {
        cadre::Link<Tag>::unlink();
        return true;
    }

    Channel& channel_;
    std::optional<T> value_;
};

template <class T>
class Channel<T>::Send final : public Wait, public cadre::Link<Tag> {
public:
    Send(Channel& channel, T value) : channel_(channel), value_(std::move(value)) {}

    void await_resume() const
    {
        finish();
        if (refused_) throw Error(Code::unavailable, "the channel is closed");
    }

private:
    friend class Channel;

    bool arm() override
    {
        if (channel_.try_send(std::move(value_))) return false;
        refused_ = channel_.closed_;
        if (refused_) return false;
        channel_.senders_.push_back(*this);
        return true;
    }
    bool withdraw() noexcept override
    {
        cadre::Link<Tag>::unlink();
        return true;
    }

    Channel& channel_;
    T value_;
    bool refused_ = false;
};

template <class T>
bool Channel<T>::try_send(T&& value)
{
    if (closed_ || values_.size() >= capacity_) return false;
    values_.push_back(std::move(value));
    hand_over();
    return true;
}

template <class T>
void Channel<T>::close()
{
    closed_ = true;
    while (Send* sender = senders_.pop_front()) {
        sender->refused_ = true;
        sender->wake();
    }
    while (Receive* receiver = receivers_.pop_front()) receiver->wake();  // they waited, so there is nothing left
}

/// The first value; the room that makes goes to the first sender who waits for it.
template <class T>
T Channel<T>::take()
{
    T value = std::move(values_.front());
    values_.pop_front();
    // not always: a value that a dead receiver gave back may fill the room again
    if (Send* sender = values_.size() < capacity_ ? senders_.pop_front() : nullptr) {
        values_.push_back(std::move(sender->value_));
        sender->wake();
    }
    return value;
}

template <class T>
void Channel<T>::hand_over()
{
    while (!values_.empty() && !receivers_.empty()) {
        Receive* receiver = receivers_.pop_front();
        receiver->value_.emplace(take());
        receiver->wake();
    }
}

}  // namespace cadre
