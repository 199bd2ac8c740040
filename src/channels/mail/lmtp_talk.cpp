#include "channels/mail/lmtp_talk.hpp"

#include "base/ascii.hpp"
#include "channels/mail/mail_reader.hpp"
#include "channels/mail/mail_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cadre::channels {
namespace {

constexpr std::size_t kLongestCommand = 2048;
constexpr std::size_t kMostReceivers = 100;

/// `FROM:<a@b> SIZE=1`, without `FROM:`: the address, nothing where there is none in angle brackets.
std::optional<std::string> address_in(std::string_view rest)
{
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    const std::size_t end = rest.find('>');
    if (!rest.starts_with('<') || end == rest.npos) return std::nullopt;
    return std::string(rest.substr(1, end - 1));
}

/// What comes after that word, in any case; nothing: it begins otherwise.
std::optional<std::string_view> after(std::string_view line, std::string_view word)
{
    if (line.size() < word.size() || !same_in_any_case(line.substr(0, word.size()), word)) return std::nullopt;
    return line.substr(word.size());
}

}  // namespace

std::optional<LmtpMail> LmtpTalk::next()
{
    while (!has_ended_) {
        if (is_data_) {
            if (!read_data()) return std::nullopt;
            is_data_ = has_sender_ = false;
            return std::exchange(mail_, {});
        }
        const std::size_t end = bytes_.find("\r\n");
        if (std::min(end, bytes_.size()) > kLongestCommand) {
            say("500 5.5.6 a command that long is not understood");
            has_ended_ = true;
        } else if (end == bytes_.npos) {
            return std::nullopt;
        } else {
            const std::string line = bytes_.substr(0, end);
            bytes_.erase(0, end + 2);
            take(line);
        }
    }
    return std::nullopt;
}

void LmtpTalk::answer(const std::vector<std::string>& replies)
{
    for (const std::string& reply : replies) say(reply);
}

void LmtpTalk::take(std::string_view line)
{
    const std::string_view word = line.substr(0, line.find(' '));
    if (same_in_any_case(word, "LHLO")) {
        mail_ = {};
        is_greeted_ = true;
        has_sender_ = false;
        return say(fmt::format("250-cadre\r\n250-PIPELINING\r\n250-ENHANCEDSTATUSCODES\r\n250-8BITMIME\r\n250 SIZE {}",
                               kLargestMail));
    }
    if (same_in_any_case(word, "NOOP")) return say("250 2.0.0 ok");
    if (same_in_any_case(word, "QUIT")) {
        has_ended_ = true;
        return say("221 2.0.0 bye");
    }
    if (same_in_any_case(word, "RSET")) {
        mail_ = {};
        has_sender_ = false;
        return say("250 2.0.0 ok");
    }
    if (same_in_any_case(word, "VRFY")) return say("252 2.0.0 send it, and see");
    if (!is_greeted_) return say("503 5.5.1 LHLO comes first: this is LMTP");
    if (const auto rest = after(line, "MAIL FROM:")) return take_sender(*rest);
    if (const auto rest = after(line, "RCPT TO:")) return take_receiver(*rest);
    if (!same_in_any_case(word, "DATA")) return say("500 5.5.1 that is not a command of LMTP");
    if (mail_.to.empty()) return say("503 5.5.1 it has no receiver");
    is_data_ = true;
    read_to_ = 0;
    say("354 send it, and a dot alone at its end");
}

void LmtpTalk::take_sender(std::string_view rest)
{
    const auto from = address_in(rest);
    if (has_sender_) return say("503 5.5.1 it has a sender already");
    if (!from) return say("501 5.5.4 MAIL FROM:<address>");
    mail_ = {.from = header_text(*from, 500)};
    has_sender_ = true;
    say("250 2.1.0 ok");
}

void LmtpTalk::take_receiver(std::string_view rest)
{
    const auto to = address_in(rest);
    if (!has_sender_) return say("503 5.5.1 MAIL comes first");
    if (!to) return say("501 5.5.4 RCPT TO:<address>");
    if (!knows_(*to)) return say("550 5.1.1 no account has this address");
    if (mail_.to.size() == kMostReceivers) return say("452 4.5.3 too many receivers");
    mail_.to.push_back(*to);
    say("250 2.1.5 ok");
}

void LmtpTalk::add_line(std::string_view line)
{
    if (line.starts_with('.')) line.remove_prefix(1);
    if (mail_.mail.size() + line.size() + 2 > kLargestMail) {
        mail_.is_too_large = true;
        mail_.mail.clear();
    }
    if (!mail_.is_too_large) mail_.mail.append(line).append("\r\n");
}

/// Whether the mail is whole. Only CR and LF together end a line: what else looks like an end is part of the mail.
bool LmtpTalk::read_data()
{
    std::size_t at = 0;
    bool is_whole = false;
    while (!is_whole) {
        const std::size_t end = bytes_.find("\r\n", std::max(at, read_to_));
        if (end == bytes_.npos) break;
        const std::string_view line = std::string_view(bytes_).substr(at, end - at);
        if (line == ".") is_whole = true;
        else add_line(line);
        at = end + 2;
    }
    bytes_.erase(0, at);
    // of a line that has no end yet, all but a CR has been looked through
    read_to_ = is_whole || bytes_.empty() ? 0 : bytes_.size() - 1;
    if (!is_whole && bytes_.size() > kLargestMail) {
        mail_.is_too_large = true;
        mail_.mail.clear();
        bytes_.erase(0, bytes_.size() - 2);  // its last bytes may begin the end
        read_to_ = 0;
    }
    return is_whole;
}

}  // namespace cadre::channels
