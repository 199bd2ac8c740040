#include "sim/checker.hpp"

#include "base/error.hpp"
#include "engine/body.hpp"
#include "engine/events.hpp"
#include "engine/run.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "sim/team_checker.hpp"
#include "storage/verify.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::sim {

using engine::body_of;
using engine::TaskState;
using model::TaskStatus;
using storage::Record;
using storage::RecordKind;

namespace {

bool is_terminal(RecordKind kind)
{
    return kind == RecordKind::completed || kind == RecordKind::failed || kind == RecordKind::cancelled;
}

/// I7.
bool may_follow(TaskStatus from, TaskStatus to)
{
    if (from == to) return true;
    if (model::is_finished(from)) return false;
    if (model::is_finished(to)) return true;
    switch (from) {
    case TaskStatus::pending: return to == TaskStatus::running;
    case TaskStatus::running: return to == TaskStatus::waiting || to == TaskStatus::paused;
    case TaskStatus::waiting: return to == TaskStatus::running || to == TaskStatus::paused;
    case TaskStatus::paused: return to == TaskStatus::running || to == TaskStatus::waiting;
    default: return false;
    }
}

/// `a/branch:1.2/use:1.0` → `a/branch:1.` and `2`: the innermost join, and which of its branches.
std::optional<std::pair<std::string, std::string>> branch_of(std::string_view path)
{
    const auto start = path.rfind("branch:");
    if (start == path.npos) return {};
    const auto dot = path.find('.', start);
    const auto slash = path.find('/', dot);
    return std::pair(std::string(path.substr(0, dot + 1)), std::string(path.substr(dot + 1, slash - dot - 1)));
}

/// Goes through one journal, record by record.
class JournalCheck {
public:
    JournalCheck(Simulation& simulation, const Id& task, const std::vector<Record>& records)
        : simulation_(simulation), task_(task), records_(records)
    {}

    void run()
    {
        for (const auto& problem : storage::verify(records_))
            broken("I1/I2/I3 record {}: {}", problem.seq, problem.text);
        std::uint32_t events = 0;
        for (const Record& record : records_) {
            const auto made = engine::events_of(record);
            if (record.event_seq != events + made.size())
                broken("I21 record {} ({}) stands for {} events, but its number goes from {} to {}", record.seq,
                       storage::name_of(record.kind), made.size(), events, record.event_seq);
            events = record.event_seq;
            states(record);
            effects(record);
            changes(record);
            files(record);
        }
        const bool waits = state_.spec.pending && state_.status == TaskStatus::cancelled;
        if (!state_.started_at && !waits && !engine::is_queued(state_))
            broken("I7 the task was accepted and never started");
        if (!state_.finished()) return;
        for (const auto& [path, effect] : effects_)
            if (effect.open && (effect.kind == "use" || effect.kind == "send") &&
                state_.status == TaskStatus::completed && !in_a_failed_join(path))
                broken("I13 the task completed, and what came of {} is not recorded", path);
    }

private:
    struct Seen {
        std::string kind{};
        std::string key{};
        Time due{};
        Time failed_at{};
        Millis retry_in{};
        std::uint32_t failed_epoch = 0;
        std::uint32_t intent_epoch = 0;
        int attempts = 0;
        bool open = false;     // intent without outcome
        bool unknown = false;  // a person was asked
        bool outcome = false;
    };

    template <class... Args>
    void broken(fmt::format_string<Args...> format, Args&&... args)
    {
        simulation_.report(fmt::format(format, std::forward<Args>(args)...), task_);
    }

    void states(const Record& record)
    {
        const TaskStatus before = state_.status;
        // results that came too late, and what people do to files and memory of a task that has ended
        if (state_.finished() && record.kind != RecordKind::late_result && record.kind != RecordKind::upkeep)
            broken("I8 record {} ({}) after the end", record.seq, storage::name_of(record.kind));
        const bool paused = state_.pause_reason.has_value();
        if (record.kind == RecordKind::intent && (state_.cancel_requested || paused))
            broken("I16 intent {} (record {}) although the task is {}", record.path, record.seq,
                   paused ? "paused" : "being cancelled");
        if (record.kind == RecordKind::unknown && state_.cancel_requested)
            broken("I16 a question about {} (record {}) although the task is being cancelled", record.path, record.seq);
        if (record.kind == RecordKind::pause) {
            const auto pause = body_of<engine::PauseBody>(record);
            const auto reason = pause.reason.get();
            if (reason == model::PauseReason::diverged && !expected_divergence(record.epoch))
                broken("I6 diverged: {}", pause.text.str());
            simulation_.count("paused for " + std::string(model::wire_name(reason)));
        }
        engine::apply(state_, record);
        if (!may_follow(before, state_.status))
            broken("I7 record {} ({}) takes the task from {} to {}", record.seq, storage::name_of(record.kind),
                   model::to_json_text(before), model::to_json_text(state_.status));
        if (state_.budget.steps && state_.steps > *state_.budget.steps)
            broken("I19 {} model calls, the budget is {}", state_.steps, *state_.budget.steps);
        if (is_terminal(record.kind)) simulation_.count("ended " + storage::name_of(record.kind));
        if (state_.questions.size() >= 1 && record.kind == RecordKind::outcome)
            simulation_.count("worked beside a question");
    }

