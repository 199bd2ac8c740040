// Sessions: a conversation as a series of tasks, one at a time. What a session is follows from its tasks; all that is stored beside
// them is which turn was left out last.
#pragma once

#include "base/id.hpp"
#include "base/time.hpp"
#include "engine/conversation.hpp"
#include "engine/task_state.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

/// Kind of the documents that say what of a session does not count, by session_key(): `{"task":ID,"history":KEY|null}`. While that task is the
/// session's newest, the next one goes on from there.
inline constexpr std::string_view kSessionDocument = "session";

/// A session in a list.
struct SessionEntry {
    std::string id{};
    std::size_t turns = 0;  // tasks, those included that failed or were left out
    Id last{};
    std::string status{};  // of the last one
    std::string agent{};
    std::string title{};  // the first words of the last prompt
    bool open = false;    // the last one has not ended
    Time created_at{};
    Time updated_at{};
};

/// So many turns of a session may wait for those before them.
inline constexpr std::size_t kMostQueued = 32;

/// So much of an id as people type.
std::string short_of(std::string_view id);

/// The key of a session's document: two tenants may have sessions of one id.
std::string session_key(std::string_view tenant, std::string_view id);

/// Where a session has got to: what the next task goes on from.
struct SessionHead {
    std::string id{};
    TaskState last{};                        // that has begun
    std::optional<std::string> before{};     // key of the conversation up to `turn`
    std::optional<Turn> turn{};              // the last one, which is no document yet
    int turns = 0;                           // those that wait included
    std::string created_by{};                // who began it
    TaskSpec newest{};                       // of the last turn, begun or not
    std::vector<storage::TaskEntry> open{};  // turns that have not ended, the oldest first

    /// Whether a turn is under way, stopped, or waits for another one.
    bool is_open() const { return !open.empty(); }
};

/// What counts of the session once `last` is its newest task; `undone` is the text of its document, if it has one.
SessionHead head_of(TaskState last, const std::optional<std::string>& undone);

}  // namespace cadre::engine
