#include "engine/effect_run.hpp"

#include "base/crash_point.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/effect_path.hpp"
#include "engine/interruption.hpp"
#include "engine/send_evidence.hpp"
#include "engine/step_id.hpp"
#include "llm/model.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <cmath>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

/// A process that dies again and again in the same call must not pay for it for ever: after so many times a person is asked.
constexpr int kMostCutOff = 20;
/// Nobody asks for more patience than that.
constexpr Millis kLongestWait = std::chrono::days{366};

/// H(tenant, task, path), and `#n` for a dispatch that is no repetition of the first.
std::string key_of(const Journal::Owner& owner, std::string_view path, int generation)
{
    std::string text = owner.tenant;
    text += '\0';
    text.append(reinterpret_cast<const char*>(owner.task.bytes.data()), owner.task.bytes.size());
    text += path;
    std::string key = to_hex(digest_of(text));
    if (generation > 1) key += '#' + std::to_string(generation);
    return key;
}

/// The arguments of the call that an intent is of; nothing: it is not of a call.
std::optional<boost::json::object> arguments_in(const Record& intent)
{
    const auto body = body_of<IntentBody>(intent);
    const auto* use = std::get_if<UseIntent>(&body.of);
    return use && use->call.is_set() ? std::optional(use->call.get().args) : std::nullopt;
}

void add_message(boost::json::object& context, const Record& intent)
{
    const auto body = body_of<IntentBody>(intent);
    const auto& send = own_of<SendIntent>(body, intent);
    context["channel"] = send.channel.str();
    context["to"] = send.to.str();
    context["message"] = send.content.str();
}

std::string question_about(const Effect& effect, const Journal::Owner& owner, const Attempt& attempt,
                           std::string_view why)
{
    model::HumanRequest request{.id = to_string(derived_id(attempt.key + '?')),
                                .task = to_string(owner.task),
                                .checkpoint = effect.path,
                                .type = model::HumanRequestType::outcome_unknown,
                                .agent = std::string(effect.agent)};
    const Record intent{.kind = RecordKind::intent, .body = intent_text(effect, attempt)};
    const bool is_message = effect.ask.kind() == EffectKind::send;
    if (is_message) add_message(request.context, intent);
    else request.context["tool"] = effect.tool;
    if (auto arguments = arguments_in(intent)) request.context["arguments"] = std::move(*arguments);
    request.context["key"] = attempt.key;
    request.context["why"] = why;
    request.context["question"] = is_message ? "It is not known whether this message was sent. Was it?"
                                             : "It is not known whether this call happened. Did it?";
    return text_of(UnknownBody{.request = request});
}

/// A fault of the one who was asked, or of the way there: not of the request.
bool is_theirs(Code code)
{
    return code == Code::unauthorized || code == Code::not_found || code == Code::too_large ||
           code == Code::rate_limited || code == Code::timeout || code == Code::upstream || code == Code::unavailable ||
           code == Code::malformed;
}

/// The other side may do better next time.
bool may_pass(Code code)
{
    return code == Code::timeout || code == Code::upstream || code == Code::unavailable;
}

std::string result_in(const model::HumanAnswer& answer)
{
    const auto* result = answer.updates.if_contains("result");
    if (!result) return answer.message;
    return result->is_string() ? std::string(result->get_string()) : to_text(*result);
}

}  // namespace

/// How an attempt ended that gave no answer, or one that says no.
struct EffectRun::Failure {
    Code code = Code::internal;
    std::string message{};
    bool certain = false;    // it is known that nothing happened
    bool transient = false;  // trying again may help
    bool refused = false;    // the other side answered; another attempt is another request to it
    std::optional<Millis> retry_after{};
    bool elsewhere = false;  // somebody else may do better
    bool free = false;       // it is known that nobody bills it
    bool throttled = false;  // the other side only wants it to come later, and that is no failure
};

Retry retry_from(const boost::json::object& policy, Retry usual)
{
    constexpr std::int64_t kMostRetries = 10;
    constexpr double kLongestDelay = 3600;  // seconds
    for (const std::string_view name : {"max_retries", "retries"})
        if (const auto* number = policy.if_contains(name); number && number->is_int64() && number->get_int64() >= 0)
            usual.retries = static_cast<int>(std::min(number->get_int64(), kMostRetries));
    if (const auto* seconds = policy.if_contains("delay"); seconds && seconds->is_number())
        usual.delay = Millis(std::llround(std::clamp(seconds->to_number<double>(), 0.0, kLongestDelay) * 1000));
    return usual;
}

Async<> Performer::ready()
{
    co_return;
}

Millis delay_before(const Retry& retry, int next)
{
    Millis delay = retry.delay;
    for (int i = 2; i < next && delay < retry.longest; ++i) delay *= 2;
    return std::min(delay, retry.longest);
}

