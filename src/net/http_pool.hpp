// Connections that wait for their next request, by what they lead to.
#pragma once

#include "base/loop.hpp"
#include "net/stream.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::net {

class HttpPool;

/// One of the connections that a pool allows at once.
class HttpPlace {
public:
    explicit HttpPlace(std::shared_ptr<HttpPool> pool);
    HttpPlace(HttpPlace&&) noexcept = default;
    HttpPlace& operator=(HttpPlace&&) = delete;
    ~HttpPlace();

    HttpPool& pool() const { return *pool_; }

private:
    std::shared_ptr<HttpPool> pool_;
};

/// A stream and what has come through it that nobody has used yet. Its buffer exists only while there is something in it.
class PooledConnection {
public:
    PooledConnection(HttpPlace place, std::string key, Stream::Socket socket);

    HttpPool& pool() const { return place_.pool(); }
    Stream& stream() { return stream_; }
    const std::string& key() const { return key_; }

    std::string_view received() const { return {buffer_.get() + begin_, end_ - begin_}; }
    void use(std::size_t count);
    /// Reads behind what has been received. `done`: there is more of it. Views into it are void.
    IoResult try_fill();
    /// False when the last try took everything that had come: another one is worth nothing before the socket has been waited for.
    bool may_have_more() const { return may_have_more_; }
    void waited() { may_have_more_ = true; }
    /// Before a long wait: an empty buffer goes.
    void slim();

private:
    HttpPlace place_;
    std::string key_;
    Stream stream_;
    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool may_have_more_ = true;
};

struct HttpPoolLimits {
    std::size_t open = 20'000;  // connections at once; more are refused
    std::size_t idle = 256;     // of them without a request
    std::size_t idle_per_origin = 64;
    Millis idle_time{30'000};
};

/// Lives on its loop. Connections share it.
class HttpPool final : Timer {
public:
    HttpPool(cadre::Loop& loop, const HttpPoolLimits& limits) : loop_(loop), limits_(limits) {}

    /// The youngest one that leads there and has not been closed meanwhile; or null.
    std::unique_ptr<PooledConnection> take(const std::string& key);
    /// Keeps it for the next one, for `most` at the longest; the oldest ones go when there are too many.
    void give(std::unique_ptr<PooledConnection> connection, std::optional<Millis> most = {});
    /// Closes one that is idle if there is no room for another. Throws Error(unavailable).
    void make_room();
    /// Nobody will ask any more: what is idle goes, and what comes back too.
    void close();

    std::size_t open() const { return open_; }
    std::size_t idle() const { return idle_count_; }

private:
    friend class HttpPlace;
    struct Idle {
        std::unique_ptr<PooledConnection> connection;
        Instant due;
    };

    void fire() noexcept override;
    void drop_oldest() noexcept;

    cadre::Loop& loop_;
    HttpPoolLimits limits_;
    bool closed_ = false;
    std::size_t open_ = 0;
    std::size_t idle_count_ = 0;
    Instant alarm_ = kNever;                        // when fire() looks again
    std::map<std::string, std::deque<Idle>> idle_;  // oldest first; none is empty
};

}  // namespace cadre::net
