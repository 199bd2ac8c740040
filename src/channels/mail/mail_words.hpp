// What mails are made of: addresses, ids, and words of their headers. What comes from elsewhere cannot end a line here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::channels {

struct MailAddress {
    std::string name{};  // of the person, empty: unknown
    std::string address{};

    bool operator==(const MailAddress&) const = default;
};

/// `ann@example.com` in ASCII, without quotes: what can stand in a header and in a command of SMTP.
bool is_mail_address(std::string_view text);
/// Without its angle brackets.
bool is_message_id(std::string_view text);

/// `<KEY@example.com>` without its brackets: the id of the mail that a `send` with that key writes from that address.
std::string message_id_for(std::string_view key, std::string_view from);
/// The key in such an id, if it is of that address' domain; else empty.
std::string key_in_message_id(std::string_view id, std::string_view from);

/// `Re: ` once, however often it was there.
std::string reply_subject(std::string_view subject);
/// The thread of an answer to `parent`, whose own thread was `chain`: the first mail and the newest 20.
std::vector<std::string> reply_references(const std::vector<std::string>& chain, const std::string& parent);

/// One line of valid UTF-8 without control characters, spaces once, none around it, at most so many bytes.
std::string header_text(std::string_view text, std::size_t most);

/// `Name: words`, folded before 77 characters where its words allow it.
void add_header(std::string& out, std::string_view name, const std::vector<std::string>& words);
/// Free text for a header: as it is, or as encoded words (RFC 2047).
std::vector<std::string> words_of_text(std::string_view text);
/// A name and its address.
std::vector<std::string> words_of_address(const MailAddress& address);

/// Headers whose encoded words in base64 are in Q: GMime joins words that follow each other before it decodes them, and what comes
/// after the padding of one is lost.
std::string with_q_words(std::string_view headers);

/// RFC 2045: ASCII lines of at most 76 characters that end with CRLF, and so does the last.
std::string quoted_printable(std::string_view text);

}  // namespace cadre::channels
