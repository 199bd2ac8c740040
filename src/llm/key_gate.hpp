// KeyGate: the gate of one key at one endpoint: its limiter and its breaker, and the waiting.
#pragma once

#include "base/breaker.hpp"
#include "base/log.hpp"
#include "llm/gate.hpp"
#include "llm/limiter.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace cadre {
class Loop;
class Random;
}  // namespace cadre

namespace cadre::llm {

class Model;

/// Shared by all models with that key; lives on one loop.
class KeyGate final : public Gate {
public:
    /// `name` is for people: `openai`, `ollama at http://127.0.0.1:11434`.
    KeyGate(std::string name, Loop& loop, Random& random, Log log);

    /// Throws ModelError: `circuit_open` at once while the endpoint does not work, rate_limited when its turn comes later than the
    /// deadline of the one who asks.
    Async<> enter(std::int64_t tokens, ChunkSink& sink) override;
    void learn(int status, const net::HttpHeaders& headers) noexcept override;
    void ended(bool well) noexcept override;
    void withdraw() noexcept override { breaker_.withdrawn(); }

    BreakerState state() const { return breaker_.state(); }

private:
    Millis jitter();

    std::string name_;
    Loop& loop_;
    Random& random_;
    Log log_;
    Limiter limiter_;
    Breaker breaker_;
    int refusals_ = 0;  // 429s in a row, for vendors that do not say how long
};

/// `model`, asked again and again while all that its vendor says is to come back later. The deadline of the one who asks ends that.
std::shared_ptr<Model> patient(std::shared_ptr<Model> model);

}  // namespace cadre::llm
