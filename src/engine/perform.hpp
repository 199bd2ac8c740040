// What an effect is, to the one function that performs them all (Run::perform).
#pragma once

#include "base/async_fwd.hpp"
#include "base/error.hpp"
#include "engine/budget.hpp"
#include "engine/effect.hpp"
#include "model/tool.hpp"
#include "storage/record.hpp"

#include <boost/json/object.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::engine {

/// How often and how soon a failed attempt is followed by another.
struct Retry {
    int retries = 0;
    Millis delay{1000};  // before the first; doubled each time
    Millis longest{60'000};
    int others = 0;  // who can be asked instead, when that does not help
};

/// What a `retry_policy` says, which has no fields of its own in the documents: the names that people use are understood, and what
/// is left out is as usual.
Retry retry_from(const boost::json::object& policy, Retry usual);

/// The delay before attempt `next`, counted from 2.
Millis delay_before(const Retry& retry, int next);

struct Effect {
    RequestDigest ask;
    std::string path{};
    std::string intent{};      // members of the intent's body beyond what all have: `"agent":"x","nth":1`
    std::string outcome{};     // members that every outcome of it has: `"call":"tc_…","tool":"x"`
    std::string_view agent{};  // for breakpoints; the caller's
    std::string_view tool{};

    model::Effect effect_class = model::Effect::pure;
    bool leaves = true;      // something leaves the process: all that was appended is made durable first
    bool continues = false;  // an intent without outcome is waited for further, not performed again: people, timers
    bool records_intent = true;
    bool waits_for_budget = true;  // where it does not suffice the run is paused; else the effect fails
    bool keyed = false;            // the other side is told an idempotency key
    bool changes_state = false;    // its outcome is part of what the task's state says
    /// Recorded only where it did something: in a replay it was passed by when the journal holds what follows it, by its path, or anything
    /// more in that scope.
    bool optional = false;
    std::string followed_by{};
    bool has_stand_in =
        false;  // an outcome that is not known is a failure, because something else is declared to follow it
    Spending reserve{};
    std::optional<Millis> limit{};  // of one attempt, where its performer has none of its own
    Retry retry{};
    int intent_events = 0;  // public events that its records stand for
    int outcome_events = 0;
};

/// Whether it can be an iteration, and pay for nodes and turns around it (engine/iterations.hpp).
inline bool counts_as_iteration(const Effect& effect)
{
    return effect.ask.kind() == EffectKind::think || effect.ask.kind() == EffectKind::use;
}

/// The effect failed for good, and the journal says so.
class EffectFailed : public Error {
public:
    using Error::Error;
};

/// One try.
struct Attempt {
    int number = 1;
    int choice = 0;                           // 0: the first that the effect names; then those who stand in, in order
    Time at{};                                // of its intent's record
    std::string key{};                        // the same for every dispatch that may be a repetition
    const storage::Record* intent = nullptr;  // continued effects: the intent's record as it was read, else null
};

/// What came of a try that ended.
struct Answered {
    std::string members{};  // of the outcome's body, behind Effect::outcome
    Spending spent{};
    bool failed = false;           // the other side said no: a retry policy may ask again
    bool recorded = false;         // the outcome is in the journal already: a person's answer
    std::optional<int> events{};   // that its record stands for, where that is not always the same
    bool nothing = false;          // of an optional effect: it did nothing
    bool changes_state = false;    // as the effect's own, where only some outcomes do
    std::shared_ptr<void> held{};  // let go of once this is recorded
};

/// Does the work of one effect. It keeps its typed result for its caller; the journal gets text.
class Performer {
public:
    /// Called whenever the effect asks whether it may begin for the first time, or with another choice: what it needs may have grown
    /// while it waited. Throws Error when it may not begin at all.
    virtual void measure(Effect&, const Attempt&) {}
    /// Whether an attempt must wait for its turn, with ready(), before anything is recorded of it. Told that something else keeps it
    /// from beginning, it gives its turn to others.
    virtual bool must_queue() { return false; }
    virtual Async<> ready();
    virtual void give_way() {}
    /// Called when the effect is about to begin for the first time, after all waiting: what came in meanwhile can still be added.
    /// True when it was, so that something else is asked now.
    virtual bool begin(Effect&) { return false; }
    /// Called before every attempt but the first: what its records say may have to be said anew.
    virtual void renew(Effect&, const Attempt&) {}
    /// The next attempt comes no earlier, because the other side wants it so.
    virtual void must_wait(Instant) noexcept {}
    /// Throws NotDispatched, ModelError or Error; see Run::perform for what follows from which.
    virtual Async<Answered> attempt(Attempt attempt) = 0;
    /// Called when nothing can come between an answer and its record any more: what hangs on the records before it can be added.
    virtual void complete(Answered&) {}

protected:
    ~Performer() = default;
};

}  // namespace cadre::engine
