// What was said in a session before a task: a chain of documents in the store. Each holds one turn and names the one before it by
// the hash of its text, so a conversation grows by its new bytes only, and no task needs the journal of another.
#pragma once

#include "base/async_fwd.hpp"
#include "llm/model.hpp"
#include "model/step.hpp"
#include "model/type.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

/// Kind of the documents, by the hash of their text: `{"before":KEY|null,"messages":[{"role":…,"text":…},…]}`, and `"instead":[…]` where
/// there is a summary of the turns before.
inline constexpr std::string_view kConversationDocument = "conversation";

/// A run hears no more than this of what was said before; what is older is cut off at a turn's boundary.
inline constexpr std::size_t kMaxHistoryMessages = 200;
inline constexpr std::size_t kMaxHistoryBytes = std::size_t{1} << 20;

struct TurnMessage {
    model::Role role = model::Role::user;  // or assistant
    std::string text{};

    bool operator==(const TurnMessage&) const = default;
};
const model::Entity& describe(const TurnMessage*);

struct Turn {
    std::optional<std::string> before{};  // key of the turn before
    std::vector<TurnMessage> messages{};
    /// What a run hears in place of the turns before it, where they had become too long; then it goes back no further.
    std::vector<TurnMessage> instead{};

    bool operator==(const Turn&) const = default;
};

/// The document's text; the same turn always has the same.
std::string document_text(const Turn& turn);
/// Throws Error(invalid) that says what is wrong.
Turn turn_from(std::string_view text);
std::string key_of(std::string_view text);

/// The messages that a run begins with, the oldest first. Shared with the requests that are made of them.
using History = std::vector<std::shared_ptr<const llm::Message>>;

struct HistoryLimits {
    std::size_t messages = kMaxHistoryMessages;
    std::size_t bytes = kMaxHistoryBytes;
    bool to_the_first = false;  // passes by summaries: every turn as it was
};

/// From a turn back to the first one, to one with a summary, or to what still fits: says which document it wants, and takes it. No I/O.
class HistoryWalk {
public:
    explicit HistoryWalk(std::optional<std::string> key, HistoryLimits limits = {});

    /// Key of the document to be read next; nothing: that is all.
    const std::optional<std::string>& wants() const { return wants_; }
    /// Throws Error(unavailable) when this is not the text of that document.
    void take(std::string_view text);

    /// All that was taken and fits, the oldest first.
    std::vector<TurnMessage> messages() const;
    History history() const;

private:
    std::optional<std::string> wants_;
    HistoryLimits limits_;
    std::vector<Turn> turns_;  // the newest first
    std::size_t taken_ = 0;
    std::size_t bytes_ = 0;
};

/// Everything that the walk wants, from the store. Returns the documents, the oldest first. Throws Error(unavailable) when one is
/// missing or damaged.
Async<std::vector<storage::Document>> read_all(storage::Store& store, HistoryWalk& walk);

/// What a run that begins behind the turn `key` hears. Throws the same.
Async<History> history_of(storage::Store& store, std::optional<std::string> key);

/// Keeps the turn; durable when it returns. Returns its key.
Async<std::string> keep(storage::Store& store, Turn turn);

}  // namespace cadre::engine