// ---- what was before ----

void EffectRun::continue_from(const RecordedEffect& recorded)
{
    if (!recorded.intent) return;
    open_ = true;
    if (effect_.continues) {
        intent_ = *recorded.intent;
        attempt_.intent = &*intent_;
        return;
    }
    const auto intent = body_of<IntentBody>(*recorded.intent);
    attempt_.number = recorded.attempts + 1;
    attempt_.at = recorded.intent->at;
    cut_off_ = recorded.attempts - recorded.failures;
    attempt_.key = intent.key.str();
    dispatched_ = !recorded.failed;
    new_key_ = recorded.failed != nullptr;
    asked_ = recorded.unknown != nullptr;
    if (recorded.answer) answer_ = body_of<AnswerBody>(*recorded.answer).answer.get();
    failures_ = recorded.failures;
    attempt_.choice = static_cast<int>(intent.choice.value_or(0));
    if (!recorded.failed) return;
    const auto failed = body_of<AttemptFailedBody>(*recorded.failed);
    longest_delay_ = std::clamp(Millis(failed.retry_in_ms), Millis{0}, kLongestWait);
    not_before_ = recorded.failed->at + longest_delay_;
    if (!failed.choice) return;
    attempt_.choice = static_cast<int>(*failed.choice);
    failures_ = static_cast<int>(failed.failures.value_or(0));
}

void EffectRun::ask_a_person()
{
    if (scope_cancelled()) throw Cancelled{};
    if (std::exchange(asked_, true)) return;
    state_.append_change({.kind = RecordKind::unknown,
                          .path = effect_.path,
                          .ask = ask_,
                          .body = question_about(effect_, state_.journal().owner(), attempt_, why_unknown()),
                          .events = 2});
}

void EffectRun::found_nothing(const Evidence& evidence)
{
    if (scope_cancelled()) throw Cancelled{};
    if (evidence.give_up) fail_unknown();
    if (!evidence.looked.empty()) failure_ = std::string(why_unknown()) + "; " + evidence.looked;
}

void EffectRun::fail_unknown()
{
    dispatched_ = false;
    fail(Code::upstream, std::string(why_unknown()) + "; it is not known whether the call happened");
}

std::string_view EffectRun::why_unknown() const
{
    return failure_.empty() ? std::string_view("the process ended during the call") : failure_;
}

std::optional<Record> EffectRun::resolve(const model::HumanAnswer& answer)
{
    asked_ = dispatched_ = false;
    if (answer.verb == model::HumanVerb::not_happened) {
        new_key_ = true;
        return {};
    }
    if (answer.verb != model::HumanVerb::happened)
        fail(Code::upstream, "it is not known whether the call happened, and a person ended it" +
                                 (answer.message.empty() ? "" : ": " + answer.message));
    std::string members;
    const std::string result = result_in(answer);
    append_members(members, UseOutcome{.text = result, .resolved = true});
    record_outcome(members, effect_.outcome_events);
    return Record{.kind = RecordKind::outcome, .body = outcome_text(effect_, members)};
}

// ---- beginning ----

Obstacle EffectRun::begin()
{
    if (scope_cancelled()) throw Cancelled{};
    if (state_.must_stop(effect_)) return Obstacle::stopped;
    const bool asks = cut_off_ >= kMostCutOff && !std::exchange(asked_to_go_on_, true);
    if (asks && !state_.view().passed_breakpoints.contains(interruption_at(effect_.path, cut_off_ / kMostCutOff))) {
        state_.interrupted(effect_.path, cut_off_);
        return Obstacle::stopped;
    }
    if (const auto left = wall_left(); left && left->count() <= 0) fail(Code::limit, time_is_up());

    if (!measured_) {
        try {
            performer_.measure(effect_, attempt_);
        } catch (const EffectFailed&) {
            throw;
        } catch (const Error& error) {
            fail(error.code(), error.what());
        }
    }
    count_iterations();
    const Shortage shortage = state_.account().reserve(effect_.reserve);
    if (shortage == Shortage::none) {
        reserved_ = measured_ = true;
        if (effect_.reserve.iterations > 0) state_.iterations().pay_at(effect_.path);
        return Obstacle::none;
    }
    if (shortage == Shortage::for_now && effect_.waits_for_budget) return Obstacle::refund;
    const Account& lacking = state_.account().lacking(effect_.reserve);
    const std::string text = explain(shortage, lacking, effect_.reserve);
    if (shortage == Shortage::iterations)
        fail(Code::limit, text + " at " + in_quotes(outside(effect_.path)) + ", before " + effect_.path);
    if (shortage == Shortage::steps || !effect_.waits_for_budget) fail(Code::limit, text);
    if (&lacking == &state_.account()) state_.out_of_budget(text);
    else state_.owner().on_short(lacking.task(), effect_.reserve);  // that task pauses, and this one waits for it
    return Obstacle::stopped;
}