    bool expected_divergence(std::uint32_t) const { return simulation_.expects_divergence(task_); }

    void effects(const Record& record)
    {
        Seen& effect = effects_[record.path];
        switch (record.kind) {
        case RecordKind::intent: intent(record, effect); break;
        case RecordKind::outcome: outcome(record, effect); break;
        case RecordKind::unknown: unknown(record, effect); break;
        case RecordKind::attempt_failed: {
            if (!effect.open)
                broken("I13 record {}: an attempt of {} failed that was not begun", record.seq, record.path);
            effect.failed_at = record.at;
            effect.failed_epoch = record.epoch;
            effect.retry_in = Millis(body_of<engine::AttemptFailedBody>(record).retry_in_ms);
            effect.open = false;
            simulation_.count("attempt failed");
            break;
        }
        case RecordKind::answer: {
            const auto given = body_of<engine::AnswerBody>(record);
            if (!answered_.insert(given.request.str() + "@" + std::to_string(effect.attempts)).second)
                broken("I17 record {}: a second answer to {}", record.seq, record.path);
            if (given.answer.get().verb == model::HumanVerb::timeout) {
                simulation_.count("question timed out");
                if (effect.due != Time{} && record.at < effect.due)
                    broken("I18 {} timed out before its time", record.path);
            }
            if (effect.kind == "ask") effect.open = false;
            break;
        }
        case RecordKind::note:
            if (!body_of<engine::NoteBody>(record).ran_ms)
                broken("I6 record {}: {} {}", record.seq, record.path, record.body);
            break;
        case RecordKind::late_result: simulation_.count("late result"); break;
        case RecordKind::node_done:
            if (effect.outcome) broken("I13 record {}: {} is done for the second time", record.seq, record.path);
            effect.outcome = true;
            break;
        default: break;
        }
    }

    void intent(const Record& record, Seen& effect)
    {
        const auto body = body_of<engine::IntentBody>(record);
        if (effect.outcome) broken("I13 record {}: {} begins again after its outcome", record.seq, record.path);
        if (effect.open && effect.intent_epoch == record.epoch && !effect.unknown)
            broken("I13 record {}: {} begins again in the same process although nothing came of the attempt before",
                   record.seq, record.path);
        effect.kind = body.effect.str();
        if (body.attempt != ++effect.attempts)
            broken("I20 record {}: {} has attempt {}, expected {}", record.seq, record.path, body.attempt,
                   effect.attempts);
        const std::string key = body.key.str();
        if (!key.empty()) {
            const auto [place, is_new] = keys_.try_emplace(key, record.path);
            if (place->second != record.path) broken("I12 the key of {} is that of {}", record.path, place->second);
            if (effect.attempts > 1 && effect.failed_at == Time{} && !effect.unknown && key != effect.key)
                broken("I12 record {}: {} is repeated with another key", record.seq, record.path);
        }
        if (effect.failed_at != Time{} && effect.failed_epoch == record.epoch &&
            record.at < effect.failed_at + effect.retry_in)
            broken("I20 record {}: {} is tried again {} ms after it failed, agreed were {}", record.seq, record.path,
                   (record.at - effect.failed_at).count(), effect.retry_in.count());
        if (effect.attempts > 1) simulation_.count("repeated " + effect.kind);
        if (const auto* ask = std::get_if<engine::AskIntent>(&body.of); ask && ask->due.is_set())
            effect.due = ask->due.get();
        if (const auto* sleep = std::get_if<engine::SleepIntent>(&body.of)) effect.due = sleep->due.get();
        effect.key = key;
        effect.open = true;
        effect.unknown = false;
        effect.failed_at = {};
        effect.intent_epoch = record.epoch;
        if (in_a_failed_join(record.path))
            broken("wasted: record {}: {} begins although its join has failed", record.seq, record.path);
    }

