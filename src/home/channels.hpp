// The operator's accounts at work: tasks send over them, and while a server is open, what comes in over them becomes tasks.
#pragma once

#include "base/async_fwd.hpp"
#include "base/log.hpp"
#include "channels/contacts.hpp"
#include "channels/deliveries.hpp"
#include "channels/desk.hpp"
#include "channels/mail/lmtp_server.hpp"
#include "channels/mail/mailer.hpp"
#include "channels/outbox.hpp"

#include <memory>
#include <string>
#include <vector>

namespace cadre::home {

class Projects;

/// Lives on its loop; close() before it dies.
class Channels {
public:
    Channels(net::Loop& loop, storage::Store& store, net::Http& http, Projects& projects, Log log);
    Channels(const Channels&) = delete;
    Channels& operator=(const Channels&) = delete;

    /// As the files are now, and while they are faulty, as they were before. Throws what is wrong with them where they never were right.
    std::shared_ptr<const model::ChannelAccounts> accounts();

    channels::Outbox& outbox() { return outbox_; }
    channels::Deliveries& deliveries() { return deliveries_; }

    /// From now on, what comes in becomes tasks, and what waited, too. Mails come in where accounts say so now: another place is
    /// taken when it is opened again. Throws Error(invalid, unavailable) for a place that cannot be listened at.
    Async<> open(channels::StartTurn start);
    /// Throws Error(unavailable) while nobody has opened it.
    channels::Desk& desk();
    Async<> close();

private:
    void listen_for_mails();
    std::string account_of(const std::string& place, std::string_view address);

    net::Loop& loop_;
    storage::Store& store_;
    Projects& projects_;
    Log log_;
    channels::Contacts contacts_;
    channels::Deliveries deliveries_;
    channels::Mailer mailer_;
    channels::Outbox outbox_;
    std::unique_ptr<channels::Desk> desk_;
    std::vector<std::unique_ptr<channels::LmtpServer>> mail_places_;
};

}  // namespace cadre::home
