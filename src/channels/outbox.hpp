// Outbox: messages out, over the accounts of the operator. The engine decides when and how often; here is what one attempt is.
#pragma once

#include "base/async_fwd.hpp"
#include "base/log.hpp"
#include "channels/adapter.hpp"
#include "channels/contacts.hpp"
#include "channels/deliveries.hpp"
#include "channels/mail/mail_letter.hpp"
#include "engine/send_evidence.hpp"
#include "net/http.hpp"

#include <functional>
#include <memory>
#include <string>

namespace cadre {
class Loop;
}

namespace cadre::channels {

/// As the files are now. Throws what is wrong with them.
using FindAccounts = std::function<std::shared_ptr<const model::ChannelAccounts>()>;

/// Throws Error(not_found).
const Account& account_in(const model::ChannelAccounts& all, const std::string& name);

/// Free text is possible for so long after the user's last message, where a channel has a window.
inline constexpr Millis kWindow = std::chrono::hours{24};

/// Lives on its loop.
class Outbox final : public engine::Sender, public engine::SendWitness {
public:
    /// `mails`: null: none can be sent.
    Outbox(Loop& loop, net::Http& http, storage::Store& store, Contacts& contacts, Deliveries& deliveries,
           FindAccounts accounts, Log log, SubmitMail mails = nullptr)
        : loop_(loop),
          http_(http),
          store_(store),
          contacts_(contacts),
          deliveries_(deliveries),
          accounts_(std::move(accounts)),
          log_(std::move(log)),
          mails_(std::move(mails))
    {}

    /// Whether it may be sent twice: the operator's decision.
    bool takes_key(const std::string& channel) const override;
    Async<std::string> refusal(engine::Outgoing message) override;
    Async<engine::Sent> send(engine::Outgoing message, std::string key) override;
    Async<engine::SendEvidence> look(engine::Outgoing message, std::string key, Time since) override;

    /// Once, whatever the receiver's consent: the answer to STOP is one. Throws as send() does.
    Async<SendResult> post(std::string account, Letter letter);

private:
    Async<SendResult> post_mail(const Account& account, std::string name, Letter letter);
    Async<bool> is_window_open(std::string account, std::string to);
    Async<std::string> find_in_list(std::string name, engine::Outgoing message, std::string key, Time since,
                                    std::string& looked);
    Async<bool> is_named(std::string key, Millis patience);

    Loop& loop_;
    net::Http& http_;
    storage::Store& store_;
    Contacts& contacts_;
    Deliveries& deliveries_;
    FindAccounts accounts_;
    Log log_;
    SubmitMail mails_;
};

}  // namespace cadre::channels
