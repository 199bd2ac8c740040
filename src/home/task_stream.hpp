// What happens to a task, for whoever drives it.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_mutex.hpp"
#include "base/signal.hpp"
#include "home/telling.hpp"

#include <cstdint>
#include <memory>

namespace cadre::home {

/// Lives on the host's loop. send() runs beside whoever waits with the others.
class TaskStream {
public:
    /// `after`: the number of the last event that is known.
    TaskStream(std::unique_ptr<engine::Subscription> events, std::uint32_t after, Listener& listener);
    ~TaskStream();

    /// Sends events and chunks as they come; ends with the task.
    Async<> send();
    /// Something between two others.
    Async<> say(Told told);
    /// Until everything up to and including event `number` is sent.
    Async<> until_sent(std::uint32_t number);

private:
    std::unique_ptr<engine::Subscription> events_;
    Listener& listener_;
    std::uint32_t sent_;
    bool ended_ = false;
    AsyncMutex saying_;  // one thing at a time, whoever says it
    Signal moved_;
};

}  // namespace cadre::home
