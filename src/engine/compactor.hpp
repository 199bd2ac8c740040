// Who makes a conversation shorter that has outgrown its model's window.
#pragma once

#include "base/async_fwd.hpp"
#include "llm/model.hpp"
#include "model/type.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cadre::engine {

struct Agent;
class Run;

using Messages = std::span<const std::shared_ptr<const llm::Message>>;

/// Another text in place of a message's own.
struct ShortenedMessage {
    int message = 0;  // its number, from 0 on
    std::string text{};

    bool operator==(const ShortenedMessage&) const = default;
};
const model::Entity& describe(const ShortenedMessage*);

/// What becomes of a conversation: of the messages before `upto` only those in `kept` stay, in their order, and behind them stands the
/// summary. A call and its results are never apart.
struct Compaction {
    std::size_t upto = 0;
    std::vector<std::uint32_t> kept{};
    std::string summary{};  // empty: none
    std::vector<ShortenedMessage> shortened{};
    std::int64_t tokens_before = 0;
    std::int64_t tokens_after = 0;

    bool changes_nothing() const { return upto == 0 && shortened.empty(); }
};

/// Lives on the loop of whoever asks, and longer.
class Compactor {
public:
    /// Asked before each model call of a run that is not replayed: it must be cheap.
    virtual bool is_full(const Agent& agent, Messages messages) = 0;
    /// May think in `run`, a scope of its own. Must not fail for want of a model.
    virtual Async<Compaction> compact(Run& run, const Agent& agent, Messages messages) = 0;

protected:
    ~Compactor() = default;
};

}  // namespace cadre::engine
