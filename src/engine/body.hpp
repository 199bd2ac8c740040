// Body: what a record says, by its kind. One struct for every kind of record; for those of effects see engine/effect_body.hpp.
//
// A visitor of a body has a case for every kind, and one of an intent or outcome for every effect, so that a new one cannot be
// forgotten: it does not compile.
#pragma once

#include "engine/effect_body.hpp"
#include "model/task.hpp"
#include "storage/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cadre::engine {

struct Budget;
struct Imported;
struct TaskSpec;

struct CreatedBody {
    Lazy<TaskSpec> spec{};  // the body itself
};

struct StartedBody {
    Text prompt{};
    Text mode{};
    RawJson team{};  // name, version, agents and hash
    Text history{};  // of a turn that waited for the one before it: what was said till then

    static void members(auto& self, auto&& member)
    {
        member("prompt", self.prompt);
        member("mode", self.mode);
        member("team", self.team);
        member("history", self.history);
    }
};

/// A person must say what came of an effect.
struct UnknownBody {
    Lazy<model::HumanRequest> request{};

    static void members(auto& self, auto&& member) { member("request", self.request); }
};

/// Any JSON: what a part of the run came to.
struct NodeDoneBody {
    std::string_view result{};
};

struct AnswerBody {
    Text request{};
    Lazy<model::HumanRequestType> type{};
    Lazy<model::HumanAnswer> answer{};

    static void members(auto& self, auto&& member)
    {
        member("request", self.request);
        member("type", self.type);
        member("answer", self.answer);
    }
};

struct InstructionBody {
    Text text{};
    Text by{};

    static void members(auto& self, auto&& member)
    {
        member("text", self.text);
        member("by", self.by);
    }
};

struct CancelBody {
    Text by{};
    Text reason{};

    static void members(auto& self, auto&& member)
    {
        member("by", self.by);
        member("reason", self.reason);
    }
};

struct PauseBody {
    Lazy<model::PauseReason> reason{};
    Text text{};
    Text breakpoint{};

    static void members(auto& self, auto&& member)
    {
        member("reason", self.reason);
        member("text", self.text);
        member("breakpoint", self.breakpoint);
    }
};

struct ResumeBody {
    std::int64_t steps = 0;  // to take before it pauses again
    Text by{};
    bool freely = false;

    static void members(auto& self, auto&& member)
    {
        member("steps", self.steps);
        member("by", self.by);
        member("continue", self.freely);
    }
};

/// What is set from now on; the rest stays.
struct SettingBody {
    Lazy<Budget> budget{};
    Lazy<std::vector<std::string>> breakpoints{};
    RawJson plan{};     // what a person puts in its place; these three are for Run::heed()
    Text next_agent{};  // whose turn a person says it is
    Text config{};      // key of the team that a person has changed
    Text by{};

    bool is_intervention() const { return plan.is_set() || next_agent.is_set() || config.is_set(); }

    static void members(auto& self, auto&& member)
    {
        member("budget", self.budget);
        member("breakpoints", self.breakpoints);
        member("plan", self.plan);
        member("next_agent", self.next_agent);
        member("config", self.config);
        member("by", self.by);
    }
};

/// An outcome that came too late.
struct LateResultBody {
    OutcomeBody outcome{};
};

struct NoteBody {
    Text drift{};                          // parts of a request that are not what they were
    std::optional<std::int64_t> ran_ms{};  // how long the task has run, where the times of records say otherwise

    static void members(auto& self, auto&& member)
    {
        member("drift", self.drift);
        member("ran_ms", self.ran_ms);
    }
};

struct CompletedBody {
    std::int64_t steps = 0;
    std::int64_t ms = 0;
    Lazy<model::Reply> reply{};
    Lazy<std::vector<std::string>> artifacts{};  // that it has written, below its folder

    static void members(auto& self, auto&& member)
    {
        member("steps", self.steps);
        member("ms", self.ms);
        member("reply", self.reply);
        member("artifacts", self.artifacts);
    }
};

struct FailedBody {
    std::int64_t steps = 0;
    std::int64_t ms = 0;
    Text code{};
    Text message{};
    Lazy<model::Reply> reply{};  // what it has to say all the same
    Lazy<std::vector<std::string>> artifacts{};