/// A further attempt is the same iteration.
void EffectRun::count_iterations()
{
    effect_.reserve.iterations = 0;
    if (!counts_as_iteration(effect_) || attempt_.number > 1 || !effect_.records_intent) return;
    if (!state_.account().counts_iterations()) return;
    const int owed = state_.iterations().owed_at(effect_.path);
    if (effect_.ask.kind() == EffectKind::think || owed > 0) effect_.reserve.iterations = 1 + owed;
}

void EffectRun::record_intent()
{
    if (intent_) return;
    if (attempt_.number == 1 && performer_.begin(effect_)) ask_ = effect_.ask.digest();
    if (attempt_.number > 1) performer_.renew(effect_, attempt_);
    if (is_mutant(Mutant::new_key_on_redispatch) && attempt_.number > 1) new_key_ = true;
    if (effect_.keyed && (attempt_.key.empty() || new_key_))
        attempt_.key = key_of(state_.journal().owner(), effect_.path, new_key_ ? attempt_.number : 1);
    new_key_ = false;
    if (!effect_.records_intent) return;

    JournalEntry intent{.kind = RecordKind::intent,
                        .path = effect_.path,
                        .ask = ask_,
                        .body = intent_text(effect_, attempt_),
                        .events = effect_.intent_events};
    open_ = true;
    if (effect_.ask.kind() == EffectKind::think) state_.count_step();
    if (effect_.ask.kind() == EffectKind::use) state_.count_call();
    if (effect_.continues) state_.append_change(std::move(intent));
    else state_.append(std::move(intent));
    attempt_.at = state_.view().updated_at;
    crash_point("after_intent");
}

std::optional<Millis> EffectRun::wall_left() const
{
    const Budget& budget = state_.account().budget();
    if (!budget.wall_ms) return std::nullopt;
    return Millis(*budget.wall_ms) - state_.ran();
}

/// Whoever asks for more patience than a retry has, or than there is time, is not asked again.
bool EffectRun::is_soon(std::optional<Millis> delay) const
{
    if (!delay) return true;
    const auto left = wall_left();
    return *delay <= effect_.retry.longest && (!left || *delay < *left);
}

std::string EffectRun::time_is_up() const
{
    return "time (" + to_text(Millis(state_.account().budget().wall_ms.value_or(0))) + ") is used up";
}

std::optional<Millis> EffectRun::limit() const
{
    const std::optional<Millis> wall = effect_.continues || !effect_.leaves ? std::nullopt : wall_left();
    return wall && effect_.limit ? std::min(*wall, *effect_.limit) : wall ? wall : effect_.limit;
}

// ---- ending ----

void EffectRun::settle(const Spending& spent)
{
    if (!std::exchange(reserved_, false)) return;
    Spending all = spent;
    all.iterations = effect_.reserve.iterations;  // however it ended
    state_.account().settle(effect_.reserve, all);
    state_.refunded();
}

void EffectRun::record_outcome(std::string_view members, int events, bool succeeded)
{
    // an attempt that was told as one to recover is told as having done so
    const bool recovers = succeeded && attempt_.number > 1 && effect_.intent_events > 0 && events > 0;
    std::string all(members);
    if (recovers) all += fmt::format("{}\"attempt\":{}", all.empty() ? "" : ",", attempt_.number);
    JournalEntry outcome{.kind = RecordKind::outcome,
                         .path = effect_.path,
                         .ask = ask_,
                         .body = outcome_text(effect_, all),
                         .events = events + (recovers ? 1 : 0)};
    open_ = false;
    if (state_.replaying() && !is_mutant(Mutant::no_replay_gate)) state_.after_replay(std::move(outcome));
    else if (effect_.continues || effect_.changes_state || asked_) state_.append_change(std::move(outcome));
    else state_.append(std::move(outcome));
    crash_point("after_outcome");
}

void EffectRun::fail(Code code, const std::string& message)
{
    record_outcome(error_members(code, message), effect_.outcome_events);
    throw EffectFailed(code, message);
}

