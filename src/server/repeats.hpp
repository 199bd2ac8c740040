// Requests that a client sends again because it did not see the answer: under the same Idempotency-Key they are done once.
//
// That a request has begun is written before it is done, and its answer after. What a crash cut off between the two is neither done again
// nor taken for done: whoever repeats it is told that nobody knows.
#pragma once

#include "base/async_fwd.hpp"
#include "base/signal.hpp"
#include "base/time.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace cadre::server {

/// Which request it is, and what it says.
struct RepeatKey {
    std::string id{};      // of who asks, what for, and the key that they gave
    std::string digest{};  // of what was sent
};
/// Throws HttpRefusal(400) for a key that is not 1 to 128 visible characters.
void expect_repeat_key(std::string_view key);

struct KeptAnswer {
    int status = 200;
    std::string location{};
    std::string text{};
    std::optional<std::string> kept{};  // in place of the text, where that is told only once
    bool replayed = false;
};

inline constexpr std::string_view kRequestDocument = "request";

/// Lives on its loop; the store outlives it.
class Repeats {
public:
    Repeats(storage::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

    /// Does the work, or answers with what it came to before. A second request waits for the first. Throws what the work does; Refusal(422)
    /// when the key was used for something else, Error(conflict) when it is not known what became of the first. Answers are kept for a day.
    Async<KeptAnswer> once(RepeatKey key, Async<KeptAnswer> work);

private:
    struct Running;

    Async<std::optional<KeptAnswer>> find(RepeatKey key);
    Async<> keep(std::string place, std::string text);
    Async<> forget_some();

    storage::Store& store_;
    const Clock& clock_;
    std::set<std::string> running_;
    Signal ended_;
    std::string cleaned_;  // the day on which all that is too old was removed
};

}  // namespace cadre::server
