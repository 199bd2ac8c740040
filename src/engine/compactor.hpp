// Who makes a conversation shorter that has outgrown its model's window.
#pragma once

#include "base/async_fwd.hpp"
#include "llm/model.hpp"
#include "model/type.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::engine {

struct Agent;
class Run;

/// What the next model call of an agent would be sent.
struct Window {
    std::vector<std::shared_ptr<llm::Model>> models{};  // who may be asked, as far as they can be
    llm::Request request{};
    std::int64_t limit = 0;  // tokens of its messages: what the agent remembers of what was said
};

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
    std::int64_t upto = 0;
    std::vector<std::uint32_t> kept{};
    std::string summary{};  // empty: none
    std::vector<ShortenedMessage> shortened{};
    std::vector<std::uint32_t> inputs{};  // records with instructions that are told before
    std::int64_t tokens_before = 0;       // of the messages
    std::int64_t tokens_after = 0;
    // for who sums up; while `summary` is empty
    bool sums_up = false;           // a model is asked
    std::int64_t most_asked = 0;    // bytes of one question to it
    std::int64_t most_summary = 0;  // bytes

    bool changes_nothing() const { return upto == 0 && shortened.empty(); }
    bool operator==(const Compaction&) const = default;
};
const model::Entity& describe(const Compaction*);

/// Lives on the loop of whoever asks, and longer.
class Compactor {
public:
    /// Asked before each model call of a run that is not replayed: it must be cheap.
    virtual bool is_full(const Window& window) = 0;
    /// What is to be done. Once a model is to be asked, it is recorded, and not decided again.
    virtual Async<Compaction> plan(Run& run, const Agent& agent, const Window& window) = 0;
    /// Writes the summary. May think in `run`, a scope of its own. Must not fail for want of a model.
    virtual Async<> sum_up(Run& run, const Agent& agent, const Window& window, Compaction& plan) = 0;
    /// Tokens of the request, if it counts them. Throws Error that says by how much it is too long.
    virtual std::optional<std::int64_t> measure(const Window& window) = 0;

protected:
    ~Compactor() = default;
};

}  // namespace cadre::engine
