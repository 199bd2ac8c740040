// A mail as the bytes that are sent: RFC 5322 and MIME in ASCII, lines that end with CRLF.
#pragma once

#include "base/time.hpp"
#include "channels/mail/mail_words.hpp"

#include <string>
#include <vector>

namespace cadre::channels {

struct OutgoingMail {
    MailAddress from{};
    MailAddress to{};
    std::string subject{};
    std::string text{};
    std::string html{};                     // of the same words; empty: there is only text
    std::string message_id{};               // without brackets, as all ids here
    std::string in_reply_to{};              // empty: it begins a thread
    std::vector<std::string> references{};  // reply_references()
    Time date{};
};

/// Throws Error(invalid) when an address or its own id cannot be written.
std::string mail_text(const OutgoingMail& mail);

}  // namespace cadre::channels
