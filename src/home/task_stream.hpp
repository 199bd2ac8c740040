// What happens to a task, as lines for whoever follows it.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/signal.hpp"
#include "home/control/control.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace cadre::engine {
class Commands;
class Subscription;
}  // namespace cadre::engine

namespace cadre::home {

/// Lives on the host's loop. send() runs beside whoever waits with the others.
class TaskStream {
public:
    TaskStream(engine::Commands& commands, const Id& task, std::uint32_t after, LineSink& sink);
    ~TaskStream();

    /// Sends events and chunks as they come; ends with the task.
    Async<> send();
    /// One more line, between two others.
    Async<> say(std::string line);
    /// Until everything up to and including event `number` is sent.
    Async<> until_sent(std::uint32_t number);

private:
    std::unique_ptr<engine::Subscription> events_;
    LineSink& sink_;
    std::uint32_t sent_;
    bool ended_ = false;
    bool saying_ = false;  // one line at a time
    Signal moved_;
};

}  // namespace cadre::home