Verdict EffectRun::answered(Answered& answer)
{
    const auto held = std::move(answer.held);
    if (!effect_.optional) crash_point("after_dispatch");
    if (answer.recorded) return {.done = true};
    settle(answer.spent);
    if (state_.abandoned()) throw Cancelled{};
    if (answer.nothing) {
        if (scope_cancelled()) throw Cancelled{};
        return {.done = true};
    }
    if (scope_cancelled()) {  // too late: kept, and nothing is done with it
        state_.append(
            {.kind = RecordKind::late_result, .path = effect_.path, .body = outcome_text(effect_, answer.members)});
        record_outcome(kCancelledMembers, 0);
        throw Cancelled{};
    }
    if (answer.failed && failures_ < effect_.retry.retries)
        return try_again({Code::upstream, "the tool answered with an error", true, true, true, {}});
    performer_.complete(answer);
    effect_.changes_state = effect_.changes_state || answer.changes_state;
    record_outcome(answer.members, answer.events.value_or(effect_.outcome_events), !answer.failed);
    return {.done = true};
}

void EffectRun::cancelled()
{
    settle(effect_.reserve);
    // a run that its process gives up has not been cancelled: it goes on elsewhere
    if (open_ && !state_.abandoned() && !is_mutant(Mutant::sibling_cancel_not_recorded))
        record_outcome(kCancelledMembers, 0);
    throw Cancelled{};
}

Verdict EffectRun::failed(const std::exception_ptr& thrown)
{
    if (state_.abandoned()) throw Cancelled{};
    Failure failure;
    try {
        std::rethrow_exception(thrown);
    } catch (const tools::NotDispatched& error) {
        failure = {error.code(), error.what(), true, true, false, {}};
    } catch (const SendRefused& error) {
        const bool later = error.retry_after().has_value();
        failure = {error.code(), error.what(), true, later, false, error.retry_after(), false, true, later};
    } catch (const llm::ModelError& error) {
        failure = {error.code(),
                   error.what(),
                   false,
                   error.transient(),
                   false,
                   error.retry_after(),
                   is_theirs(error.code()),
                   !error.dispatched() || error.fault().refused,
                   error.code() == Code::rate_limited && error.retry_after() &&
                       (!error.dispatched() || *error.retry_after() > effect_.retry.longest)};
    } catch (const Error& error) {
        // what came of a tool's call is not known: its policy holds where a repetition does no harm
        const auto kind = effect_.ask.kind();
        const bool transient = (kind == EffectKind::use || kind == EffectKind::send) && may_pass(error.code());
        failure = {error.code(), error.what(), false, transient, false, {}};
        if (const auto left = wall_left(); error.code() == Code::timeout && left && left->count() <= 0)
            failure = {Code::limit, time_is_up(), false, false, false, {}};
    } catch (const std::exception& error) {
        failure.message = error.what();
    } catch (...) {
        failure.message = "an unknown failure";
    }
    settle(failure.free ? Spending{.steps = effect_.reserve.steps} : effect_.reserve);

    if (!failure.certain && effect_.effect_class == model::Effect::once) {  // only a person can know
        dispatched_ = true;
        failure_ = std::move(failure.message);
        ++attempt_.number;
        return {.again_in = Millis{0}};
    }
    if (failure.transient && failures_ < effect_.retry.retries && is_soon(failure.retry_after))
        return try_again(failure);
    const bool has_others = failure.elsewhere && attempt_.choice < effect_.retry.others;
    if (failure.throttled && !has_others) return wait_for_turn(failure);
    if (!has_others) fail(failure.code, failure.message);
    ++attempt_.choice;
    failures_ = -1;  // of the next, none
    measured_ = false;
    failure.retry_after = Millis{0};
    failure.throttled = false;
    return try_again(failure);
}

/// As long as whoever was asked wants, however long that is, within the time that the task has.
Verdict EffectRun::wait_for_turn(Failure failure)
{
    const auto left = wall_left();
    const Millis delay = std::clamp(*failure.retry_after, delay_before(effect_.retry, 2), kLongestWait);
    if (left && delay >= *left)
        fail(Code::limit, failure.message + "; of the time that the task may run, " +
                              to_text(std::max(*left, Millis{0})) + " is left");
    failure.retry_after = delay;
    performer_.must_wait(later(state_.env().loop.now(), delay));
    return try_again(failure);
}

Verdict EffectRun::try_again(const Failure& failure)
{
    const Millis delay = failure.retry_after.value_or(delay_before(effect_.retry, failures_ + 2));
    new_key_ = failure.refused;
    if (!failure.throttled) ++failures_;
    const RecordedError error{.code = std::string(name_of(failure.code)), .message = failure.message};
    AttemptFailedBody body{.effect = name_of(effect_.ask.kind()),
                           .attempt = attempt_.number,
                           .error = error,
                           .retry_in_ms = delay.count(),
                           .free = failure.free};
    if (attempt_.choice > 0 || failure.throttled) {
        body.choice = attempt_.choice;
        body.failures = failures_;
    }
    state_.append({.kind = RecordKind::attempt_failed, .path = effect_.path, .body = text_of(body), .events = 1});
    ++attempt_.number;
    return {.again_in = delay};
}

}  // namespace cadre::engine
