#include "engine/tool_dispatch.hpp"

#include "engine/guarded.hpp"

#include "base/json.hpp"
#include "base/peer_text.hpp"
#include "base/plural.hpp"
#include "base/redact.hpp"
#include "base/timeout.hpp"
#include "base/utf8.hpp"
#include "engine/artifact_history.hpp"
#include "engine/body_members.hpp"
#include "engine/effect_body.hpp"
#include "engine/run_state.hpp"
#include "engine/upkeep.hpp"
#include "tools/arguments.hpp"
#include "tools/spill.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::engine {

namespace {

/// A tool that says more is heard less often.
constexpr Millis kBetweenProgress{100};
constexpr std::size_t kMaxProgress = 400;

/// What a tool asks while it is called. It lives as long as the attempt.
class Context final : public tools::ToolContext {
public:
    Context(RunState& state, const Agent& agent, const model::ToolCall& call, const std::string& tool,
            const std::string& path, std::string inside, std::optional<MemoryUse>& memory)
        : state_(state),
          agent_(agent),
          call_(call),
          tool_(tool),
          path_(path),
          inside_(std::move(inside)),
          memory_(memory)
    {}

    void progress(std::string_view text) noexcept override
    {
        const Instant now = state_.env().loop.now();
        if (said_ && now - *said_ < kBetweenProgress) return;
        said_ = now;
        state_.owner().on_chunk({.step_id = call_.id,
                                 .agent_name = agent_.name,
                                 .timestamp = state_.journal().now(),
                                 .progress = std::string(utf8_prefix(text, kMaxProgress))});
    }
    void log(Level level, std::string_view text) noexcept override
    {
        const Log log = state_.env().log.with("tool", tool_);
        if (level >= Level::error) log.error(text);
        else if (level == Level::warning) log.warning(text);
        else if (level == Level::info) log.info(text);
        else log.debug(text);
    }
    Pool& pool() override { return state_.env().pool; }

    Async<model::HumanAnswer> ask(model::HumanRequestType type, boost::json::object context) override
    {
        context["tool"] = tool_;
        Run run(state_, next_scope());
        const StillAtWork at_work(state_);
        co_return co_await run.ask({.type = type, .agent = agent_.name, .context = std::move(context)});
    }

    Async<tools::Sample> sample(tools::SampleRequest request) override
    {
        Agent sampler = agent_;
        sampler.name = agent_.name + "/" + tool_;
        sampler.instructions = std::move(request.system);
        sampler.tools.clear();
        sampler.tool_specs = std::make_shared<const std::vector<llm::ToolSpec>>();
        if (request.max_tokens)
            sampler.options.max_tokens =
                std::min<std::int64_t>(*request.max_tokens, sampler.options.max_tokens.value_or(*request.max_tokens));
        sampler.options.output_schema.clear();
        digest(sampler);
        Run run(state_, next_scope());
        run.fail_when_spent();
        for (tools::SampleRequest::Message& message : request.messages)
            run.tell(llm::Message{.role = message.role, .text = std::move(message.text)});
        const StillAtWork at_work(state_);
        const Step step = co_await run.think(sampler);
        co_return tools::Sample{.text = step.text, .model = agent_.model(), .was_cut = step.was_cut};
    }

    // the call's own path is what the memory knows it by: another attempt finds what this one has done
    Async<tools::Result> remember(boost::json::object arguments) override
    {
        MemoryOwner owner = memory_owner(state_, path_, agent_.name);
        MemoryNote note = note_from(arguments, agent_.name);
        const auto size = static_cast<std::int64_t>(note.text.size());
        const Remembered kept = co_await memory_in(state_.env(), tool_).remember(std::move(owner), std::move(note));
        memory_ = use_of(kept, agent_.name, size);
        co_return tools::Result{.text = told(kept)};
    }
    Async<tools::Result> recall(boost::json::object arguments) override
    {
        MemoryOwner owner = memory_owner(state_, path_, agent_.name);
        MemoryQuery query = query_from(arguments, agent_.name);
        const std::string asked = query.text;
        const Recall found = co_await memory_in(state_.env(), tool_).recall(std::move(owner), std::move(query));
        memory_ = use_of(found, agent_.name, asked);
        co_return tools::Result{.text = told(found)};
    }

private:
    /// The call goes on while somebody is asked: the run must not be put away.
    class StillAtWork {
    public:
        explicit StillAtWork(RunState& state) : state_(state) { state_.strand_goes_on(); }
        StillAtWork(const StillAtWork&) = delete;
        StillAtWork& operator=(const StillAtWork&) = delete;
        ~StillAtWork() { state_.strand_stops(); }

