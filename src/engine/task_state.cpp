#include "engine/task_state.hpp"

#include "base/json_writer.hpp"
#include "engine/agent.hpp"
#include "engine/body.hpp"
#include "engine/index_detail.hpp"
#include "engine/interruption.hpp"
#include "engine/written.hpp"
#include "model/describe.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace cadre::engine {

using model::PauseReason;
using model::TaskStatus;
using storage::Record;

namespace {

constexpr std::size_t kTitleLength = 80;

/// What the facts say; stored nowhere.
TaskStatus status_of(const TaskState& state)
{
    if (state.pause_reason) return TaskStatus::paused;
    return state.questions.empty() ? TaskStatus::running : TaskStatus::waiting;
}

void settle_status(TaskState& state, Time now)
{
    if (state.started_at && !state.finished()) state.status = status_of(state);
    const bool rests = state.status == TaskStatus::waiting || state.status == TaskStatus::paused;
    if (rests && !state.resting_since) state.resting_since = now;
    if (rests || !state.resting_since) return;
    state.rested += std::max(now - *state.resting_since, Millis{0});
    state.resting_since.reset();
}

void add_question(TaskState& state, const Record& record, model::HumanRequest request, std::optional<Time> due)
{
    state.questions.push_back({.path = record.path, .request = std::move(request), .due = due, .asked_at = record.at});
}

template <class List>
void remove_at(List& list, const std::string& path)
{
    std::erase_if(list, [&](const auto& open) { return open.path == path; });
}

/// What is begun.
struct Begin {
    TaskState& state;
    const Record& record;

    void operator()(const ThinkIntent&) const
    {
        ++state.steps;
        if (state.is_reused(record.seq)) ++state.reused.steps;
        if (state.steps_allowed > 0) --state.steps_allowed;
    }
    void operator()(const UseIntent&) const
    {
        ++state.calls;
        if (state.steps_allowed > 0) --state.steps_allowed;
        if (state.is_reused(record.seq)) ++state.reused.calls;
    }
    void operator()(const AskIntent& ask) const { add_question(state, record, ask.request.get(), ask.due.find()); }
    void operator()(const DelegateIntent& delegate) const
    {
        state.children.emplace_back(record.path, id_from(delegate.child.str()));
    }
    void operator()(const SleepIntent& sleep) const
    {
        state.timers.push_back({record.path, required(sleep.due, record), record.at});
    }
    template <AnyOf<RecallIntent, RememberIntent, SaveIntent, CheckIntent, SendIntent, NowIntent, FreshIdIntent,
                    FirstIntent, JoinIntent, AnnounceIntent, HeedIntent, RouteIntent, CompactIntent, NewerIntent>
                  Other>
    void operator()(const Other&) const
    {}
};

void finish(TaskState& state, TaskStatus status, const Record& record)
{
    state.status = status;
    state.pause_reason.reset();
    state.pause_text.clear();
    state.questions.clear();
    state.timers.clear();
    state.completed_at = record.at;
    state.error_code.clear();
    state.error.clear();
}

struct Apply {
    TaskState& state;
    const Record& record;