    void outcome(const Record& record, Seen& effect)
    {
        const auto body = body_of<engine::OutcomeBody>(record);
        if (effect.outcome) broken("I13 record {}: a second outcome of {}", record.seq, record.path);
        effect.outcome = true;
        effect.open = false;
        const bool slept = std::holds_alternative<engine::SleepOutcome>(body.of) && !body.cancelled;
        if (slept && record.at < effect.due)
            broken("I18 record {}: {} ends {} ms before its time", record.seq, record.path,
                   (effect.due - record.at).count());
        if (slept && record.at > effect.due + std::chrono::seconds(1)) simulation_.count("woke up late");
        if (body.cancelled) simulation_.count("effect cancelled");
        if (std::holds_alternative<engine::JoinOutcome>(body.of)) simulation_.count("join recorded");
        if (std::holds_alternative<engine::FirstOutcome>(body.of)) simulation_.count("race recorded");
        const auto* use = std::get_if<engine::UseOutcome>(&body.of);
        if (use && use->tool.str() == "bomb" && !body.cancelled)
            if (const auto branch = branch_of(record.path)) failed_joins_.insert(branch->first);
    }

    void unknown(const Record& record, Seen& effect)
    {
        if (!effect.open)
            broken("I13 record {}: what came of {} is asked, but it was not begun", record.seq, record.path);
        effect.unknown = true;
        if (in_a_failed_join(record.path))
            broken("spurious: record {}: a person is asked about {} although its join has failed", record.seq,
                   record.path);
        if (record.epoch == effect.intent_epoch && !simulation_.ledger().was_dispatched(effect.key))
            broken("spurious: record {}: a person is asked about {}, which was never dispatched", record.seq,
                   record.path);
    }

    /// What people changed is heard once, by who asks next, and is known to all who replay it.
    void changes(const Record& record)
    {
        if (record.kind == RecordKind::setting && body_of<engine::SettingBody>(record).is_intervention())
            unheard_.push_back(record.seq);
        if (record.kind != RecordKind::outcome) return;
        const auto body = body_of<engine::OutcomeBody>(record);
        if (const auto* heed = std::get_if<engine::HeedOutcome>(&body.of); heed && !body.cancelled) {
            if (heed->inputs.get() != unheard_)
                broken("I32 record {}: {} heard {} changes, there were {}", record.seq, record.path,
                       heed->inputs.get().size(), unheard_.size());
            if (!unheard_.empty()) simulation_.count("heard a change");
            unheard_.clear();
        }
        if (const auto* child = std::get_if<engine::DelegateOutcome>(&body.of)) spending(record, *child);
    }

    /// I19: what a delegated task has cost stands where its parent is.
    void spending(const Record& record, const engine::DelegateOutcome& outcome)
    {
        const auto child = find_id(outcome.child.str());
        const auto spent = outcome.spent.find();
        if (!child || !spent) return;
        const Meter& meter = simulation_.ledger().meters[*child];
        bool bounded = false;  // else tokens are not reserved: what came of a call is counted when it is known
        for (std::optional<Id> at = child; at; at = simulation_.kin_of(*at).parent)
            bounded = bounded || simulation_.kin_of(*at).tokens;
        if ((bounded && spent->tokens < meter.tokens) || spent->steps < meter.calls)
            broken("I19 record {}: {} is said to have cost {} tokens and {} calls, it was {} and {}", record.seq,
                   record.path, spent->tokens, spent->steps, meter.tokens, meter.calls);
        if (meter.calls > 0) simulation_.count("spent by a child");
    }

    /// I34: every change of a file is its next version, and its content was kept before the journal says so.
    void files(const Record& record)
    {
        if (record.kind == RecordKind::upkeep) {
            const auto upkeep = body_of<engine::UpkeepBody>(record);
            if (const auto artifact = upkeep.artifact.find()) version(record, *artifact);
        }
        if (record.kind != RecordKind::outcome) return;
        const auto body = body_of<engine::OutcomeBody>(record);
        if (body.cancelled || body.error.find()) return;
        if (const auto* save = std::get_if<engine::SaveOutcome>(&body.of)) version(record, save->artifact.get());
        if (std::holds_alternative<engine::CheckOutcome>(body.of)) simulation_.count("verdict recorded");
        if (std::holds_alternative<engine::CompactOutcome>(body.of)) simulation_.count("compaction recorded");
        if (std::holds_alternative<engine::SendOutcome>(body.of)) simulation_.count("message sent");
        const auto* remember = std::get_if<engine::RememberOutcome>(&body.of);
        if (!remember) return;
        const auto& notes = simulation_.ledger().notes;
        if (std::ranges::find(notes, remember->id.str(), &Noted::id) == notes.end())
            broken("I35 record {}: the memory does not have what {} remembers", record.seq, record.path);
        simulation_.count("remembered");
    }