    private:
        RunState& state_;
    };

    std::string next_scope() { return inside_ + '.' + std::to_string(++asked_) + '/'; }

    RunState& state_;
    const Agent& agent_;
    const model::ToolCall& call_;
    const std::string& tool_;
    const std::string& path_;
    std::string inside_;
    std::optional<MemoryUse>& memory_;
    std::optional<Instant> said_;
    int asked_ = 0;
};

/// `answered`: bytes, before anything was left out.
std::string result_members(const tools::Result& result, const std::optional<MemoryUse>& memory,
                           const GuardVerdict& verdict, std::size_t answered, Millis elapsed)
{
    std::string out;
    out.reserve(32 + result.text.size());
    ResourceUsage usage{.output_bytes = static_cast<std::int64_t>(answered)};
    if (result.usage) {
        usage.cpu_ms = result.usage->cpu_ms;
        usage.peak_memory_bytes = result.usage->peak_memory;
    }
    UseOutcome outcome{
        .text = result.text, .is_error = result.is_error, .resource_usage = usage, .ms = elapsed.count()};
    if (!result.artifacts.empty()) outcome.artifacts = result.artifacts;
    if (result.exit_code) outcome.exit_code = *result.exit_code;
    if (!result.media.empty()) outcome.images = result.media;
    if (memory) outcome.memory = *memory;
    if (!verdict.found_nothing()) {
        outcome.guarded = verdict.action;
        outcome.checks = verdict.checks;
        outcome.policy = Text::unless_empty(verdict.policy);
    }
    append_members(out, outcome);
    return out;
}

/// Another project's tool of the same name is another tool.
std::string guarded_as(const model::Tool& tool, const TaskSpec& spec)
{
    if (tool.type == model::ToolType::builtin) return tool.name;
    return spec.project + '\n' + tool.server.value_or("") + '\n' + tool.name;
}

}  // namespace

std::string inside_call(const std::string& path)
{
    return path + "/call#";
}

ToolDispatch::ToolDispatch(RunState& state, const Agent& agent, std::shared_ptr<tools::Tool> tool,
                           const model::Tool& pinned, const model::ToolCall& call, std::string path,
                           std::optional<Millis> limit)
    : state_(state),
      agent_(agent),
      tool_(std::move(tool)),
      pinned_(pinned),
      call_(call),
      path_(std::move(path)),
      limit_(limit),
      guarded_(guarded_as(pinned, state.view().spec))
{}

Async<> ToolDispatch::ready()
{
    place_ = co_await state_.env().guard->enter(guarded_, *pinned_.max_parallel);
}

Async<Answered> ToolDispatch::attempt(Attempt attempt)
{
    started = attempt.at;
    const Loop& loop = state_.env().loop;
    ToolGuard& guard = *state_.env().guard;
    const Instant begin = loop.now();
    guard.expect_working(guarded_, pinned_.name, begin);
    bool ended = false;
    std::exception_ptr failure;
    try {
        result = co_await dispatch(std::move(attempt));
        ended = true;
    } catch (const Cancelled&) {
        guard.withdrawn(guarded_);
        throw;
    } catch (...) {
        failure = std::current_exception();
    }
    guard.ended(guarded_, ended, loop.now());
    place_.release();
    if (failure) std::rethrow_exception(failure);
    // what a tool was given in confidence is for nobody else: no journal, no model
    mask_peer(result.text);
    if (result.structured) mask_peer(*result.structured);
    const auto tells = [](const tools::Media& media) {
        return media.base64.find(kMasked) != std::string::npos || !secrets_in(media.base64).empty();
    };
    if (const auto left_out = std::erase_if(result.media, tells))
        result.text += fmt::format("\n[{} that repeated a secret left out]", plural(left_out, "file"));
    std::size_t answered = result.text.size();
    for (const tools::Media& media : result.media) answered += media.base64.size();
    const GuardVerdict verdict = co_await guard_result();
    co_await shape();
    Answered answer;
    co_await collect(answer);
    const auto elapsed = std::chrono::duration_cast<Millis>(loop.now() - begin);
    const bool is_told = memory && event_of(*memory, started.value_or(Time())).has_value();
    answer.members = result_members(result, memory, verdict, answered, elapsed);
    answer.failed = result.is_error && verdict.action < GuardAction::ask;  // another try would not help
    answer.events = 1 + (is_told ? 1 : 0) + count_violations(verdict);
    co_return answer;
}