    void operator()(const CreatedBody& created) const
    {
        state.id = record.task;
        state.tenant = record.tenant;
        state.spec = created.spec.get();
        state.budget = state.spec.budget;
        state.breakpoints = state.spec.breakpoints;
        state.stepping = state.spec.mode == model::ExecutionMode::step;
        state.created_at = record.at;
    }
    void operator()(const StartedBody& started) const
    {
        state.started_at = record.at;
        if (started.history.is_set()) state.spec.history = started.history.str();
    }
    void operator()(const IntentBody& intent) const { std::visit(Begin{state, record}, intent.of); }
    void operator()(const OutcomeBody& outcome) const
    {
        const auto used = usage_of(outcome.of).find();
        if (const auto* save = std::get_if<SaveOutcome>(&outcome.of)) keep(save->artifact, save->change);
        remove_at(state.questions, record.path);
        remove_at(state.timers, record.path);
        std::erase_if(state.children, [&](const auto& child) {
            if (child.first != record.path) return false;
            if (outcome.cancelled && !state.is_reused(record.seq)) state.orphans.push_back(child.second);
            return true;
        });
        if (const auto* use = std::get_if<UseOutcome>(&outcome.of)) {
            if (use->artifacts.is_set())
                for (std::string& file : use->artifacts.get()) state.written.insert(std::move(file));
            if (use->files.is_set())
                for (Saved& file : use->files.get()) keep(std::move(file));
        }
        if (const auto* compact = std::get_if<CompactOutcome>(&outcome.of); compact && compact->history.is_set())
            state.history_left = compact->history.get();
        if (!used) return;
        count_usage(state, *used);
        if (state.is_reused(record.seq)) state.reused.usage += *used;
    }
    void operator()(const UnknownBody& unknown) const { add_question(state, record, unknown.request.get(), {}); }
    void operator()(const AnswerBody&) const { remove_at(state.questions, record.path); }
    void operator()(const CancelBody& cancel) const
    {
        state.cancel_requested = true;
        state.cancel_reason = cancel.reason.str();
    }
    void operator()(const PauseBody& pause) const
    {
        state.pause_reason = pause.reason.get();
        state.pause_text = pause.text.str();
        if (state.pause_reason == PauseReason::interrupted) return note_interruption();
        if (!pause.breakpoint.is_set()) return;
        const std::string breakpoint = pause.breakpoint.str();
        state.passed_breakpoints.insert(breakpoint.starts_with("condition:") ? breakpoint : record.path);
    }
    void operator()(const ResumeBody& resume) const
    {
        state.pause_reason.reset();
        state.pause_text.clear();
        state.steps_allowed = static_cast<int>(resume.steps);
        if (state.steps_allowed > 0) state.stepping = true;
        if (resume.freely) state.stepping = false;
    }
    void operator()(const SettingBody& setting) const
    {
        if (setting.budget.is_set()) state.budget = setting.budget.get();
        if (!setting.breakpoints.is_set()) return;
        const auto before = std::exchange(state.breakpoints, setting.breakpoints.get());
        for (const std::string& breakpoint : state.breakpoints)  // a condition that is set anew stops anew
            if (std::ranges::find(before, breakpoint) == before.end()) state.passed_breakpoints.erase(breakpoint);
    }
    void operator()(const CompletedBody& completed) const
    {
        auto reply = completed.reply.find();
        finish(state, TaskStatus::completed, record);
        if (reply) state.reply = std::move(reply);
    }
    void operator()(const FailedBody& failed) const
    {
        auto reply = failed.reply.find();
        std::string code = failed.code.str(), message = failed.message.str();
        finish(state, TaskStatus::failed, record);
        state.error_code = std::move(code);
        state.error = std::move(message);
        if (reply) state.reply = std::move(reply);
    }
    void operator()(const CancelledBody&) const { finish(state, TaskStatus::cancelled, record); }
    void operator()(const UpkeepBody& upkeep) const { keep(upkeep.artifact, upkeep.change); }
    template <AnyOf<NodeDoneBody, InstructionBody, LateResultBody, AttemptFailedBody, NoteBody, NewerBody> Other>
    void operator()(const Other&) const
    {}

    /// That it has stopped there because its process ended so often, for the first time, the second, …
    void note_interruption() const
    {
        int times = 1;
        while (state.passed_breakpoints.contains(interruption_at(record.path, times))) ++times;
        state.passed_breakpoints.insert(interruption_at(record.path, times));
    }

    void keep(const Lazy<SavedVersion>& artifact, const Lazy<ArtifactChange>& change) const
    {
        if (artifact.is_set()) keep({artifact.get(), change.get()});
    }
    void keep(Saved&& saved) const
    {
        std::string path = saved.artifact.path;
        if (saved.change == ArtifactChange::deleted) {
            state.deleted.insert(std::move(path));
            return;
        }
        state.deleted.erase(path);
        state.artifacts.insert_or_assign(std::move(path), std::move(saved.artifact));
    }
};

}  // namespace

const model::Entity& describe(const ForkedFrom*)
{
    using model::field;
    static const model::Entity entity{
        "forked_from",
        "Where a fork comes from.",
        {
            field("task", &ForkedFrom::task, "The task that it is a fork of.", {.required = true}),
            field("seq", &ForkedFrom::seq, "The record up to which everything that could be was reused.", {.min = 0}),
            field("records", &ForkedFrom::records, "How many records were reused.", {.min = 0}),
            field("other_models", &ForkedFrom::other_models, "Agents whose model is another one here."),
            field("redacted", &ForkedFrom::redacted, "Whether that task was redacted."),
        }};
    return entity;
}

const model::Entity& describe(const Imported*)
{
    using model::field;
    static const model::Entity entity{
        "imported",
        "A task that ran elsewhere.",
        {
            field("hash", &Imported::hash, "Of its last record at home."),
            field("redacted", &Imported::redacted, "Whether it was redacted before it came here."),
            field("at", &Imported::at, "When it came.", {.extension = true}),
        }};
    return entity;
}

