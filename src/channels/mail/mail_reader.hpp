// A mail that came, as what is asked of it: who wrote what, in which thread, and whether it may be answered.
#pragma once

#include "base/time.hpp"
#include "channels/mail/mail_words.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::channels {

/// Somebody says what became of a mail of ours (RFC 3464).
struct MailReport {
    std::string message_id{};  // of that mail; empty: it does not say
    bool failed = false;       // for good; else it is only late
    std::string status{};      // 5.1.1
    std::string why{};

    bool operator==(const MailReport&) const = default;
};

struct MailAttachment {
    std::string name{};
    std::string type{};
    std::size_t size = 0;  // decoded

    bool operator==(const MailAttachment&) const = default;
};

struct ReadMail {
    std::string id{};    // Message-ID without brackets; of a mail without one, its hash
    MailAddress from{};  // answers go there, whatever Reply-To says: nobody gets what another has asked
    std::string subject{};
    std::optional<Time> date{};
    std::string in_reply_to{};
    std::vector<std::string> references{};  // the thread so far, oldest first
    std::string text{};                     // their own words
    std::string quoted{};
    std::vector<MailAttachment> attachments{};
    bool is_verified = false;  // the domain of `from` vouches for it, says our own mail server
    std::string no_answer{};   // why it must not be answered; empty: it may be
    std::optional<MailReport> report{};
};

struct MailReading {
    std::string
        authserv_id{};  // what our mail server calls itself in Authentication-Results; empty: nobody is verified
    std::vector<std::string> own{};  // our addresses
};

inline constexpr std::size_t kLargestMail = 25 << 20;

/// Throws Error(too_large) beyond our limits, Error(malformed) for what is no mail of anybody.
ReadMail read_mail(std::string_view bytes, const MailReading& reading);

}  // namespace cadre::channels