/// A tool of ours names what it writes; what others have changed, only a look tells.
Async<> ToolDispatch::collect(Answered& answered)
{
    found_ = {};
    ArtifactPort* port = state_.env().artifacts;
    const bool looks = tool_->is_sandboxed() || pinned_.type == model::ToolType::custom;
    if (!port || (!looks && result.artifacts.empty())) co_return;
    answered.held = co_await state_.hold_files();
    try {
        found_ = co_await port->collect(state_.view().id, result.artifacts, looks);
    } catch (const Error& error) {
        found_.problems = {fmt::format("no new version of files is kept: {}", error.what())};
    }
    for (const std::string& problem : found_.problems)
        result.text += fmt::format("{}[{}]", result.text.empty() ? "" : "\n", problem);
}

void ToolDispatch::complete(Answered& answered)
{
    const std::vector<Saved> files = changes_in(state_.view(), std::move(found_));
    if (files.empty()) return;
    append_members(answered.members, UseOutcome{.files = files});
    for (const Saved& file : files) *answered.events += count_events(file);
    answered.changes_state = true;
}

/// Before it is in a record, a file or a request.
Async<GuardVerdict> ToolDispatch::guard_result()
{
    if (!is_watched(state_, Place::tool_result, agent_.name)) co_return GuardVerdict{};
    GuardedText guarded = guarded_text(state_, Place::tool_result, agent_.name, result.text);
    guarded.tool = call_.tool_name;
    guarded.is_call = false;
    GuardVerdict verdict = co_await state_.env().guardrails->check(std::move(guarded));
    if (verdict.action == GuardAction::rewrite) result.text = verdict.text;
    if (verdict.action >= GuardAction::ask) {
        result = {.text = "The result of " + call_.tool_name + " was withheld by " + blocked_by(verdict) + ".",
                  .is_error = true};
    }
    co_return verdict;
}

Async<tools::Result> ToolDispatch::dispatch(Attempt attempt)
{
    const Env& env = state_.env();
    const std::optional<int> seconds = call_.timeout ? call_.timeout : pinned_.timeout;
    const bool said = limit_ || seconds;
    const Millis limit = limit_.value_or(std::chrono::seconds(seconds.value_or(model::kToolTimeout)));
    tools::Call request{.id = call_.id, .arguments = call_.args, .key = attempt.key, .attempt = attempt.number};
    // servers see none of our files, and to look for the folder takes longer than to journal the call
    if (pinned_.type != model::ToolType::mcp) request.workspace = env.workspace(state_.view().id);
    if (said) request.limit = limit;
    memory.reset();
    Context context(state_, agent_, call_, pinned_.name, path_, inside_call(path_) + std::to_string(attempt.number),
                    memory);
    auto work = tool_->call(std::move(request), context);
    if (tool_->keeps_time()) {
        const Instant due = later(env.loop.now(), limit);
        try {
            co_return co_await std::move(work);
        } catch (const tools::NotDispatched&) {
            throw;
        } catch (const Error& error) {
            if (error.code() != Code::timeout || !said || env.loop.now() < due) throw;
        }
        throw Error(Code::timeout, fmt::format("tool {} timed out after {}", pinned_.name, cadre::to_text(limit)));
    }
    co_return co_await with_timeout(std::move(work), limit, "tool " + pinned_.name);
}

Async<> ToolDispatch::shape()
{
    if (!result.is_error)
        if (const auto problem = tools::check_result(pinned_, result)) {
            result.text = *problem;
            result.is_error = true;
        }
    if (result.media.empty() && result.text.size() <= tools::most_shown(pinned_)) co_return;
    const auto workspace = state_.env().workspace(state_.view().id);
    Pool& pool = state_.env().pool;
    const bool can_page = agent_.find_tool(tools::kReadFile) != nullptr;
    if (result.text.size() > tools::most_shown(pinned_))
        result = co_await tools::spill(std::move(result), call_.id, pinned_, can_page, workspace, pool);
    if (!result.media.empty()) result = co_await tools::keep_media(std::move(result), call_.id, workspace, pool);
}

}  // namespace cadre::engine
