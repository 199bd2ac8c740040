// Mails of accounts to their mail servers.
#pragma once

#include "base/async_fwd.hpp"
#include "channels/adapter.hpp"
#include "channels/mail/smtp.hpp"

#include <memory>
#include <string>

namespace cadre::channels {

/// Lives on its loop.
class Mailer {
public:
    explicit Mailer(net::Loop& loop) : loop_(loop) {}

    /// As submit_mail(); what cannot be sent at all is `refused`.
    Async<SendResult> submit(Account account, std::string to, std::string mail);

private:
    net::Loop& loop_;
    std::shared_ptr<const net::TlsTrust> trust_{};  // once it was needed
};

}  // namespace cadre::channels
