#include "net/redis.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "base/timeout.hpp"
#include "net/await.hpp"
#include "net/dial.hpp"
#include "net/loop.hpp"
#include "net/stream.hpp"
#include "net/tls.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <span>
#include <sys/un.h>
#include <utility>

namespace cadre::net {
namespace {

constexpr Millis kFirstPause{100};
constexpr Millis kLongestPause{5'000};
/// A silent connection is asked for a sign of life.
constexpr Millis kBeat{1'000};
constexpr std::size_t kRedisPiece = 16 << 10;

/// So long, or up to a quarter longer: not all that have lost a server come back at the same moment.
Millis with_jitter(Millis pause)
{
    return pause + Millis(system_random().below(static_cast<std::uint64_t>(pause.count()) / 4 + 1));
}

bool is_of_cluster(const std::string& word)
{
    return word == "MOVED" || word == "ASK" || word == "CLUSTERDOWN" || word == "CROSSSLOT";
}

bool is_about_us(const std::string& word)
{
    return word == "NOAUTH" || word == "WRONGPASS" || word == "NOPERM";
}

}  // namespace

RedisScript::RedisScript(std::string text) : text_(std::move(text))
{
    std::array<unsigned char, SHA_DIGEST_LENGTH> hash{};  // EVALSHA knows scripts by SHA-1
    ::SHA1(reinterpret_cast<const unsigned char*>(text_.data()), text_.size(), hash.data());
    append_hex(hash_, std::span<const std::uint8_t>(hash));
}

/// Shared by who waits and the line of those without an answer: who gives up leaves its place in the line.
struct Redis::Call {
    std::optional<RedisReply> reply{};
    std::string failure{};
    Signal done{};
};

Redis::Redis(Loop& loop, RedisOptions options, Log log)
    : loop_(loop), options_(std::move(options)), log_(std::move(log)), scope_(loop)
{
    if (options_.address.tls) trust_ = std::make_unique<TlsTrust>(TlsOptions{.ca_file = options_.ca_file});
    scope_.spawn(keep_connected());
}

Redis::~Redis() = default;

Async<> Redis::close()
{
    co_await scope_.close();
}

// ---- asking ----

Async<RedisReply> Redis::ask(std::vector<std::string> command)
{
    if (!connected())
        throw Error(Code::unavailable, "no connection to Redis" + (trouble_.empty() ? "" : ": " + trouble_));
    co_return co_await send(std::move(command));
}

Async<RedisReply> Redis::run(const RedisScript& script, std::vector<std::string> keys,
                             std::vector<std::string> arguments)
{
    std::vector<std::string> command{"EVALSHA", script.hash(), std::to_string(keys.size())};
    std::ranges::move(keys, std::back_inserter(command));
    std::ranges::move(arguments, std::back_inserter(command));
    std::vector<std::string> again = command;
    try {
        co_return co_await ask(std::move(command));
    } catch (const RedisRefusal& refusal) {
        if (refusal.word() != "NOSCRIPT") throw;
    }
    again[0] = "EVAL";
    again[1] = script.text();
    co_return co_await ask(std::move(again));
}

Async<RedisReply> Redis::send(std::vector<std::string> command)
{
    if (!stream_ || !broken_.empty()) throw Error(Code::unavailable, "no connection to Redis");
    if (calls_.size() >= options_.queue || unsent_.size() >= options_.queue_bytes)
        throw Error(Code::unavailable, "too much waits for Redis already");
    const auto call = std::make_shared<Call>();
    calls_.push_back(call);
    unsent_ += redis_command_text(command);
    to_write_.notify();
    const auto until_done = [](std::shared_ptr<Call> mine) -> Async<> {
        while (!mine->reply && mine->failure.empty()) co_await mine->done.wait();
    };
    try {
        co_await with_timeout(until_done(call), options_.timeout, "Redis");
    } catch (const Error& error) {
        break_off(error.what());  // what comes late would be in the way of every later answer
        throw;
    }
    if (!call->reply) throw Error(Code::unavailable, call->failure);
    if (call->reply->kind != RedisReply::Kind::error) co_return std::move(*call->reply);
    const RedisRefusal refusal(call->reply->text);
    if (is_of_cluster(refusal.word()))
        throw Error(Code::unavailable, "this Redis is part of a cluster, which is not supported; name a single server");
    throw RedisRefusal(refusal);
}

void Redis::take(RedisReply reply)
{
    if (calls_.empty()) throw Error(Code::upstream, "Redis answers more than it was asked");
    const auto call = std::move(calls_.front());
    calls_.pop_front();
    call->reply = std::move(reply);
    call->done.notify();
}

void Redis::break_off(std::string why) noexcept
{
    if (!broken_.empty()) return;
    broken_ = std::move(why);
    if (stream_) stream_->shut_down();
    stirred_.notify();
}

void Redis::fail_all(const std::string& why)
{
    for (const auto& call : std::exchange(calls_, {})) {
        call->failure = why;
        call->done.notify();
    }
    unsent_.clear();
}

// ---- the connection ----

Async<> Redis::keep_connected()
{
    Millis pause = kFirstPause;
    while (true) {
        const std::uint64_t before = connections_;
        std::string why;
        try {
            co_await converse();
        } catch (const RedisRefusal& refusal) {
            why = refusal.what();
            if (is_about_us(refusal.word())) pause = kLongestPause;  // a password does not become right in a moment
        } catch (const Error& error) {
            why = error.what();
        }
        if (connections_ != before) pause = kFirstPause;
        lose(std::move(why));
        co_await sleep_for(with_jitter(pause));
        pause = std::min(2 * pause, kLongestPause);
    }
}

void Redis::lose(std::string why)
{
    if (!std::exchange(told_, true))
        log_.warning("no connection to Redis; it is tried again, and work continues without it",
                     {{"redis", options_.address.origin()}, {"what", why}});
    trouble_ = std::move(why);
    changed_.notify();
}

/// Always ends with Error, or as it is cancelled.
Async<> Redis::converse()
{
    stream_ = co_await with_timeout(connect(), options_.timeout, "a connection to " + options_.address.origin());
    broken_.clear();
    std::exception_ptr failure;
    AsyncScope talk(co_await this_context());
    talk.spawn(read_all());
    talk.spawn(write_all());
    try {
        co_await greet();
        ++connections_;
        trouble_.clear();
        if (std::exchange(told_, false)) log_.info("connected to Redis again", {{"redis", options_.address.origin()}});
        changed_.notify();
        talk.spawn(beat());
        while (broken_.empty()) co_await stirred_.wait();
    } catch (...) {
        failure = std::current_exception();
    }
    const std::string why = broken_.empty() ? "the connection is closed" : broken_;
    if (connected()) trouble_ = why;  // from here on no question is taken
    co_await talk.close();
    stream_.reset();
    fail_all(why);
    if (failure) std::rethrow_exception(failure);
    throw Error(Code::unavailable, why);
}

Async<std::unique_ptr<Stream>> Redis::connect()
{
    const RedisAddress& address = options_.address;
    if (address.host.empty()) {
        using Local = boost::asio::local::stream_protocol;
        if (address.file.size() >= sizeof(sockaddr_un::sun_path))
            throw Error(Code::invalid, "the path of Redis' socket is too long: " + address.file);
        Local::socket socket(loop_.io());
        const auto error = co_await socket.async_connect(Local::endpoint(address.file), use_async);
        if (error) throw Error(Code::upstream, "no connection: " + error.message());
        co_return std::make_unique<Stream>(std::move(socket));
    }
    auto found = co_await resolve(loop_, address.host);
    auto socket = co_await connect_any(loop_, std::move(found), address.port);
    auto stream = std::make_unique<Stream>(std::move(socket));
    if (address.tls) co_await stream->start_tls(*trust_, address.host);
    co_return stream;
}

/// Says who we are, and hears whether the server is ready for us.
Async<> Redis::greet()
{
    const RedisAddress& address = options_.address;
    if (!address.password.empty()) {
        std::vector<std::string> command{"AUTH"};
        if (!address.user.empty()) command.push_back(address.user);
        command.emplace_back(address.password.reveal());
        co_await send(std::move(command));
    }
    if (address.database != 0) co_await send({"SELECT", std::to_string(address.database)});
    co_await send({"PING"});
}

Async<> Redis::read_all()
{
    RedisReader reader;
    std::vector<char> piece(kRedisPiece);
    std::string why = "Redis has closed the connection";
    try {
        while (true) {
            const IoResult result = stream_->try_read(piece.data(), piece.size());
            if (result.state == IoState::closed) break;
            if (result.state == IoState::failed) throw Error(Code::upstream, stream_->failure());
            if (result.state != IoState::done) {
                co_await stream_->wait(result.state);
                continue;
            }
            reader.feed({piece.data(), result.size});
            while (auto reply = reader.next()) take(std::move(*reply));
        }
    } catch (const Error& error) {
        why = error.what();
    }
    break_off(std::move(why));
    fail_all(broken_);
}

Async<> Redis::write_all()
{
    while (broken_.empty()) {
        while (unsent_.empty()) co_await to_write_.wait();
        const std::string text = std::exchange(unsent_, {});
        for (std::size_t at = 0; at < text.size();) {
            const IoResult result = stream_->try_write(std::string_view(text).substr(at));
            if (result.state == IoState::done) at += result.size;
            else if (result.state == IoState::wants_read || result.state == IoState::wants_write)
                co_await stream_->wait(result.state);
            else co_return break_off("Redis has closed the connection");
        }
    }
}

/// One that stands still is noticed also while it is asked nothing.
Async<> Redis::beat()
{
    while (broken_.empty()) {
        co_await sleep_for(kBeat);
        std::string why;
        try {
            if (calls_.empty()) co_await send({"PING"});
        } catch (const Error& error) {
            why = error.what();
        }
        if (!why.empty()) break_off(std::move(why));
    }
}

}  // namespace cadre::net
