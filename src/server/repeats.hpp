// Requests that a client sends again because it did not see the answer: under the same Idempotency-Key they are done once.
//
// That a request has begun is written before it is done, and its answer after. What a crash or a failure cut off between the two is tried
// again by somebody who can tell how far it came: it is told where things stood before. Where nobody can tell, whoever repeats it is told so.
#pragma once

#include "base/async.hpp"
#include "base/signal.hpp"
#include "base/time.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace cadre::server {

/// Which request it is, and what it says.
struct RepeatKey {
    std::string id{};      // of who asks, what for, and the key that they gave
    std::string digest{};  // of what was sent
    std::string
        about{};  // what it changes: requests about the same thing go one after the other; empty: nothing in particular
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

/// What is done under a key.
struct Repeatable {
    Async<KeptAnswer> work;
    std::function<Async<std::uint32_t>()> where{};  // how far what it changes has come, asked before it is done
    std::function<void(std::uint32_t)>
        again{};  // told before the work when an earlier attempt was cut off: how far it had come before that; null: nobody could tell
    std::function<void(std::shared_ptr<void>)>
        hold{};  // whoever drops this lets the next one about the same thing begin
};

inline constexpr std::string_view kRequestDocument = "request";

/// Lives on its loop; the store outlives it.
class Repeats {
public:
    Repeats(storage::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

    /// Does the work, or answers with what it came to before. A second request waits for the first. Throws what the work does; Refusal(422)
    /// when the key was used for something else, Error(conflict) when it is not known what became of the first. Answers are kept for a day.
    Async<KeptAnswer> once(RepeatKey key, Repeatable deed);

private:
    struct Running;
    struct Before;

    Async<Before> find(RepeatKey key);
    Async<std::shared_ptr<Running>> turn(std::string name);
    Async<> keep(std::string place, std::string text);
    Async<> forget_some();

    storage::Store& store_;
    const Clock& clock_;
    std::set<std::string> running_;
    Signal ended_;
    std::string cleaned_;  // the day on which all that is too old was removed
};

}  // namespace cadre::server
