// Mail as a channel: what came as one of its messages, and an answer as a mail.
#pragma once

#include "base/async_fwd.hpp"
#include "channels/adapter.hpp"
#include "channels/mail/mail_reader.hpp"
#include "channels/mail/mail_writer.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::channels {

/// What an answer needs to know of the mail it answers.
struct MailThread {
    std::string subject{};
    std::vector<std::string> references{};

    bool operator==(const MailThread&) const = default;
};
const model::Entity& describe(const MailThread*);

/// Hands a mail to the account's mail server, as submit_mail() does.
using SubmitMail = std::function<Async<SendResult>(Account account, std::string to, std::string mail)>;

/// Kind of the documents that these are, by a hash of account and id.
inline constexpr std::string_view kThreadDocument = "channel_thread";

/// As the channel's: a message, or a status of one of ours; what must not be answered is `ignored`, and `error` says why.
/// `return_path`: where the mail came from, empty: it wants no answer.
Inbound inbound_of(const ReadMail& mail, const Account& account, std::string_view return_path);

/// `thread`: of the mail that it answers; null: none is known. Throws Error(invalid) for an address that cannot be written to.
OutgoingMail mail_of(const Letter& letter, const Account& account, const MailThread* thread, Time now);

}  // namespace cadre::channels
