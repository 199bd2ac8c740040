// Our side of a conversation in which a mail server hands us mails (LMTP, RFC 2033): bytes in, replies and mails out.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::channels {

/// A whole mail with its dots as they were written. Each of its receivers is answered by itself.
struct LmtpMail {
    std::string from{};  // the return path; empty: it wants no answer
    std::vector<std::string> to{};
    std::string mail{};
    bool is_too_large = false;  // what there is of it is not kept
};

class LmtpTalk {
public:
    /// `knows`: whether mail for that address is taken here.
    explicit LmtpTalk(std::function<bool(std::string_view)> knows) : knows_(std::move(knows)) {}

    void feed(std::string_view bytes) { bytes_ += bytes; }
    /// Goes on until a mail is whole, or more bytes are needed. After a mail, answer() comes first.
    std::optional<LmtpMail> next();
    /// One reply for each receiver of the last mail.
    void answer(const std::vector<std::string>& replies);
    /// What is to be written.
    std::string take_output() { return std::exchange(output_, {}); }
    /// Nothing more is said after the output.
    bool has_ended() const { return has_ended_; }

private:
    void take(std::string_view line);
    void take_sender(std::string_view rest);
    void take_receiver(std::string_view rest);
    void say(std::string_view reply) { output_.append(reply).append("\r\n"); }
    bool read_data();
    void add_line(std::string_view line);

    std::function<bool(std::string_view)> knows_;
    std::string bytes_{};
    std::string output_ = "220 cadre LMTP ready\r\n";
    LmtpMail mail_{};
    std::size_t read_to_ = 0;  // of bytes_, looked through for the end of a line
    bool is_greeted_ = false;
    bool has_sender_ = false;
    bool is_data_ = false;
    bool has_ended_ = false;
};

}  // namespace cadre::channels