    void version(const Record& record, const engine::SavedVersion& saved)
    {
        engine::SavedVersion& last = files_[saved.path];
        const int expected = last.sha256 == saved.sha256 ? last.version : last.version + 1;
        if (saved.version != expected)
            broken("I34 record {}: {} has version {}, expected {}", record.seq, saved.path, saved.version, expected);
        if (!simulation_.ledger().blobs.contains(saved.sha256))
            broken("I34 record {}: the content of {} was not kept", record.seq, saved.path);
        if (expected > 1) simulation_.count("another version");
        last = saved;
    }

    bool in_a_failed_join(std::string_view path) const
    {
        for (const std::string& join : failed_joins_)
            if (path.starts_with(join)) return true;
        return false;
    }

    Simulation& simulation_;
    const Id& task_;
    const std::vector<Record>& records_;
    TaskState state_;
    std::map<std::string, Seen> effects_;
    std::map<std::string, std::string> keys_;  // to paths
    std::set<std::string> answered_;
    std::set<std::string> failed_joins_;
    std::vector<std::uint32_t> unheard_;                 // changes, by record
    std::map<std::string, engine::SavedVersion> files_;  // by path
};

void check_ledger(Simulation& simulation)
{
    for (const auto& [key, indices] : simulation.ledger().by_key) {
        const Dispatch& first = simulation.ledger().dispatches[indices.front()];
        const bool once = first.tool == "pay" || first.tool == "gate" || first.tool == "sms";
        std::size_t left = 0;
        for (const std::size_t index : indices) left += !simulation.ledger().dispatches[index].not_dispatched;
        if (once && left > 1)
            simulation.report(
                fmt::format("I12 {} with key {} was dispatched {} times", first.tool, key.substr(0, 8), left),
                first.task);
        if (left > 1) simulation.count("dispatched again");
    }
    std::set<std::string> notes;
    for (const Noted& note : simulation.ledger().notes)
        if (!notes.insert(note.text).second) simulation.report("I35 it was remembered twice: " + note.text, note.task);
}

/// I36: a turn of a session begins when those before it have ended.
void check_turns(Simulation& simulation)
{
    struct Turn {
        Id task{};
        int number = 0;
        std::optional<Time> began{};
        std::optional<Time> ended{};
    };
    std::map<std::pair<std::string, std::string>, std::vector<Turn>> sessions;
    for (const auto& [id, stored] : simulation.disk().tasks()) {
        if (stored.records.empty()) continue;
        const TaskState state = engine::fold(stored.records);
        if (!state.spec.session || state.spec.parent) continue;
        Turn turn{.task = id, .number = state.spec.turn, .began = state.started_at};
        for (const Record& record : stored.records)
            if (is_terminal(record.kind)) turn.ended = record.at;
        if (state.spec.after) simulation.count(turn.began ? "queued turn began" : "queued turn waits");
        sessions[{state.tenant, *state.spec.session}].push_back(turn);
    }
    for (const auto& [session, turns] : sessions)
        for (const Turn& before : turns)
            for (const Turn& turn : turns)
                if (before.number < turn.number && turn.began && (!before.ended || *before.ended > *turn.began))
                    simulation.report(
                        fmt::format("I36 turn {} began before turn {} had ended", turn.number, before.number),
                        turn.task);
}

/// I21: what readers saw is what the journal says, from where they began and to its end.
void check_readers(Simulation& simulation)
{
    std::map<Id, std::vector<std::string>> all;
    for (const auto& [id, stored] : simulation.disk().tasks())
        for (const Record& record : stored.records)
            for (std::string& json : engine::events_of(record)) all[id].push_back(std::move(json));
    for (const auto& reader : simulation.readers()) {
        const auto& events = all[reader->task];
        for (const engine::EventPtr& seen : reader->seen)
            if (seen->number == 0 || seen->number > events.size() ||
                events[seen->number - 1] != model::to_json_text(seen->event))
                simulation.report(
                    fmt::format("I21 a reader saw an event {} that the journal does not have", seen->number),
                    reader->task);
        if (reader->last() < events.size())
            simulation.report(fmt::format("I21 a reader has seen {} of {} events", reader->last(), events.size()),
                              reader->task);
    }
}

}  // namespace

