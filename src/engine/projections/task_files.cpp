#include "engine/projections/task_files.hpp"

#include "base/crash_point.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "engine/agent.hpp"
#include "engine/projections/indented.hpp"
#include "engine/projections/short_term.hpp"
#include "engine/step_id.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"
#include "model/status.hpp"
#include "model/team.hpp"
#include "model/views/agentx.hpp"
#include "model/views/agentx_requests.hpp"
#include "model/views/agentx_workspace.hpp"
#include "model/views/framework_trace.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "model/yaml_example.hpp"
#include "storage/private_folder.hpp"
#include "tools/sandbox/policy.hpp"
#include "tools/sandbox/program_tool.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <limits>
#include <span>

namespace cadre::engine {

using storage::PrivateFolder;
using storage::Record;

namespace {

constexpr int kVersion = 1;
constexpr std::size_t kCursorLimit = 64 << 10;

enum LogFile : std::size_t { orchestrator = 1, agents, tools, errors };  // behind the history

template <class T>
bool is_failed(const T&)
{
    return false;
}
bool is_failed(const model::ToolResultEvent& event)
{
    return event.tool_result.error.has_value();
}

struct LogOf {
    std::size_t operator()(const model::AgentStartEvent&) const { return agents; }
    std::size_t operator()(const model::AgentCompleteEvent&) const { return agents; }
    std::size_t operator()(const model::AgentHandoffEvent&) const { return agents; }
    std::size_t operator()(const model::ToolCallEvent&) const { return tools; }
    std::size_t operator()(const model::ToolResultEvent&) const { return tools; }
    std::size_t operator()(const model::ErrorEvent&) const { return errors; }
    std::size_t operator()(const model::RecoveryEvent&) const { return errors; }
    template <class Other>
    std::size_t operator()(const Other&) const
    {
        return orchestrator;
    }
};

template <class T>
std::string file_of(const T& entity)
{
    return indented(model::to_json_text(entity));
}

model::agentx::StateFile state_file(const Chronicle& chronicle)
{
    const TaskState& state = chronicle.state();
    model::agentx::StateFile file{.task_id = to_string(state.id),
                                  .status = std::string(model::status_word(state.status, model::Boundary::agentx)),
                                  .execution_mode = state.spec.mode,
                                  .current_agent = chronicle.current_agent(),
                                  .steps = static_cast<std::int64_t>(chronicle.history().size()),
                                  .events = state.end.event_seq,
                                  .updated_at = state.updated_at};
    if (const auto reason = model::agentx_pause_reason(state.status, state.pause_reason)) file.reason = *reason;
    if (!state.pause_text.empty()) file.text = state.pause_text;
    if (!chronicle.history().empty()) file.current_step = chronicle.history().back().id;
    for (const OpenQuestion& question : state.questions) file.requests.push_back(question.request);
    return file;
}

/// `--model` wins over what the team says, for all of its agents; address and key stay with their provider.
void put_model(json::value& config, const model::LlmConfig& model)
{
    auto* object = config.if_object();
    if (!object) return;
    const auto* provider = object->if_contains("provider");
    const bool is_same = provider && provider->is_string() && provider->get_string() == model.provider;
    (*object)["provider"] = model.provider;
    (*object)["model"] = model.model;
    if (is_same) return;
    for (const char* own : {"base_url", "api_key", "api_key_env", "key"})
        if (auto* value = object->if_contains(own)) *value = nullptr;
}

/// The team with the model that its agents really speak with.
std::string yaml_with(const PinnedTeam& pinned, const std::string& spec)
{
    if (spec.empty() || !pinned.team.is_object()) return pinned.yaml;
    const model::LlmConfig model = llm_from_spec(spec);
    json::value team = pinned.team;
    put_model(team.get_object()["default_llm"], model);
    if (auto* agents = team.get_object()["agents"].if_array())
        for (json::value& agent : *agents)
            if (auto* object = agent.if_object()) put_model((*object)["llm_config"], model);
    return model::yaml_example(team);
}

model::agentx::SandboxTool limits_of(const model::Tool& tool)
{
    tools::SandboxPolicy policy;
    try {
        policy = tools::policy_of(tool);
    } catch (const Error&) {
        return {};  // no program: its settings are something else
    }
    constexpr int kMega = 20;  // bits
    const tools::SandboxLimits& limits = policy.limits;
    return {.network = policy.network,
            .timeout = limits.time / std::chrono::seconds(1),
            .memory_mb = static_cast<std::int64_t>(limits.memory >> kMega),
            .cpu_seconds = static_cast<std::int64_t>(limits.cpu),
            .processes = static_cast<std::int64_t>(limits.processes),
            .file_mb = static_cast<std::int64_t>(limits.file_size >> kMega),
            .scratch_mb = static_cast<std::int64_t>(limits.scratch >> kMega)};
}

std::string sandbox_yaml(const Id& task, const std::set<std::string>& tools, const PinnedTeam& team)
{
    model::agentx::SandboxFile file{.id = sandbox_id_of(task),
                                    .kind = std::string(model::wire_name(model::SandboxMode::bubblewrap)),
                                    .workspace = tools::kInnerWorkspace,
                                    .shared = tools::kInnerShared};
    for (const std::string& name : tools) {
        const auto* limits = team.limits.find(name);
        file.tools[name] = limits ? *limits : model::agentx::SandboxTool();
    }
    return model::yaml_example(model::to_json_value(file));
}

/// What was said last, as the agent whose turn it was still has it before it.
std::string short_term_file(const Chronicle& chronicle, const PinnedTeam& team)
{
    const std::int64_t* own = team.short_term.find(chronicle.current_agent());
    const std::int64_t limit = own ? *own : model::MemoryConfig().short_term_limit;
    const ShortTerm memory = short_term(chronicle.history(), limit);
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("task_id", to_string(chronicle.state().id)).field("limit", limit);
    json.field("tokens", memory.tokens).field("updated_at", to_iso(chronicle.state().updated_at));
    json.key("steps").begin_array();
    for (const model::Step& step : memory.steps) json.raw(model::to_json_text(model::agentx::to_task_step(step)));
    json.end_array().end_object();
    return indented(text);
}

}  // namespace

PinnedTeam pinned_team_from(std::string_view json)
{
    PinnedTeam pinned{.team = parse_json(redact(json), model::kTeamLimits)};
    pinned.yaml = model::yaml_example(pinned.team);
    const auto whole = model::from_text<model::Team>(json, {.limits = model::kTeamLimits});
    for (const model::Tool& tool : whole.tools) {
        if (tool.server) pinned.servers[tool.name] = *tool.server;
        else pinned.limits[tool.name] = limits_of(tool);
    }
    for (const model::Agent& agent : whole.agents)
        pinned.short_term[agent.name] =
            (agent.memory_config ? *agent.memory_config : whole.memory_config).short_term_limit;
    return pinned;
}

const model::Entity& describe(const Cursor*)
{
    using model::field;
    static const model::Entity entity{
        "cursor",
        "Up to where the files of a task have been written.",
        {
            field("version", &Cursor::version, "Of the files' form: those of another are written again."),
            field("seq", &Cursor::seq, "The last record that they show.", {.min = 0}),
            field("updated_at", &Cursor::updated_at, "When it was recorded."),
            field("sizes", &Cursor::sizes, "Bytes of the files that grow."),
        }};
    return entity;
}

std::optional<Cursor> find_cursor(PrivateFolder& folder)
{
    const auto text = folder.read(layout::kCursor, kCursorLimit);
    if (!text) return std::nullopt;
    try {
        auto cursor = model::from_text<Cursor>(*text);
        if (cursor.version == kVersion && cursor.seq <= std::numeric_limits<std::uint32_t>::max()) return cursor;
    } catch (const Error&) {
        // damaged: the same as none
    }
    return std::nullopt;
}

TaskFiles::TaskFiles(std::optional<Cursor> cursor)
{
    growing_[0].name = layout::kHistory;
    for (std::size_t i = 0; i < layout::kLogs.size(); ++i) growing_[i + 1].name = layout::kLogs[i];
    if (!cursor) return;
    written_ = static_cast<std::uint32_t>(cursor->seq);
    for (Growing& file : growing_)
        if (const auto* size = cursor->sizes.find(file.name)) file.size = static_cast<std::uint64_t>(*size);
}

std::optional<Record> find_masked(const Record& record)
{
    auto body = find_redacted(record.body);
    if (!body) return std::nullopt;
    Record shown = record;
    shown.body = std::move(*body);
    return shown;
}

/// Secrets are masked on the way in, where each text comes once; in the files it stands several times.
void TaskFiles::apply(const Record& record)
{
    if (auto shown = find_masked(record)) chronicle_.apply(*shown);
    else chronicle_.apply(record);
    is_new_ = note_versions(histories_, record) || is_new_;
    const Chronicle::News& news = chronicle_.news();
    for (const ToldEvent& told : news.events)
        if (const auto* call = std::get_if<model::ToolCallEvent>(&told.event); call && call->sandbox_id)
            sandboxed_.insert(call->tool_call.tool_name);
    if (record.seq <= written_) return;
    for (std::size_t i = news.first_step; i < chronicle_.history().size(); ++i) {
        model::append_json(growing_[0].text, model::agentx::to_task_step(chronicle_.history()[i]));
        growing_[0].text += '\n';
    }
    for (const ToldEvent& told : news.events) add_event(told);
    checkpoints_.insert(news.checkpoints.begin(), news.checkpoints.end());
}

const Histories* TaskFiles::new_histories()
{
    return std::exchange(is_new_, false) ? &histories_ : nullptr;
}

/// A line as `cadre tail --json` prints it, so that the number leads from one log to the other. What failed is an error too.
void TaskFiles::add_event(const ToldEvent& told)
{
    std::string& log = growing_[std::visit(LogOf{}, told.event)].text;
    const std::size_t begin = log.size();
    log += R"({"seq":)";
    append_json_number(log, std::uint64_t{told.number});
    log += R"(,"event":)";
    model::append_json(log, told.event);
    log += "}\n";
    if (std::visit([](const auto& event) { return is_failed(event); }, told.event))
        growing_[errors].text += std::string_view(log).substr(begin);
}

/// What was written before is not made again: a trace is replaced often, and grows.
std::string TaskFiles::trace(const model::Task& task, const PinnedTeam& team,
                             std::span<const model::framework::SubAgentSession> sessions)
{
    constexpr std::size_t kDepth = 2;
    const std::span history(chronicle_.history());
    const auto late = model::framework::trace(task, history.subspan(settled_), {}, team.servers);
    std::string rows;
    std::size_t settling = 0;  // a step whose calls all have results, and with all before it
    const std::size_t open = chronicle_.first_open_step();
    for (const auto& step : late.steps) {
        rows += settled_rows_.empty() && rows.empty() ? "\n    " : ",\n    ";
        append_indented(rows, model::to_json_text(step), kDepth);
        if (settled_ + ++settling == open) {
            settled_rows_ += std::exchange(rows, {});
            settled_ = open;
            settling = 0;
        }
    }

    auto frame = model::framework::trace(task, {}, sessions, team.servers);
    frame.updated_at = std::max(frame.updated_at, chronicle_.last_step_at());
    std::string text = file_of(frame);
    constexpr std::string_view kEmpty = "\"steps\": []";
    const std::size_t at = text.find(kEmpty) + kEmpty.size() - 1;
    if (!settled_rows_.empty() || !rows.empty()) text.insert(at, settled_rows_ + rows + "\n  ");
    return text;
}

bool TaskFiles::write(PrivateFolder& folder, const PinnedTeam& team, const model::framework::RetentionPolicy& policy,
                      std::span<const model::framework::SubAgentSession> sessions)
{
    const TaskState& state = chronicle_.state();
    for (Growing& file : growing_) {
        if (file.text.empty()) continue;
        if (!folder.append(file.name, file.size, file.text)) return false;
        file.size += file.text.size();
        file.text.clear();
        crash_point("projection_appended");
    }
    const model::Task task = to_task(state);
    folder.replace(layout::kTask, file_of(model::framework::view(task, policy)));
    folder.replace(layout::kTrace, trace(task, team, sessions));
    crash_point("projection_replaced");
    if (written_ == 0 && !team.yaml.empty()) folder.replace(layout::kTeam, yaml_with(team, state.spec.model));
    if (sandboxed_.size() > sandbox_written_)
        folder.replace(layout::kSandbox, sandbox_yaml(state.id, sandboxed_, team));
    sandbox_written_ = sandboxed_.size();
    folder.replace(layout::kPlan, file_of(model::agentx::to_plan_file(chronicle_.plan())));
    for (const std::size_t number : checkpoints_) {
        const model::Checkpoint& checkpoint = chronicle_.checkpoints()[number];
        const Chronicle::Place& place = chronicle_.places()[number];
        auto file = model::framework::view(checkpoint, {}, team.servers);
        const std::size_t begin = place.base ? chronicle_.places()[*place.base].steps : 0;
        file.state.messages = model::framework::messages(
            std::span(chronicle_.history()).subspan(begin, place.steps - begin), team.servers);
        file.ext["path"] = place.path;
        if (place.base) file.ext["base"] = layout::checkpoint(chronicle_.checkpoints()[*place.base].seq);
        folder.replace(layout::checkpoint(checkpoint.seq), file_of(file));
    }
    for (const auto& session : sessions) folder.replace(layout::sub_agent(session.session_id), file_of(session));
    folder.replace(layout::kState, file_of(state_file(chronicle_)));
    folder.replace(layout::kPerformance, file_of(chronicle_.performance()));
    if (chronicle_.had_breakpoints() || state.spec.mode == model::ExecutionMode::step) {
        model::agentx::BreakpointsFile file{.execution_mode = state.spec.mode, .breakpoints = state.breakpoints};
        file.hits.assign(state.passed_breakpoints.begin(), state.passed_breakpoints.end());
        folder.replace(layout::kBreakpoints, file_of(file));
    }

    // while it goes on, every turn changes it
    if (state.status != model::TaskStatus::running && !team.short_term.empty())
        folder.replace(layout::kShortTerm, short_term_file(chronicle_, team));
    if (!chronicle_.violations().empty())
        folder.replace(layout::kGuardrails, file_of(model::agentx::GuardrailsFile{.task_id = to_string(state.id),
                                                                                  .violations = chronicle_.violations(),
                                                                                  .updated_at = state.updated_at}));

    Cursor cursor{.version = kVersion, .seq = chronicle_.seq(), .updated_at = state.updated_at};
    for (const Growing& file : growing_)
        if (file.size > 0) cursor.sizes[file.name] = static_cast<std::int64_t>(file.size);
    crash_point("projection_cursor");
    folder.replace(layout::kCursor, model::to_json_text(cursor) + '\n');
    written_ = chronicle_.seq();
    checkpoints_.clear();
    return true;
}

model::framework::SubAgentSession session_of(const Chronicle& child, const PinnedTeam& team)
{
    return model::framework::session_view(to_task(child.state()), child.history(), team.servers);
}

}  // namespace cadre::engine
