// What a mail server says: bytes in, replies out (RFC 5321 §4.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::channels {

struct SmtpReply {
    int code = 0;
    std::vector<std::string> lines{};  // without code and end

    /// All lines as one, for people.
    std::string text() const;
    bool operator==(const SmtpReply&) const = default;
};

class SmtpReader {
public:
    void feed(std::string_view bytes) { bytes_ += bytes; }
    /// The next whole reply. Throws Error(upstream) for what is none, or too long: nothing can be read after that.
    std::optional<SmtpReply> next();
    /// Drops what was not asked for: behind the answer to STARTTLS it may be anybody's.
    void forget();

private:
    std::string bytes_{};
    SmtpReply reply_{};  // its first lines
};

}  // namespace cadre::channels