const model::Entity& describe(const TaskSpec*)
{
    using model::field;
    static const model::Entity entity{
        "task_spec",
        "What a task is to do and on what configuration: the first record of its journal.",
        {
            field("description", &TaskSpec::description, "What the task is to do, in the user's words."),
            field("agent", &TaskSpec::agent, "The agent that begins."),
            field("pattern", &TaskSpec::pattern, "How it runs: name and version.", {.required = true}),
            field("config", &TaskSpec::config, "Hash of the team that it is pinned to."),
            field("model", &TaskSpec::model, "The model that wins over the team's; empty: none does."),
            field("mode", &TaskSpec::mode, "Whether it runs on by itself or step by step."),
            field("budget", &TaskSpec::budget, "What it may spend."),
            field("created_by", &TaskSpec::created_by, "Who asked for it."),
            field("kind", &TaskSpec::kind, "For retention: critical, debug and others."),
            field("project", &TaskSpec::project, "The folder of the project whose programs and servers are its tools.",
                  {.extension = true}),
            field("source", &TaskSpec::source, "The file that its team, agent or workflow was read from.",
                  {.extension = true}),
            field("session", &TaskSpec::session, "The conversation that it belongs to."),
            field("turn", &TaskSpec::turn, "Which one of that conversation.", {.min = 0, .extension = true}),
            field("history", &TaskSpec::history, "Hash of what was said in it before.", {.extension = true}),
            field("parent", &TaskSpec::parent, "The task that delegated it."),
            field("parent_step", &TaskSpec::parent_step, "The step that wanted it done.", {.extension = true}),
            field("depth", &TaskSpec::depth, "How many tasks above it have delegated.", {.min = 0}),
            field("retention_days", &TaskSpec::retention_days, "How long its history is kept.", {.min = 0}),
            field("breakpoints", &TaskSpec::breakpoints,
                  "Where it stops: `agent:NAME`, `tool:NAME`, `node:NAME`, `condition:tokens > 1000`."),
            field("pending", &TaskSpec::pending, "Whether it waits to be started once it is created.",
                  {.extension = true}),
            field("after", &TaskSpec::after, "The turn of its session that it waits for, with all before that.",
                  {.extension = true}),
            field("setup", &TaskSpec::setup, "Hash of a document that it is pinned to beside its team.",
                  {.extension = true}),
            field("overrides", &TaskSpec::overrides,
                  "Of a fork of a workflow: `after` which node its state gets which `update`.", {.extension = true}),
            field("input", &TaskSpec::input, "Arguments of a pattern of one's own."),
            field("metadata", &TaskSpec::metadata, "The creator's own."),
            field("forked_from", &TaskSpec::forked_from, "The task that it is a fork of."),
            field("imported", &TaskSpec::imported, "Whether it ran elsewhere: then it is never resumed here."),
        }};
    return entity;
}

std::string started_body(const TaskSpec& spec, const TeamAgents& agents, const std::optional<std::string>& history)
{
    StartedBody body{.prompt = spec.description, .mode = model::wire_name(spec.mode)};
    std::string team;
    if (agents.team) {
        append_json_string(team += R"({"name":)", agents.team->name);
        append_json_string(team += R"(,"version":)", agents.team->version);
        team += R"(,"agents":[)";
        for (const Agent& agent : agents) append_json_string(team += &agent == &agents.front() ? "" : ",", agent.name);
        append_json_string(team += R"(],"hash":)", agents.key);
        team += '}';
        body.team = RawJson{team};
    }
    if (history) body.history = *history;
    return text_of(body);
}

std::vector<std::string> artifacts_of(const TaskState& state)
{
    std::set<std::string> paths = state.written;
    for (const auto& [path, version] : state.artifacts) paths.insert(path);
    for (const std::string& path : state.deleted) paths.erase(path);
    std::vector<std::string> artifacts;
    artifacts.reserve(paths.size());
    for (const std::string& path : paths) artifacts.push_back("artifacts/" + path);
    return artifacts;
}

Work TaskState::own_work() const
{
    return {.steps = steps - reused.steps,
            .calls = calls - reused.calls,
            .usage = {.input = usage.input - reused.usage.input,
                      .output = usage.output - reused.usage.output,
                      .cached = usage.cached - reused.usage.cached,
                      .reasoning = usage.reasoning - reused.usage.reasoning,
                      .cost = usage.cost - reused.usage.cost}};
}

