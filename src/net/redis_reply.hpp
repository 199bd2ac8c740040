// What is said to a Redis server and what it says, as bytes: hiredis reads and writes them, and knows nothing of sockets.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::net {

struct RedisReply {
    enum class Kind : std::uint8_t { nil, text, status, number, list, error };

    Kind kind = Kind::nil;
    std::string text{};  // of an error, too
    std::int64_t number = 0;
    std::vector<RedisReply> list{};

    bool operator==(const RedisReply&) const = default;
};

/// The server has read the command and will not do it: `NOPERM this user has no permissions …`.
class RedisRefusal : public Error {
public:
    explicit RedisRefusal(const std::string& text);

    /// Its first word, by which programs tell refusals apart.
    const std::string& word() const { return word_; }

private:
    std::string word_;
};

/// A command as an array of byte strings: nothing in it can be taken for another command.
std::string redis_command_text(std::span<const std::string> words);

/// Bytes in, replies out.
class RedisReader {
public:
    static constexpr std::size_t kLargestReply = std::size_t{16} << 20;
    static constexpr int kLongestList = 1 << 16;

    RedisReader();
    RedisReader(const RedisReader&) = delete;
    RedisReader& operator=(const RedisReader&) = delete;
    ~RedisReader();

    void feed(std::string_view bytes);
    /// The next whole one. Throws Error(upstream) for what is not the protocol, too deep or too large; then the connection is of no use
    /// any more.
    std::optional<RedisReply> next();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::net
