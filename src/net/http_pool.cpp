#include "net/http_pool.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace cadre::net {
namespace {

/// As much as a record of TLS holds.
constexpr std::size_t kReadPiece = 16 << 10;

}  // namespace

HttpPlace::HttpPlace(std::shared_ptr<HttpPool> pool) : pool_(std::move(pool))
{
    pool_->make_room();
    ++pool_->open_;
}

HttpPlace::~HttpPlace()
{
    if (pool_) --pool_->open_;
}

PooledConnection::PooledConnection(HttpPlace place, std::string key, Stream::Socket socket)
    : place_(std::move(place)), key_(std::move(key)), stream_(std::move(socket))
{}

void PooledConnection::use(std::size_t count)
{
    begin_ += count;
}

IoResult PooledConnection::try_fill()
{
    if (begin_ == end_) begin_ = end_ = 0;
    if (end_ == capacity_ || !buffer_) {
        const std::size_t kept = end_ - begin_;
        const std::size_t wanted =
            kept > kReadPiece / 2 ? 2 * capacity_ : kReadPiece;  // a head may be longer than a piece
        auto larger = std::make_unique_for_overwrite<char[]>(wanted);
        if (kept > 0) std::memcpy(larger.get(), buffer_.get() + begin_, kept);
        buffer_ = std::move(larger);
        capacity_ = wanted;
        begin_ = 0;
        end_ = kept;
    }
    const std::size_t room = capacity_ - end_;
    const IoResult result = stream_.try_read(buffer_.get() + end_, room);
    may_have_more_ = result.state != IoState::wants_read && (result.state != IoState::done || result.size == room);
    end_ += result.size;
    return result;
}

void PooledConnection::slim()
{
    if (begin_ != end_) return;
    buffer_.reset();
    capacity_ = begin_ = end_ = 0;
}

std::unique_ptr<PooledConnection> HttpPool::take(const std::string& key)
{
    const auto found = idle_.find(key);
    if (found == idle_.end()) return nullptr;
    std::unique_ptr<PooledConnection> alive;
    while (!alive && !found->second.empty()) {
        auto connection = std::move(found->second.back().connection);
        found->second.pop_back();
        --idle_count_;
        if (!connection->stream().has_stirred()) alive = std::move(connection);
    }
    if (found->second.empty()) idle_.erase(found);
    return alive;
}

void HttpPool::give(std::unique_ptr<PooledConnection> connection, std::optional<Millis> most)
{
    const Millis time = std::min(limits_.idle_time, most.value_or(limits_.idle_time));
    if (closed_ || time <= Millis::zero() || limits_.idle == 0 || limits_.idle_per_origin == 0) return;
    connection->slim();
    auto& same = idle_[connection->key()];
    const Instant due = later(loop_.now(), time);
    same.push_back({std::move(connection), due});
    ++idle_count_;
    if (same.size() > limits_.idle_per_origin) {
        same.pop_front();
        --idle_count_;
    } else if (idle_count_ > limits_.idle) {
        drop_oldest();
    }
    if (due >= alarm_) return;
    alarm_ = due;
    loop_.start(*this, due);
}

void HttpPool::make_room()
{
    if (open_ < limits_.open) return;
    if (idle_count_ == 0)
        throw Error(Code::unavailable, std::to_string(limits_.open) + " connections are open already: ask again later");
    drop_oldest();
}

void HttpPool::close()
{
    closed_ = true;
    stop();
    idle_count_ = 0;
    std::exchange(idle_, {}).clear();
}

void HttpPool::fire() noexcept
{
    const Instant now = loop_.now();
    alarm_ = kNever;
    for (auto origin = idle_.begin(); origin != idle_.end();) {
        idle_count_ -= std::erase_if(origin->second, [&](const Idle& idle) { return idle.due <= now; });
        for (const Idle& idle : origin->second) alarm_ = std::min(alarm_, idle.due);
        origin = origin->second.empty() ? idle_.erase(origin) : std::next(origin);
    }
    if (alarm_ != kNever) loop_.start(*this, alarm_);
}

void HttpPool::drop_oldest() noexcept
{
    const auto oldest =
        std::ranges::min_element(idle_, {}, [](const auto& origin) { return origin.second.front().due; });
    oldest->second.pop_front();
    --idle_count_;
    if (oldest->second.empty()) idle_.erase(oldest);
}

}  // namespace cadre::net