    static void members(auto& self, auto&& member)
    {
        member("steps", self.steps);
        member("ms", self.ms);
        member("code", self.code);
        member("message", self.message);
        member("reply", self.reply);
        member("artifacts", self.artifacts);
    }
};

struct CancelledBody {
    std::int64_t steps = 0;
    std::int64_t ms = 0;
    Lazy<std::vector<std::string>> artifacts{};

    static void members(auto& self, auto&& member)
    {
        member("steps", self.steps);
        member("ms", self.ms);
        member("artifacts", self.artifacts);
    }
};

struct AttemptFailedBody {
    Text effect{};
    std::int64_t attempt = 0;
    Lazy<RecordedError> error{};
    std::int64_t retry_in_ms = 0;
    bool free = false;                       // it costs nothing
    std::optional<std::int64_t> choice{};    // who is asked next, where others stand in for the first
    std::optional<std::int64_t> failures{};  // of that one

    static void members(auto& self, auto&& member)
    {
        member("effect", self.effect);
        member("attempt", self.attempt);
        member("error", self.error);
        member("retry_in_ms", self.retry_in_ms);
        member("free", self.free);
        member("choice", self.choice);
        member("failures", self.failures);
    }
};

/// What people, or the house, did to files or memory of a task.
struct UpkeepBody {
    Text what{};                    // `restore`, `upload`, `consolidate`, `forget`, …
    Text by{};                      // empty: the house
    Lazy<SavedVersion> artifact{};  // a version that it made
    Lazy<ArtifactChange> change{};
    std::optional<std::int64_t> before{};  // bytes of the version that it follows
    RawJson detail{};
    Lazy<std::vector<model::Event>> events{};

    static void members(auto& self, auto&& member)
    {
        member("what", self.what);
        member("by", self.by);
        member("artifact", self.artifact);
        member("change", self.change);
        member("before", self.before);
        member("detail", self.detail);
        member("events", self.events);
    }
};

/// Of a kind that only a newer release has: it is kept as it is.
struct NewerBody {};

/// What a record says. It lives as long as the record does. Throws Error(unavailable) that names task and record when the body
/// cannot be taken apart; what a member says is read when it is asked for, and complains in the same way.
class Body {
public:
    using Variant =
        std::variant<CreatedBody, StartedBody, IntentBody, OutcomeBody, UnknownBody, NodeDoneBody, AnswerBody,
                     InstructionBody, CancelBody, PauseBody, ResumeBody, SettingBody, LateResultBody, NoteBody,
                     CompletedBody, FailedBody, CancelledBody, AttemptFailedBody, UpkeepBody, NewerBody>;

    explicit Body(const storage::Record& record);
    explicit Body(storage::Record&&) = delete;

    template <class Visitor>
    decltype(auto) visit(Visitor&& visitor) const
    {
        return std::visit(std::forward<Visitor>(visitor), of_);
    }
    /// Null: it is of another kind.
    template <class Kind>
    const Kind* find() const
    {
        return std::get_if<Kind>(&of_);
    }
    /// Reads all that it says.
    void expect_readable() const;

private:
    Variant of_;
};

/// The body of a record whose kind is known. A journal from elsewhere may be anything: Error(unavailable) when it is of another.
template <class Kind>
Kind body_of(const storage::Record& record)
{
    const Body body(record);
    const Kind* found = body.find<Kind>();
    if (!found) throw_unreadable(record, "it is of another kind");
    return *found;
}
/// The same for what the intent or outcome of an effect says of its own: `own_of<ThinkOutcome>(outcome, record)`.
template <class Own, class Kind>
const Own& own_of(const Kind& body, const storage::Record& record)
{
    const Own* found = std::get_if<Own>(&body.of);
    if (!found) throw_unreadable(record, "it is of another effect");
    return *found;
}

/// The text of a body of one kind, as records hold it.
template <class Kind>
std::string text_of(const Kind& body);

// ---- the same body with something changed; the rest is kept, whoever wrote it ----

std::string with_inputs(const storage::Record& intent, const std::vector<std::uint32_t>& inputs);
std::string without_parts(const storage::Record& intent);
/// Null: without the mark.
std::string with_mark(const storage::Record& created, const Imported* mark);

}  // namespace cadre::engine
