// What the records of effects say: what all intents and outcomes have around those of their kind, and the questions that are asked of them.
// `members` are spelled and ordered as they stand in journals, for ever: new ones are optional, and no name is used again.
#pragma once

#include "base/time.hpp"
#include "engine/body_field.hpp"
#include "engine/effect.hpp"
#include "engine/effect_intent.hpp"
#include "engine/effect_outcome.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace cadre::engine {

struct Attempt;
struct Effect;

static_assert(std::variant_size_v<IntentOf> == kEffectKinds + 1 && std::variant_size_v<OutcomeOf> == kEffectKinds + 1,
              "an effect has an intent and an outcome");

// ---- what all have ----

struct IntentBody {
    Text effect{};
    std::int64_t attempt = 1;
    std::optional<std::int64_t> choice{};  // who was asked, where others stand in for the first
    Text key{};                            // idempotency
    IntentOf of{};
    std::optional<std::int64_t> reserve{};     // tokens
    std::optional<double> reserve_cost{};      // US dollars
    std::optional<std::int64_t> iterations{};  // paid for: of it, and of nodes and turns around it
    RawJson parts{};                           // of the request's digest, by name

    static void members_before(auto& self, auto&& member)
    {
        member("effect", self.effect);
        member("attempt", self.attempt);
        member("choice", self.choice);
        member("key", self.key);
    }
    static void members_behind(auto& self, auto&& member)
    {
        member("reserve", self.reserve);
        member("reserve_cost", self.reserve_cost);
        member("iterations", self.iterations);
        member("parts", self.parts);
    }
};

struct OutcomeBody {
    Text effect{};
    OutcomeOf of{};
    Lazy<RecordedError> error{};
    bool cancelled = false;

    static void members_before(auto& self, auto&& member) { member("effect", self.effect); }
    static void members_behind(auto& self, auto&& member)
    {
        member("error", self.error);
        member("cancelled", self.cancelled);
    }
};

/// One that is empty, of that kind; nothing: of a kind that only a newer release has.
IntentOf empty_intent(std::optional<EffectKind> kind);
OutcomeOf empty_outcome(std::optional<EffectKind> kind);

/// What effects of several kinds say.
Text agent_of(const IntentOf& intent);
Lazy<llm::Usage> usage_of(const OutcomeOf& outcome);
std::optional<Millis> time_of(const OutcomeOf& outcome);
/// What a call came to, as documents have it.
model::ToolResult result_of(const UseOutcome& use, const OutcomeBody& outcome);

/// The failure that is recorded, thrown as the same Error; nothing when there is none.
void throw_recorded_error(const OutcomeBody& outcome);

// ---- cheap questions to a record, before its body is taken apart ----

/// What kind of effect an intent, an outcome or a failed attempt is of; nothing: a newer release's, or the record is not such a one.
std::optional<EffectKind> effect_of(const storage::Record& record);
/// Whether the outcome says that the effect was cancelled.
bool was_cancelled(const storage::Record& outcome);

// ---- writing, where every instruction counts ----

/// The body of an intent: what all have around `effect.intent`, the members of its own.
std::string intent_text(const Effect& effect, const Attempt& attempt);
/// The body of an outcome: behind `effect.outcome`, members that every outcome of it has, those of this one.
std::string outcome_text(const Effect& effect, std::string_view members);
/// Of an outcome that failed, or was cancelled.
std::string error_members(Code code, std::string_view message);
inline constexpr std::string_view kCancelledMembers = R"("cancelled":true)";

// ---- visiting ----

/// For the kinds that a visitor has nothing to say about: each is named, so that a new one is not forgotten.
///     template <AnyOf<SleepIntent, NowIntent> Other> void operator()(const Other&) {}
template <class Type, class... Types>
concept AnyOf = (std::same_as<Type, Types> || ...);

}  // namespace cadre::engine
