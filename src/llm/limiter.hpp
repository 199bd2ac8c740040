// Limiter: when the next request with one key may leave. It learns from the vendor's headers what is left of a minute's requests and
// tokens, and obeys `Retry-After` for everybody who shares the key.
#pragma once

#include "base/time.hpp"
#include "net/http.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace cadre::llm {

/// A plain value; its owner says what time it is.
class Limiter {
public:
    /// When a request of about so many tokens may leave; not later than `now`: at once, and it is counted.
    Instant enter(Instant now, std::int64_t tokens);
    /// Nothing leaves before then.
    void block(Instant until);
    /// What an answer says of what is left. `wall` is the time of day, for headers that name one.
    void learn(const net::HttpHeaders& headers, Instant now, Time wall);

private:
    /// What is left of one kind until it is filled up again; unknown at first.
    struct Allowance {
        std::optional<std::int64_t> left{};
        Instant full_at{};
    };

    static Instant when(Allowance& allowance, std::int64_t amount, Instant now);

    Allowance requests_;
    Allowance tokens_;
    Instant blocked_until_{};
};

/// `1s`, `6m0s`, `250ms`, `1h2m3.5s`: how vendors write durations in headers.
std::optional<Millis> header_duration(std::string_view text);

}  // namespace cadre::llm
