#include "engine/task_state.hpp"

#include "base/json_writer.hpp"
#include "engine/body.hpp"
#include "engine/effect.hpp"
#include "engine/index_detail.hpp"
#include "model/describe.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace cadre::engine {

using model::PauseReason;
using model::TaskStatus;
using storage::Record;
using storage::RecordKind;

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
    state.rested += now - *state.resting_since;
    state.resting_since.reset();
}

void add_question(TaskState& state, const Record& record, const Body& body)
{
    OpenQuestion question{
        .path = record.path, .request = body.read<model::HumanRequest>("request"), .asked_at = record.at};
    if (body.has("due")) question.due = body.time("due");
    state.questions.push_back(std::move(question));
}

template <class List>
void remove_at(List& list, const std::string& path)
{
    std::erase_if(list, [&](const auto& open) { return open.path == path; });
}

void apply_intent(TaskState& state, const Record& record, const Body& body)
{
    const std::string effect = body.text("effect");
    if (effect == name_of(EffectKind::think)) {
        ++state.steps;
        if (state.is_reused(record.seq)) ++state.reused.steps;
        if (state.steps_allowed > 0) --state.steps_allowed;
    } else if (effect == name_of(EffectKind::use)) {
        ++state.calls;
        if (state.is_reused(record.seq)) ++state.reused.calls;
    } else if (effect == name_of(EffectKind::ask)) {
        add_question(state, record, body);
    } else if (effect == name_of(EffectKind::delegate)) {
        state.children.emplace_back(record.path, id_from(body.text("child")));
    } else if (effect == name_of(EffectKind::sleep)) {
        state.timers.push_back({record.path, body.time("due")});
    }
}

void apply_outcome(TaskState& state, const Record& record, const Body& body)
{
    remove_at(state.questions, record.path);
    remove_at(state.timers, record.path);
    std::erase_if(state.children, [&](const auto& child) {
        if (child.first != record.path) return false;
        if (body.has("cancelled") && !state.is_reused(record.seq)) state.orphans.push_back(child.second);
        return true;
    });
    if (!body.has("usage")) return;
    const auto& usage = body.find("usage")->as_object();
    const auto number = [&](std::string_view name) {
        const auto* value = usage.if_contains(name);
        return value ? value->to_number<std::int64_t>() : 0;
    };
    const auto* cost = usage.if_contains("cost");
    const llm::Usage used{.input = number("input"),
                          .output = number("output"),
                          .cached = number("cached"),
                          .reasoning = number("reasoning"),
                          .cost = cost ? cost->to_number<double>() : 0};
    count_usage(state, used);
    if (state.is_reused(record.seq)) state.reused.usage += used;
}

void apply_pause(TaskState& state, const Record& record, const Body& body)
{
    state.pause_reason = body.read<PauseReason>("reason");
    state.pause_text = body.text("text");
    if (!body.has("breakpoint")) return;
    const std::string breakpoint = body.text("breakpoint");
    state.passed_breakpoints.insert(breakpoint.starts_with("condition:") ? breakpoint : record.path);
}

void apply_resume(TaskState& state, const Body& body)
{
    state.pause_reason.reset();
    state.pause_text.clear();
    state.steps_allowed = static_cast<int>(body.number("steps"));
    if (state.steps_allowed > 0) state.stepping = true;
    if (body.flag("continue")) state.stepping = false;
}

void apply_setting(TaskState& state, const Body& body)
{
    if (body.has("budget")) state.budget = body.read<Budget>("budget");
    if (!body.has("breakpoints")) return;
    const auto before = std::exchange(state.breakpoints, body.read<std::vector<std::string>>("breakpoints"));
    for (const std::string& breakpoint : state.breakpoints)  // a condition that is set anew stops anew
        if (std::ranges::find(before, breakpoint) == before.end()) state.passed_breakpoints.erase(breakpoint);
}

void finish(TaskState& state, TaskStatus status, const Record& record, const Body& body)
{
    state.status = status;
    state.pause_reason.reset();
    state.pause_text.clear();
    state.questions.clear();
    state.timers.clear();
    state.completed_at = record.at;
    if (body.has("reply")) state.reply = body.read<model::Reply>("reply");
    state.error_code = body.text("code");
    state.error = body.text("message");
}

}  // namespace

