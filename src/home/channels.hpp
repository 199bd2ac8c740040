// The operator's accounts at work: tasks send over them, and while a server is open, what comes in over them becomes tasks.
#pragma once

#include "base/async_fwd.hpp"
#include "base/log.hpp"
#include "channels/contacts.hpp"
#include "channels/deliveries.hpp"
#include "channels/desk.hpp"
#include "channels/outbox.hpp"

#include <memory>

namespace cadre::home {

class Projects;

/// Lives on its loop; close() before it dies.
class Channels {
public:
    Channels(Loop& loop, storage::Store& store, net::Http& http, Projects& projects, Log log);
    Channels(const Channels&) = delete;
    Channels& operator=(const Channels&) = delete;

    /// As the files are now, and while they are faulty, as they were before. Throws what is wrong with them where they never were right.
    std::shared_ptr<const model::ChannelAccounts> accounts();

    channels::Outbox& outbox() { return outbox_; }
    channels::Deliveries& deliveries() { return deliveries_; }

    /// From now on, what comes in becomes tasks, and what waited, too.
    Async<> open(channels::StartTurn start);
    /// Throws Error(unavailable) while nobody has opened it.
    channels::Desk& desk();
    Async<> close();

private:
    Loop& loop_;
    storage::Store& store_;
    Projects& projects_;
    Log log_;
    channels::Contacts contacts_;
    channels::Deliveries deliveries_;
    channels::Outbox outbox_;
    std::unique_ptr<channels::Desk> desk_;
};

}  // namespace cadre::home
