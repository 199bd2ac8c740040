#include "server/auth/key_source.hpp"

#include "base/async.hpp"
#include "base/signal.hpp"
#include "base/timeout.hpp"
#include "net/http.hpp"
#include "server/auth/jwks.hpp"
#include "server/auth/jwt_settings.hpp"
#include "storage/files.hpp"

#include <sys/stat.h>

#include <array>
#include <utility>

namespace cadre::server {
namespace {

constexpr Millis kFetchTime{5'000};

/// Throws Error when no key of the set can be used: what follows would refuse everybody.
KeysPtr keys_from(std::string_view text, const std::string& where, const Log& log)
{
    Jwks set = parse_jwks(text);
    for (const std::string& why : set.refused)
        log.warning("a key of tokens is left out", {{"from", where}, {"why", why}});
    if (set.keys.size() == 0) throw Error(Code::invalid, where + " has no key that can be used");
    return std::make_shared<const JwtKeys>(std::move(set.keys));
}

class FixedKeys final : public KeySource {
public:
    explicit FixedKeys(const Secret& secret)
    {
        JwtKeys keys;
        keys.add("", JwtKey::secret(secret));
        keys_ = std::make_shared<const JwtKeys>(std::move(keys));
    }

    Async<KeysPtr> keys(bool) override { co_return keys_; }
    std::string trouble() const override { return {}; }

private:
    KeysPtr keys_;
};

class KeyFile final : public KeySource {
public:
    KeyFile(std::string file, Log log) : file_(std::move(file)), log_(std::move(log))
    {
        stamp_ = stamp();
        const auto text = storage::find_file(file_);
        if (!text) throw Error(Code::invalid, "server.jwt.jwks_file: there is no file " + file_);
        try {
            keys_ = keys_from(*text, file_, log_);
        } catch (const Error& error) {
            throw Error(Code::invalid, "server.jwt.jwks_file: " + std::string(error.what()));
        }
    }

    Async<KeysPtr> keys(bool) override
    {
        // one look at the file's times for each token that is not known yet: cheaper than checking its signature
        if (const Stamp now = stamp(); now != stamp_) read_again(now);
        co_return keys_;
    }
    std::string trouble() const override { return trouble_; }

private:
    using Stamp = std::array<std::int64_t, 4>;

    Stamp stamp() const
    {
        struct stat found{};
        if (::stat(file_.c_str(), &found) != 0) return {};
        return {static_cast<std::int64_t>(found.st_ino), found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
    }

    /// A file that is gone or broken changes nothing: the keys that were good still are.
    void read_again(const Stamp& now)
    {
        stamp_ = now;
        try {
            const auto text = storage::find_file(file_);
            if (!text) throw Error(Code::unavailable, "the file is gone");
            keys_ = keys_from(*text, file_, log_);
            trouble_.clear();
        } catch (const Error& error) {
            trouble_ = "the keys of tokens cannot be read again: " + std::string(error.what());
            log_.warning("keys of tokens", {{"file", file_}, {"what", error.what()}});
        }
    }

    std::string file_;
    Log log_;
    Stamp stamp_{};
    KeysPtr keys_;
    std::string trouble_;
};

class KeyUrl final : public KeySource {
public:
    KeyUrl(std::string url, net::Http& http, const Clock& clock, Log log)
        : url_(std::move(url)), http_(http), clock_(clock), log_(std::move(log))
    {}

    Async<KeysPtr> keys(bool missed) override
    {
        FetchStep step = next_fetch(state_, missed, clock_.instant());
        while (step == FetchStep::fetch) {
            // whoever has good keys does not wait for newer ones that somebody else asks for
            if (fetching_ && !missed && keys_ && clock_.instant() - *state_.fetched < kKeysAreGood) co_return keys_;
            if (fetching_) co_await fetched_.wait();
            else co_await fetch();
            step = next_fetch(state_, missed, clock_.instant());
        }
        if (step == FetchStep::use) co_return keys_;
        throw Error(Code::unavailable, "tokens cannot be checked: the keys of their issuer cannot be had right now");
    }
    std::string trouble() const override { return trouble_; }

private:
    /// Clears the flag however the fetch ends, so that no cancelled one is waited for.
    struct Under {
        explicit Under(KeyUrl& source) : source(source) { source.fetching_ = true; }
        ~Under()
        {
            source.fetching_ = false;
            source.fetched_.notify();
        }
        KeyUrl& source;
    };

    Async<> fetch()
    {
        const Under under(*this);
        bool failed = true;
        std::string why;
        try {
            const std::string text = co_await with_timeout(ask(), kFetchTime, "the issuer of tokens");
            keys_ = keys_from(text, url_, log_);
            state_.fetched = clock_.instant();
            failed = false;
        } catch (const Error& error) {
            why = error.what();
        }
        state_.tried = clock_.instant();
        state_.failed = failed;
        trouble_ = failed ? "the keys of tokens cannot be had: " + why : "";
        if (failed) log_.warning("keys of tokens", {{"url", url_}, {"what", why}});
    }

    Async<std::string> ask()
    {
        net::HttpRequest request{.url = url_, .headers = {{"Accept", "application/json"}}, .largest = kLargestJwks};
        const auto reply = co_await http_.send(std::move(request));
        if (reply->status() != 200)
            throw Error(Code::upstream, "the answer has the status " + std::to_string(reply->status()));
        co_return co_await net::read_all(*reply);
    }

    std::string url_;
    net::Http& http_;
    const Clock& clock_;
    Log log_;
    FetchState state_;
    KeysPtr keys_;
    std::string trouble_;
    bool fetching_ = false;
    Signal fetched_;
};

}  // namespace

FetchStep next_fetch(const FetchState& state, bool missed, Instant now)
{
    const auto age = state.fetched ? now - *state.fetched : Monotonic::duration::max();
    const auto since = state.tried ? now - *state.tried : Monotonic::duration::max();
    const bool is_new = age < kKeysAreNew;
    const bool waits = is_new ? since < kBetweenFetches : state.failed && since < kBetweenFailures;
    if (is_new && !missed) return FetchStep::use;
    if (!waits) return FetchStep::fetch;
    return age < kKeysAreGood ? FetchStep::use : FetchStep::refuse;
}

std::unique_ptr<KeySource> key_source(const config::JwtSettings& settings, const Secret& secret, net::Http& http,
                                      const Clock& clock, Log log)
{
    if (!settings.jwks_file.empty()) return std::make_unique<KeyFile>(settings.jwks_file, std::move(log));
    if (!settings.jwks_url.empty()) return std::make_unique<KeyUrl>(settings.jwks_url, http, clock, std::move(log));
    return std::make_unique<FixedKeys>(secret);
}

}  // namespace cadre::server