const model::Entity& describe(const ForkedFrom*)
{
    using model::field;
    static const model::Entity entity{
        "forked_from",
        "Where a fork comes from.",
        {
            field("task", &ForkedFrom::task, "The task that it is a fork of.", {.required = true}),
            field("seq", &ForkedFrom::seq, "The record up to which all was taken over that could be.", {.min = 0}),
            field("records", &ForkedFrom::records, "How many records were taken over.", {.min = 0}),
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
            field("session", &TaskSpec::session, "The conversation that it belongs to."),
            field("turn", &TaskSpec::turn, "Which one of that conversation.", {.min = 0, .extension = true}),
            field("history", &TaskSpec::history, "Hash of what was said in it before.", {.extension = true}),
            field("parent", &TaskSpec::parent, "The task that delegated it."),
            field("depth", &TaskSpec::depth, "How many tasks above it have delegated.", {.min = 0}),
            field("retention_days", &TaskSpec::retention_days, "How long its history is kept.", {.min = 0}),
            field("breakpoints", &TaskSpec::breakpoints,
                  "Where it stops: `agent:NAME`, `tool:NAME`, `node:NAME`, `condition:tokens > 1000`."),
            field("pending", &TaskSpec::pending, "Whether it waits to be started once it is created.",
                  {.extension = true}),
            field("input", &TaskSpec::input, "Arguments of a pattern of one's own."),
            field("metadata", &TaskSpec::metadata, "The creator's own."),
            field("forked_from", &TaskSpec::forked_from, "The task that it is a fork of."),
            field("imported", &TaskSpec::imported, "Whether it ran elsewhere: then it never goes on here."),
        }};
    return entity;
}

std::string started_body(const TaskSpec& spec)
{
    std::string body;
    JsonWriter json(body);
    json.begin_object().field("prompt", spec.description).key("mode").raw(model::to_json_text(spec.mode)).end_object();
    return body;
}

Millis TaskState::running_for(Time now) const
{
    if (!started_at) return Millis{0};
    return (resting_since ? *resting_since : now) - *started_at - rested;
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
    state.end = {record.seq, record.event_seq, record.hash};
    state.epoch = record.epoch;
    state.updated_at = record.at;
    switch (record.kind) {
    case RecordKind::created:
        state.id = record.task;
        state.tenant = record.tenant;
        state.spec = model::from_json<TaskSpec>(body.object(), {.ignore_unknown = true});
        state.budget = state.spec.budget;
        state.breakpoints = state.spec.breakpoints;
        state.stepping = state.spec.mode == model::ExecutionMode::step;
        state.created_at = record.at;
        break;
    case RecordKind::started: state.started_at = record.at; break;
    case RecordKind::intent: apply_intent(state, record, body); break;
    case RecordKind::outcome: apply_outcome(state, record, body); break;
    case RecordKind::unknown: add_question(state, record, body); break;
    case RecordKind::answer: remove_at(state.questions, record.path); break;
    case RecordKind::cancel:
        state.cancel_requested = true;
        state.cancel_reason = body.text("reason");
        break;
    case RecordKind::pause: apply_pause(state, record, body); break;
    case RecordKind::resume: apply_resume(state, body); break;
    case RecordKind::setting: apply_setting(state, body); break;
    case RecordKind::completed: finish(state, TaskStatus::completed, record, body); break;
    case RecordKind::failed: finish(state, TaskStatus::failed, record, body); break;
    case RecordKind::cancelled: finish(state, TaskStatus::cancelled, record, body); break;
    case RecordKind::node_done:
    case RecordKind::instruction:
    case RecordKind::late_result:
    case RecordKind::attempt_failed:
    case RecordKind::note: break;
    }
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
    for (const Record& record : records) apply(state, record);
    return state;
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
    if (state.spec.imported) detail.kept_from = state.spec.imported->at;
    for (const OpenQuestion& question : state.questions) detail.questions.push_back(question.request);
    return {.task = state.id,
            .tenant = state.tenant,
            .status = std::string(model::find_name(model::names_of(static_cast<const TaskStatus*>(nullptr)),
                                                   static_cast<int>(state.status))),
            .open = !state.finished() && !state.spec.imported,
            .created_at = state.created_at,
            .updated_at = state.updated_at,
            .due = state.finished() || state.spec.imported ? std::nullopt : state.due(),
            .title = std::move(title),
            .agent = state.spec.agent,
            .session = state.spec.session.value_or(""),
            .turn = state.spec.turn,
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
    return task;
}

}  // namespace cadre::engine
