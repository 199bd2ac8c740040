// Gate: who may ask a vendor now. The one for a key knows what its account is allowed, and hears what the vendor says of it.
#pragma once

#include "base/async_fwd.hpp"
#include "net/http.hpp"

#include <cstdint>

namespace cadre::llm {

inline constexpr int kTooManyRequests = 429;

class ChunkSink;

class Gate {
public:
    virtual ~Gate() = default;

    /// Before a request of about so many tokens, those of its answer included. Returns when it is its turn, tells `sink` when it
    /// has to wait, and throws ModelError when asking makes no sense now.
    virtual Async<> enter(std::int64_t tokens, ChunkSink& sink) = 0;
    /// After it, for each enter() that returned: the status and headers of the answer as soon as they are there; 0 and none when
    /// nothing came. A status that promises an answer is followed by ended() or withdraw(), or by 429 when the answer says that.
    virtual void learn(int status, const net::HttpHeaders& headers) noexcept = 0;
    /// Whether the answer was one, to its end.
    virtual void ended(bool well) noexcept = 0;
    /// The one who asked gave up: that says nothing about the vendor.
    virtual void withdraw() noexcept = 0;
};

}  // namespace cadre::llm
