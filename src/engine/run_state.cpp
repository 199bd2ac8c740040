#include "engine/run_state.hpp"

#include "base/async_mutex.hpp"
#include "engine/body.hpp"
#include "engine/breakpoint.hpp"
#include "engine/effect_path.hpp"
#include "engine/run_waits.hpp"
#include "engine/spent.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

/// Instructions that came after the last model call took in what was there.
std::vector<std::pair<std::uint32_t, std::string>> unseen_instructions(const std::vector<Record>& records)
{
    std::vector<std::pair<std::uint32_t, std::string>> unseen;
    for (const Record& record : records) {
        if (record.kind == RecordKind::instruction)
            unseen.emplace_back(record.seq, body_of<InstructionBody>(record).text.str());
        const auto hear = [&](const std::vector<std::uint32_t>& inputs) {
            for (const std::uint32_t seq : inputs)
                std::erase_if(unseen, [&](const auto& one) { return one.first == seq; });
        };
        if (record.kind == RecordKind::intent && effect_of(record) == EffectKind::think) {
            const auto intent = body_of<IntentBody>(record);
            hear(own_of<ThinkIntent>(intent, record).inputs.get());
        }
        if (record.kind == RecordKind::outcome && effect_of(record) == EffectKind::compact) {
            const auto outcome = body_of<OutcomeBody>(record);
            hear(own_of<CompactOutcome>(outcome, record).inputs.get());
        }
    }
    return unseen;
}

/// What people changed and Run::heed() has not taken in.
std::vector<std::pair<std::uint32_t, std::string>> unseen_interventions(const std::vector<Record>& records)
{
    std::vector<std::pair<std::uint32_t, std::string>> unseen;
    for (const Record& record : records) {
        if (record.kind == RecordKind::setting && body_of<SettingBody>(record).is_intervention())
            unseen.emplace_back(record.seq, record.body);
        if (record.kind != RecordKind::outcome || effect_of(record) != EffectKind::heed) continue;
        const auto outcome = body_of<OutcomeBody>(record);
        for (const std::uint32_t seq : own_of<HeedOutcome>(outcome, record).inputs.get())
            std::erase_if(unseen, [&](const auto& one) { return one.first == seq; });
    }
    return unseen;
}

}  // namespace

RunState::RunState(const Env& env, storage::Port& port, RunOwner& owner, TaskState&& view,
                   std::vector<Record>&& records, std::uint32_t epoch, Agents agents, History history,
                   std::shared_ptr<Account> account)
    : env_(env),
      owner_(owner),
      view_(std::move(view)),
      recorded_(std::move(records)),
      journal_(env.loop, port, *this, {view_.tenant, view_.id, epoch}, view_.end),
      shared_account_(std::move(account)),
      account_(shared_account_
                   ? *shared_account_
                   : own_account_.emplace(view_.budget, nullptr, view_.id, spent_in(recorded_.records(), view_))),
      agents_(std::move(agents)),
      history_(std::move(history)),
      ran_(view_.ran),
      since_(env.loop.now()),
      replaying_(std::ranges::any_of(recorded_.records(), belongs_to_effect)),
      instructions_(unseen_instructions(recorded_.records())),
      interventions_(unseen_interventions(recorded_.records()))
{
    account_.add(*this);
}

// ---- replay ----

bool RunState::differs(const Effect& effect, const RecordedEffect& recorded)
{
    const Record* record = recorded.intent ? recorded.intent : recorded.outcome;
    if (!record || record->ask == effect.ask.digest()) return false;
    const std::string_view parts = recorded.intent ? body_of<IntentBody>(*recorded.intent).parts.text : "";
    const std::string what = parts.empty() ? "" : effect.ask.difference_from(parts);
    if (!changes_the_world(effect.ask.kind()) || !view_.has_digest(record->seq)) {
        drifts_.emplace_back(effect.path, what);
        return false;
    }
    diverge("step " + effect.path + " asks for something else than it did (" + (what.empty() ? "its request" : what) +
            " differs from record " + std::to_string(record->seq) + ")");
    return true;
}

void RunState::diverge(std::string text)
{
    if (std::exchange(diverged_, true)) return;
    pause(model::PauseReason::diverged, std::move(text), "", "");
}

