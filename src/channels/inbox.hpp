// Messages that have come and are not yet a task's, and the ids of those that have been: by these a message that comes twice is known.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/signal.hpp"
#include "base/time.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::channels {

struct WaitingMessage {
    std::string account{};
    std::string id{};  // the vendor's
    std::string sender{};
    std::string name{};
    std::string text{};
    Time received_at{};
    std::int64_t order = 0;  // of those that came at one time

    bool operator==(const WaitingMessage&) const = default;
};
const model::Entity& describe(const WaitingMessage*);

/// Kinds of documents, by a hash of account and id: messages that wait, and `{"task":ID}` of those that do not any more.
inline constexpr std::string_view kWaitingDocument = "channel_waiting";
inline constexpr std::string_view kSeenDocument = "channel_seen";

/// Lives on one loop, which is the only one that changes these documents.
class Inbox {
public:
    explicit Inbox(storage::Store& store) : store_(store) {}

    /// Durable when it returns. False: it came before, or it comes on another connection at this moment.
    Async<bool> add(WaitingMessage message);
    /// It is dealt with. `task` answers it; nothing: none does.
    Async<> done(WaitingMessage message, std::optional<Id> task);
    /// All that wait, in order of arrival.
    Async<std::vector<WaitingMessage>> waiting();
    /// Forgets ids of messages that were dealt with before `limit`. Returns how many.
    Async<std::size_t> forget_before(Time limit);

private:
    storage::Store& store_;
    std::set<std::string> adding_;
    Signal added_;
};

}  // namespace cadre::channels
