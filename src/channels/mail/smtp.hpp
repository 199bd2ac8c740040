// Handing a mail to a mail server that forwards it: SMTP submission (RFC 6409) over our own streams, one mail a connection.
#pragma once

#include "base/async_fwd.hpp"
#include "base/secret.hpp"
#include "base/time.hpp"
#include "channels/adapter.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::net {
class Loop;
class TlsTrust;
}  // namespace cadre::net

namespace cadre::channels {

enum class SmtpSecurity : std::uint8_t {
    tls,       // from the first byte
    starttls,  // or not at all
    none,      // on this machine alone
};

struct SmtpServer {
    SmtpSecurity security = SmtpSecurity::tls;
    std::string host{};
    std::uint16_t port = 465;

    bool operator==(const SmtpServer&) const = default;
};

/// `smtps://host` (465), `smtp+starttls://host` (587), `smtp://127.0.0.1:25`. Throws Error(malformed | invalid).
SmtpServer smtp_server_from(std::string_view url);

struct SmtpOptions {
    SmtpServer server{};
    const net::TlsTrust* trust = nullptr;  // for both kinds of TLS
    std::string user{};                    // empty: no login
    Secret password{};
    bool is_token = false;        // the password is an access token of OAuth 2: XOAUTH2
    Millis ready_within{40'000};  // until the mail is there but for its end
    Millis verdict_within{600'000};
};

/// From whom to whom it travels: what the headers say does not matter for that.
struct MailEnvelope {
    std::string from{};
    std::string to{};
};

/// `accepted` has no id: that is the mail's own. `unknown`: its end was sent, and nobody said what became of it. Throws
/// tools::NotDispatched when it was not sent because nobody could be spoken to, Error(invalid) for what cannot be sent.
Async<SendResult> submit_mail(net::Loop& loop, SmtpOptions options, MailEnvelope envelope, std::string mail);

}  // namespace cadre::channels