void check_dispatch(Simulation& simulation, Dispatch& dispatch, const Worker& worker)
{
    const auto wrong = [&](const std::string& text) {
        simulation.report(fmt::format("I11 {} was called with key {} by {}, {}", dispatch.tool,
                                      dispatch.key.substr(0, 8), worker.name, text),
                          dispatch.task);
    };
    for (const auto& [id, stored] : simulation.disk().tasks()) {
        for (const Record& record : stored.records) {
            if (record.kind != RecordKind::intent || record.body.find(dispatch.key + '"') == std::string::npos)
                continue;
            dispatch.task = id;
            const auto intent = body_of<engine::IntentBody>(record);
            if (worker.left_out.contains(id)) wrong("by code that does not fit the task's journal");
            if (const auto* message = std::get_if<engine::SendIntent>(&intent.of)) {
                if (message->content.str() != dispatch.arguments.at("content").as_string())
                    wrong("and its intent has another text");
                return;
            }
            const auto call = engine::own_of<engine::UseIntent>(intent, record).call.get();
            if (call.tool_name != dispatch.tool) wrong("but its intent is about " + call.tool_name);
            if (call.args != dispatch.arguments) wrong("and its intent has other arguments");
            return;
        }
    }
    wrong("and no such intent is on the disk");
}

void check_event(Simulation& simulation, const Reader& reader, const engine::NumberedEvent& event)
{
    if (event.number != reader.last() + 1)
        simulation.report(fmt::format("I21 a reader got event {} after {}", event.number, reader.last()), reader.task);
    const Stored* stored = simulation.disk().find(reader.task);
    if (!stored || stored->records.empty() || stored->records.back().event_seq < event.number)
        simulation.report(fmt::format("I4 a reader got event {} before it was on the disk", event.number), reader.task);
}

void check_live_state(Simulation& simulation, const TaskState& live, std::span<const Record> records)
{
    const TaskState folded = engine::fold(records);
    const auto same = [&](const char* what, const auto& a, const auto& b) {
        if (!(a == b))
            simulation.report(fmt::format("I6 a run's own view differs from its journal: {}", what), live.id);
    };
    same("status", live.status, folded.status);
    same("pause_reason", live.pause_reason, folded.pause_reason);
    same("cancel_requested", live.cancel_requested, folded.cancel_requested);
    same("cancel_reason", live.cancel_reason, folded.cancel_reason);
    same("end", live.end.seq, folded.end.seq);
    same("hash", live.end.hash, folded.end.hash);
    same("updated_at", live.updated_at, folded.updated_at);
    same("stepping", live.stepping, folded.stepping);
    same("steps_allowed", live.steps_allowed, folded.steps_allowed);
    same("passed_breakpoints", live.passed_breakpoints, folded.passed_breakpoints);
    same("questions", live.questions, folded.questions);
    same("timers", live.timers, folded.timers);
    same("budget", live.budget, folded.budget);
    same("usage", live.usage, folded.usage);
    same("steps", live.steps, folded.steps);
    same("calls", live.calls, folded.calls);
    simulation.count("looked inside");
}

void check_history(Simulation& simulation)
{
    check_turns(simulation);
    for (const Subject& subject : simulation.subjects())
        if (const Stored* stored = simulation.disk().find(subject.id); stored && subject.team != TeamKind::none)
            check_team(simulation, subject, stored->records);
    for (const Subject& subject : simulation.subjects())
        if (const Stored* stored = simulation.disk().find(subject.id); stored && stored->entry)
            if (stored->entry->tenant != subject.tenant || stored->records.front().tenant != subject.tenant)
                simulation.report("I31 the task has become another tenant's", subject.id);
    for (const auto& [id, stored] : simulation.disk().tasks()) {
        if (stored.records.empty()) continue;
        JournalCheck(simulation, id, stored.records).run();
        if (!stored.entry) {
            simulation.report("index: there is no entry for the task", id);
            continue;
        }
        const TaskState state = engine::fold(stored.records);
        const Stored* parent = state.spec.parent ? simulation.disk().find(*find_id(*state.spec.parent)) : nullptr;
        if (parent && !state.finished() && engine::fold(parent->records).finished())
            simulation.report("I33 the task above it has ended, and it has not", id);
        const storage::TaskEntry entry = engine::index_entry(state);
        if (entry.status != stored.entry->status || entry.open != stored.entry->open || entry.due != stored.entry->due)
            simulation.report(
                fmt::format("index: the entry says {}, the journal {}", stored.entry->status, entry.status), id);
    }
    check_ledger(simulation);
    check_readers(simulation);
}

}  // namespace cadre::sim