void RunState::open_gate()
{
    if (!doomed_.empty()) {
        diverge("a branch that was cancelled at " + waiting_for_cancel().front() + " is not cancelled any more");
        return env_.loop.post(*this);
    }
    const Record* unused = is_mutant(Mutant::unused_records_ignored) ? nullptr : recorded_.oldest_unused();
    if (unused) {
        diverge("the journal holds " + unused->path + " (record " + std::to_string(unused->seq) +
                "), which the code no longer asks for");
        return env_.loop.post(*this);
    }
    replaying_ = false;
    for (const auto& [path, what] : drifts_) {
        std::string body = text_of(NoteBody{.drift = what});
        const bool known = std::ranges::any_of(recorded_.records(), [&](const Record& record) {
            return record.kind == RecordKind::note && record.path == path && record.body == body;
        });
        if (!known) append({.kind = RecordKind::note, .path = path, .body = std::move(body)});
    }
    drifts_.clear();
    write_deferred();
    earlier();  // while it is there to be read
    recorded_ = {};
    seats_.seat_those_who_sat();
    while (Blocked* waiting = gate_.pop_front()) waiting->release();
}

void RunState::write_deferred()
{
    for (JournalEntry& entry : std::exchange(deferred_, {})) append_change(std::move(entry));
}

std::vector<std::string> RunState::at_the_gate()
{
    return paths_in(gate_);
}

std::vector<std::string> RunState::waiting_for_cancel()
{
    return paths_in(doomed_);
}

std::vector<std::string> RunState::paths_in(LinkedList<Blocked, BlockedTag>& list)
{
    std::vector<std::string> paths;
    for (Blocked* waiting = list.front(); waiting; waiting = list.after(*waiting))
        paths.emplace_back(static_cast<BlockedEffect&>(*waiting).path());
    return paths;
}

// ---- records ----

/// From here on readers know better.
void RunState::note_time(Time at)
{
    view_.ran = std::chrono::floor<Millis>(ran_);
    journal_.append({.kind = RecordKind::note, .body = text_of(NoteBody{.ran_ms = view_.ran.count()}), .at = at});
    view_.end = journal_.end();
}

Millis RunState::ran_by_wall_clock() const
{
    const Time now = view_.resting_since.value_or(journal_.now());
    return now - view_.started_at.value_or(now) - view_.rested;
}

void RunState::check_entry(const JournalEntry& entry) const
{
    const Record record{
        .task = view_.id, .seq = journal_.seq() + 1, .kind = entry.kind, .path = entry.path, .body = entry.body};
    expect_writable(record);
}

Async<std::shared_ptr<void>> RunState::hold_files()
{
    if (!files_) files_ = std::make_shared<AsyncMutex>();  // most runs touch no file
    auto lock = co_await files_->lock();
    co_return std::make_shared<AsyncMutex::Lock>(std::move(lock));
}

std::uint32_t RunState::append_change(JournalEntry entry)
{
    entry.at = journal_.now();
    if (checks_records || !is_read_by_fold(entry.kind)) check_entry(entry);  // before anything has changed
    pass_time(entry.at);
    Record record{.tenant = view_.tenant,
                  .task = view_.id,
                  .seq = journal_.seq() + 1,
                  .event_seq = journal_.event_seq() + static_cast<std::uint32_t>(entry.events),
                  .epoch = journal_.owner().epoch,
                  .at = entry.at,
                  .kind = entry.kind,
                  .path = std::move(entry.path),
                  .ask = entry.ask,
                  .body = std::move(entry.body)};
    const std::size_t orphans = view_.orphans.size();
    apply(view_, record);
    if (view_.orphans.size() > orphans) owner_.on_orphan(view_.orphans.back(), record.seq);
    if (entry.kind == RecordKind::created || entry.kind == RecordKind::setting) account_.raise(view_.budget);
    entry.path = std::move(record.path);
    entry.body = std::move(record.body);
    journal_.append(std::move(entry), index_entry(view_));
    view_.end = journal_.end();
    return view_.end.seq;
}

int RunState::count_turn(std::string_view agent)
{
    auto& turns = earlier().turns;
    const auto place = turns.find(agent);
    return place == turns.end() ? turns.emplace(agent, 1).first->second : ++place->second;
}