std::optional<Time> TaskState::due() const
{
    std::optional<Time> earliest;
    const auto consider = [&](Time due) {
        if (!earliest || due < *earliest) earliest = due;
    };
    for (const OpenQuestion& question : questions)
        if (question.due) consider(*question.due);
    for (const OpenTimer& timer : timers) consider(timer.due);
    return earliest;
}

void apply(TaskState& state, const Record& record)
{
    apply(state, record, Body(record));
}

void apply(TaskState& state, const Record& record, const Body& body)
{
    const Millis passed = state.passed(record.at, record.epoch);
    body.visit(Apply{state, record});  // what cannot be read throws before it has changed anything
    const auto* note = body.find<NoteBody>();
    state.ran = note && note->ran_ms ? std::max(Millis(*note->ran_ms), Millis{0}) : state.ran + passed;
    state.end = {record.seq, record.event_seq, record.hash};
    state.epoch = record.epoch;
    state.updated_at = record.at;
    settle_status(state, record.at);
}

void count_usage(TaskState& state, const llm::Usage& usage)
{
    state.usage += usage;
    state.dearest_call = std::max(state.dearest_call, usage.cost);
}

TaskState fold(std::span<const Record> records)
{
    TaskState state;
    for (const Record& record : records) take_in(state, record);
    return state;
}

void take_in(TaskState& state, const Record& record)
{
    try {
        const Body body(record);
        if (!is_read_by_fold(record.kind)) body.expect_readable();  // whoever runs the task reads it
        return apply(state, record, body);
    } catch (const Error& error) {
        if (state.unreadable.empty()) state.unreadable = error.what();
    }
    state.id = record.task;
    state.tenant = record.tenant;
    state.end = {record.seq, record.event_seq, record.hash};
    state.epoch = record.epoch;
    state.updated_at = record.at;
}

storage::TaskEntry index_entry(const TaskState& state)
{
    std::string title = state.spec.description.substr(0, kTitleLength);
    while (!title.empty() && title.size() < state.spec.description.size() &&
           (static_cast<unsigned char>(state.spec.description[title.size()]) & 0xC0) == 0x80)
        title.pop_back();  // not in the middle of a character
    IndexDetail detail{.error = state.error,
                       .pause = state.pause_text,
                       .kind = state.spec.kind,
                       .retention_days = state.spec.retention_days,
                       .turn = state.spec.turn,
                       .history = state.spec.history};
    const bool is_ours = !state.spec.imported;
    // what came in a file is asked of nobody here, and is a turn of no session: whoever wrote the file has chosen its name and its time
    if (!is_ours) detail.kept_from = state.spec.imported->at;
    else
        for (const OpenQuestion& question : state.questions) detail.questions.push_back(question.request);
    return {.task = state.id,
            .tenant = state.tenant,
            .status = std::string(model::find_name(model::names_of(static_cast<const TaskStatus*>(nullptr)),
                                                   static_cast<int>(state.status))),
            .open = !state.finished() && is_ours,
            .created_at = state.created_at,
            .updated_at = state.updated_at,
            .due = state.finished() || !is_ours ? std::nullopt : state.due(),
            .title = std::move(title),
            .agent = state.spec.agent,
            .session = is_ours ? state.spec.session.value_or("") : "",
            .turn = is_ours ? state.spec.turn : 0,
            .parent = state.spec.parent.value_or(""),
            .created_by = state.spec.created_by,
            .detail = detail_text(detail)};
}

model::Task to_task(const TaskState& state)
{
    model::Task task{.id = to_string(state.id),
                     .tenant = state.tenant,
                     .created_by = state.spec.created_by,
                     .session = state.spec.session,
                     .parent = state.spec.parent,
                     .kind = state.spec.kind,
                     .description = state.spec.description,
                     .agent = state.spec.agent,
                     .graph = state.spec.pattern,
                     .mode = state.spec.mode,
                     .status = state.status,
                     .pause_reason = state.pause_reason,
                     .reply = state.reply,
                     .created_at = state.created_at,
                     .started_at = state.started_at,
                     .completed_at = state.completed_at,
                     .retention_days = state.spec.retention_days,
                     .metadata = state.spec.metadata};
    if (!state.error.empty()) task.error = state.error;
    if (!state.pause_text.empty()) task.status_text = state.pause_text;
    if (!state.unreadable.empty()) task.status_text = "quarantined: " + state.unreadable;
    return task;
}

}  // namespace cadre::engine
