// A client of Redis: one connection that many use at once. It comes back by itself when it is lost, and no question to it waits long.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/log.hpp"
#include "base/signal.hpp"
#include "base/time.hpp"
#include "net/redis_reply.hpp"
#include "net/redis_url.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::net {

class Loop;
class Stream;
class TlsTrust;

struct RedisOptions {
    RedisAddress address{};
    std::string ca_file{};                                 // PEM, for TLS; empty: what OpenSSL trusts here
    Millis timeout{250};                                   // for a connection, and for each answer
    std::size_t queue = 1'000;                             // commands without an answer
    std::size_t queue_bytes = RedisReader::kLargestReply;  // of those that are not sent
};

/// A text of Lua, and its hash.
class RedisScript {
public:
    explicit RedisScript(std::string text);

    const std::string& text() const { return text_; }
    const std::string& hash() const { return hash_; }

private:
    std::string text_;
    std::string hash_;
};

/// Lives on its loop, longer than those who ask; close() before it dies.
class Redis {
public:
    /// Throws Error(invalid) when the file of authorities cannot be read.
    Redis(Loop& loop, RedisOptions options, Log log);
    Redis(const Redis&) = delete;
    Redis& operator=(const Redis&) = delete;
    ~Redis();

    /// Throws RedisRefusal when the server will not; Error(unavailable | timeout) when there is no answer, and then it is not known whether it
    /// was done. While there is no connection it throws at once.
    Async<RedisReply> ask(std::vector<std::string> command);
    /// Runs a script, which the server keeps by its hash from the first time on.
    Async<RedisReply> run(const RedisScript& script, std::vector<std::string> keys, std::vector<std::string> arguments);

    bool connected() const { return connections_ > 0 && trouble_.empty(); }
    /// Grows with each connection that came about.
    std::uint64_t connections() const { return connections_; }
    /// Why there is no connection; empty while there is one, or before the first attempt.
    const std::string& trouble() const { return trouble_; }
    /// A connection came about, or was lost, or could not be made.
    Signal& changed() { return changed_; }

    Async<> close();

private:
    struct Call;

    Async<> keep_connected();
    Async<> converse();
    Async<std::unique_ptr<Stream>> connect();
    Async<> greet();
    Async<> read_all();
    Async<> write_all();
    Async<> beat();
    Async<RedisReply> send(std::vector<std::string> command);
    void take(RedisReply reply);
    void break_off(std::string why) noexcept;
    void fail_all(const std::string& why);
    void lose(std::string why);

    Loop& loop_;
    RedisOptions options_;
    Log log_;
    std::unique_ptr<TlsTrust> trust_;
    std::unique_ptr<Stream> stream_;
    std::deque<std::shared_ptr<Call>> calls_;  // without an answer, in the order of their answers
    std::string unsent_;
    std::string broken_;  // why this connection is of no use any more
    std::string trouble_;
    std::uint64_t connections_ = 0;
    bool told_ = false;  // in the log, that there is no connection
    Signal to_write_;
    Signal stirred_;
    Signal changed_;
    AsyncScope scope_;  // last: what it spawned uses all of the above
};

}  // namespace cadre::net
