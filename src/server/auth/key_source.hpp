// Where the keys come from that tokens are checked with: a secret, a file that is watched, a URL that is asked now and then.
#pragma once

#include "base/async_fwd.hpp"
#include "base/log.hpp"
#include "base/secret.hpp"
#include "base/time.hpp"
#include "config/access_settings.hpp"
#include "server/auth/jwt_keys.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace cadre::net {
class Http;
}

namespace cadre::server {

using KeysPtr = std::shared_ptr<const JwtKeys>;

/// Lives on its loop.
class KeySource {
public:
    virtual ~KeySource() = default;

    /// `missed`: a token names a key that those given last do not have, so newer ones are wanted. Throws Error(unavailable).
    virtual Async<KeysPtr> keys(bool missed) = 0;
    /// What is wrong with it right now, for health; empty: nothing. Old keys may still be good.
    virtual std::string trouble() const = 0;
};

/// From settings without faults; what it is given outlives it. Throws Error(invalid) for a file that does not hold keys.
std::unique_ptr<KeySource> key_source(const config::JwtSettings& settings, const Secret& secret, net::Http& http,
                                      const Clock& clock, Log log);

// ---- when a URL is asked ----

/// What is known of the keys behind a URL.
struct FetchState {
    std::optional<Instant> fetched{};  // the keys that are there; none: there are none
    std::optional<Instant> tried{};    // the last time that they were asked for
    bool failed = false;               // then
};
enum class FetchStep : std::uint8_t {
    use,     // the keys that are there
    fetch,   // ask for them; when that fails, whatever comes without asking
    refuse,  // there are none that are good, and it is too early to ask again
};
FetchStep next_fetch(const FetchState& state, bool missed, Instant now);

inline constexpr Millis kKeysAreNew{3'600'000};    // after that they are asked for again
inline constexpr Millis kKeysAreGood{86'400'000};  // while they cannot be had again
inline constexpr Millis kBetweenFetches{60'000};   // for keys that are not known: any stranger can name some
inline constexpr Millis kBetweenFailures{10'000};  // while there are no new ones at all

}  // namespace cadre::server