EarlierCalls& RunState::earlier()
{
    if (!earlier_) earlier_ = engine::earlier_calls(recorded_);
    return *earlier_;
}

// ---- inputs ----

model::HumanAnswer RunState::silence()
{
    return {.verb = model::HumanVerb::timeout, .message = "no answer came in time"};
}

std::uint32_t RunState::answer(const OpenQuestion& question, model::HumanAnswer answer)
{
    const std::string path = question.path;  // the question dies with the record
    answer.after_ms = std::max(journal_.now() - question.asked_at, Millis{0}).count();
    std::string body =
        text_of(AnswerBody{.request = question.request.id, .type = question.request.type, .answer = answer});
    const auto seq = append_change({.kind = RecordKind::answer,
                                    .path = path,
                                    .body = std::move(body),
                                    .events = is_mutant(Mutant::event_dropped) ? 1 : 2});
    answers_.insert_or_assign(path, std::move(answer));
    for (Blocked* waiting = questions_.front(); waiting; waiting = questions_.after(*waiting)) {
        auto& one = static_cast<UntilAnswered&>(*waiting);
        if (one.path() != path || is_mutant(Mutant::lost_wake_up)) continue;
        one.release();
        break;
    }
    return seq;
}

void RunState::child_ended(const Id& child) noexcept
{
    for (Blocked* waiting = children_.front(); waiting;) {
        Blocked* next = children_.after(*waiting);
        if (static_cast<UntilChildEnds&>(*waiting).child() == child) waiting->release();
        waiting = next;
    }
}

std::uint32_t RunState::resume(Pace pace, std::string_view by)
{
    if (view_.stepping && !pace.freely) pace.steps = std::max(pace.steps, 1);  // else it would pause again at once
    std::string body = text_of(ResumeBody{.steps = pace.freely ? 0 : pace.steps, .by = by, .freely = pace.freely});
    const auto seq = append_change({.kind = RecordKind::resume, .body = std::move(body), .events = 1});
    while (Blocked* waiting = stopped_.pop_front()) waiting->release();
    return seq;
}

std::uint32_t RunState::pause(std::string_view by)
{
    pause(model::PauseReason::user_request, "paused by " + std::string(by), "", "");
    return journal_.seq();
}

void RunState::pause(model::PauseReason reason, std::string text, const std::string& path, std::string_view breakpoint)
{
    std::string body = text_of(PauseBody{.reason = reason, .text = text, .breakpoint = Text::unless_empty(breakpoint)});
    append_change(
        {.kind = RecordKind::pause, .path = path, .body = std::move(body), .events = breakpoint.empty() ? 1 : 2});
}

std::uint32_t RunState::instruct(std::string text, std::string_view by)
{
    std::string body = text_of(InstructionBody{.text = text, .by = by});
    const auto seq = append_change({.kind = RecordKind::instruction, .body = std::move(body), .events = 1});
    instructions_.emplace_back(seq, std::move(text));
    return seq;
}

std::uint32_t RunState::intervene(const SettingBody& setting)
{
    std::string body = text_of(setting);
    const auto seq = append_change({.kind = RecordKind::setting, .body = body, .events = 1});
    interventions_.emplace_back(seq, std::move(body));
    return seq;
}

std::uint32_t RunState::raise_budget(const Budget& budget)
{
    const auto seq = append_change({.kind = RecordKind::setting, .body = text_of(SettingBody{.budget = budget})});
    refunded();
    return seq;
}

std::uint32_t RunState::set_breakpoints(const std::vector<std::string>& breakpoints)
{
    return append_change({.kind = RecordKind::setting, .body = text_of(SettingBody{.breakpoints = breakpoints})});
}

std::uint32_t RunState::request_cancel(std::string_view by, std::string_view reason)
{
    return append_change({.kind = RecordKind::cancel, .body = text_of(CancelBody{.by = by, .reason = reason})});
}

// ---- stopping at an effect ----

