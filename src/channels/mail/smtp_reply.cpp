#include "channels/mail/smtp_reply.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "channels/mail/mail_words.hpp"

#include <algorithm>
#include <charconv>

namespace cadre::channels {
namespace {

constexpr std::size_t kLongestReplyLine = 2048;
constexpr std::size_t kMostReplyLines = 200;
constexpr std::size_t kLongestShown = 300;

[[noreturn]] void throw_no_reply()
{
    throw Error(Code::upstream, "the mail server says something that is not a reply of SMTP");
}

}  // namespace

std::string SmtpReply::text() const
{
    std::string all;
    for (const std::string& line : lines) all += (all.empty() ? "" : " ") + line;
    return header_text(all, kLongestShown);
}

std::optional<SmtpReply> SmtpReader::next()
{
    while (true) {
        const std::size_t end = bytes_.find('\n');
        if (std::min(end, bytes_.size()) > kLongestReplyLine) throw_no_reply();
        if (end == bytes_.npos) return std::nullopt;
        if (end == 0 || bytes_[end - 1] != '\r') throw_no_reply();  // only both together end a line
        const std::string line = bytes_.substr(0, end - 1);
        bytes_.erase(0, end + 1);
        int code = 0;
        const auto [at, error] =
            std::from_chars(line.data(), line.data() + std::min<std::size_t>(line.size(), 3), code);
        const bool is_last = line.size() == 3 || (line.size() > 3 && line[3] == ' ');
        if (error != std::errc() || at != line.data() + 3 || code < 200 || code > 599) throw_no_reply();
        if (!is_last && line[3] != '-') throw_no_reply();
        if (!reply_.lines.empty() && code != reply_.code) throw_no_reply();
        if (reply_.lines.size() == kMostReplyLines) throw_no_reply();
        reply_.code = code;
        reply_.lines.push_back(line.size() > 4 ? line.substr(4) : "");
        if (is_last) return std::exchange(reply_, {});
    }
}

void SmtpReader::forget()
{
    bytes_.clear();
    reply_ = {};
}

}  // namespace cadre::channels