bool RunState::must_stop(const Effect& effect)
{
    if (view_.pause_reason || holding_) return true;
    const bool is_call = effect.ask.kind() == EffectKind::use && effect.records_intent;  // not one that is refused
    const bool is_step = is_call || effect.ask.kind() == EffectKind::think;
    if (view_.stepping && is_step && view_.steps_allowed <= 0) {
        std::string text = is_call ? "before the call of " + std::string(effect.tool)
                                   : "before the next model call of " + std::string(effect.agent);
        pause(model::PauseReason::step_mode, std::move(text), effect.path, "");
        return true;
    }
    for (const std::string& breakpoint : view_.breakpoints) {
        const std::string stop = stop_of(breakpoint, effect, view_);
        if (stop.empty() || view_.passed_breakpoints.contains(stop)) continue;
        const std::string place = stop == breakpoint ? effect.path : stop;  // a condition has no place of its own
        pause(model::PauseReason::breakpoint, breakpoint + ", before " + effect.path, place, std::string(breakpoint));
        return true;
    }
    return false;
}

void RunState::out_of_budget(std::string text)
{
    if (!view_.pause_reason) pause(model::PauseReason::budget, std::move(text), "", "");
}

void RunState::interrupted(const std::string& path, int times)
{
    pause(model::PauseReason::interrupted,
          "the process ended " + std::to_string(times) + " times during " + path + "; resuming it tries again", path,
          "");
}

void RunState::hold() noexcept
{
    holding_ = true;
    while (RetryDelay* delay = delays_.pop_front()) {
        delay->stop();
        delay->wake();
    }
}

void RunState::refunded() noexcept
{
    account_.tell_refund();
}

void RunState::on_refund() noexcept
{
    while (Blocked* waiting = refunds_.pop_front()) waiting->release();
    while (Blocked* waiting = crowd_.pop_front()) waiting->release();
}

void RunState::on_raise() noexcept
{
    on_refund();
    while (Blocked* waiting = stopped_.pop_front()) waiting->release();
}

// ---- strands ----

void RunState::strand_stops()
{
    if (--running_ == 0) env_.loop.post(*this);
}

void RunState::settle() noexcept
{
    if (running_ > 0) return;
    while (!diverged_ && release_held())
        if (running_ > 0) return;
    if (!diverged_ && !rehearsing_ && !(gate_.empty() && doomed_.empty())) return open_gate();
    if (is_stuck()) return give_up_one();
    if (at_rest()) owner_.on_parkable();
}

/// False: nothing is held back.
bool RunState::release_held() noexcept
{
    const auto rank = [&](const Held& held) {
        return std::tuple(held.has_unused_victims(recorded_), -static_cast<std::ptrdiff_t>(outside(held.path()).size()),
                          held.path());
    };
    Held* next = held_.front();
    if (!next) return false;
    auto best = rank(*next);
    for (Held* other = held_.after(*next); other; other = held_.after(*other))
        if (auto its = rank(*other); its < best) {
            best = its;
            next = other;
        }
    next->unlink();
    next->let_go();
    return true;
}

void RunState::hold_back(Held& held) noexcept
{
    held_.push_back(held);
    if (running_ == 0) env_.loop.post(*this);
}

/// Whether all that is left waits for each other.
bool RunState::is_stuck() const
{
    return running_ == 0 && !diverged_ && !rehearsing_ && gate_.empty() && stopped_.empty() && refunds_.empty() &&
           questions_.empty() && forever_.empty() && doomed_.empty() && children_.empty() &&
           !(inner_.empty() && unseated_.empty());
}

void RunState::give_up_one() noexcept
{
    if (!unseated_.empty()) {
        auto& waiting = static_cast<UntilSeated&>(*unseated_.front());
        waiting.given_up_ = true;
        return waiting.release();
    }
    auto& waiting = static_cast<Inner&>(*inner_.front());
    waiting.given_up_ = true;
    waiting.release();
}

void RunState::leave_seats(const std::string& scope) noexcept
{
    seats_.leave(scope);
    for (Blocked* waiting = unseated_.front(); waiting;) {
        Blocked* next = unseated_.after(*waiting);
        auto& unseated = static_cast<UntilSeated&>(*waiting);
        if (seats_.take(unseated.claim_)) unseated.release();
        waiting = next;
    }
}

void RunState::on_durable(std::uint32_t seq) noexcept
{
    if (running_ == 0) env_.loop.post(*this);
    owner_.on_durable(seq);
}

void RunState::on_refused(const std::exception_ptr& error) noexcept
{
    owner_.on_refused(error);
}

}  // namespace cadre::engine
