// use: an agent's tool calls, at once.
#include "base/json.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/consent.hpp"
#include "engine/guarded.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/tool_dispatch.hpp"
#include "engine/tool_search.hpp"
#include "tools/builtin.hpp"
#include "tools/knowledge/knowledge_tool.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

namespace {

constexpr std::size_t kUsualCallFields = 96;
/// People whom a question is passed on to, one after the other.
constexpr int kMaxEscalations = 8;

/// A call that must not happen, or cannot: the model is told why.
class Refusing final : public Performer {
public:
    Refusing(std::string why, bool forbidden) : why_(std::move(why)), forbidden_(forbidden) {}

    Async<Answered> attempt(Attempt) override
    {
        Answered answered;
        append_members(answered.members, UseOutcome{.text = why_, .is_error = true, .refused = forbidden_});
        co_return answered;
    }

private:
    std::string why_;
    bool forbidden_;
};

class Searching final : public Performer {
public:
    Searching(const Agent& agent, const boost::json::object& arguments) : agent_(agent), arguments_(arguments) {}

    Async<Answered> attempt(Attempt attempt) override
    {
        started = attempt.at;
        const auto* limit = arguments_.if_contains("limit");
        const auto found = search(*agent_.more_specs, std::string_view(arguments_.at("query").as_string()),
                                  limit ? limit->to_number<std::size_t>() : kUsualFinds);
        reply.text = found_text(found, *agent_.more_specs);
        for (const llm::ToolSpec* spec : found) reply.found.push_back(spec->name);
        Answered answered;
        append_members(answered.members, UseOutcome{.text = reply.text, .found = reply.found});
        co_return answered;
    }

    ToolReply reply;
    Time started{};

private:
    static constexpr std::size_t kUsualFinds = 5;

    const Agent& agent_;
    const boost::json::object& arguments_;
};

ToolReply reply_from(const storage::Record& record, const model::ToolCall& call)
{
    const auto outcome = body_of<OutcomeBody>(record);
    if (auto error = outcome.error.find())
        return {.call = call.id, .text = std::move(error->message), .is_error = true, .code = std::move(error->code)};
    const auto& use = own_of<UseOutcome>(outcome, record);
    ToolReply reply{.call = call.id,
                    .text = use.text.str(),
                    .is_error = use.is_error,
                    .refused = use.refused,
                    .artifacts = use.artifacts.get(),
                    .found = use.found.get()};
    for (tools::Media& image : use.images.get())
        reply.images.push_back({.media_type = std::move(image.mime_type), .data = std::move(image.base64)});
    if (const auto memory = use.memory.find()) reply.recalled = recalled_by(*memory);
    return reply;
}

Effect effect_for(const Agent& agent, const model::ToolCall& call, const std::string& path)
{
    Effect effect{.ask = RequestDigest(EffectKind::use), .path = path};
    effect.ask.part("agent", agent.name_digest)
        .part("tool", call.tool_name)
        .part("arguments", to_canonical_text(boost::json::value(call.args)));
    effect.agent = agent.name;
    effect.tool = call.tool_name;
    effect.outcome.reserve(kUsualCallFields);
    append_members(effect.outcome, UseOutcome{.call = call.id, .tool = call.tool_name});
    effect.outcome_events = 1;
    return effect;
}

/// With the times of its records; a call that was not made began when it was refused.
ToolReply timed(ToolReply reply, std::optional<Time> started, Time ended)
{
    reply.started_at = started.value_or(ended);
    reply.ended_at = ended;
    return reply;
}

boost::json::object rewritten(const GuardVerdict& verdict)
{
    auto arguments = parse_json(verdict.text);
    if (!arguments.is_object())
        throw Error(Code::internal, "a guardrail has made something else of a call's arguments than an object");
    return std::move(arguments.get_object());
}

const model::Tool* find_definition(const Agent& agent, std::string_view name)
{
    const auto place = agent.definitions->find(name);
    return place == agent.definitions->end() ? nullptr : &place->second;
}

/// Whether it is on record what came of the call, and that nobody was asked about calls of that tool: where it was made other rules held, as
/// those of an imported run. Then it is not made here, so that there is nothing to agree to.
bool was_unasked(RunState& state, const model::ToolCall& call, const std::string& path)
{
    if (!state.replaying()) return false;
    const auto& records = state.recorded().records();
    const bool was_made = std::ranges::any_of(records, [&](const storage::Record& record) {
        return record.kind == storage::RecordKind::outcome && record.path == path;
    });
    if (!was_made) return false;
    const std::string named = "\"tool\":" + to_text(boost::json::value(call.tool_name));
    return std::ranges::none_of(records, [&](const storage::Record& record) {
        return record.kind == storage::RecordKind::intent && effect_of(record) == EffectKind::ask &&
               record.body.find(named) != std::string::npos;
    });
}

}  // namespace

std::shared_ptr<tools::Tool> find_tool(const Env& env, const model::Tool& pinned, const TaskSpec& spec,
                                       std::string& why)
{
    if (auto tool = env.tools.find(pinned.name)) return tool;
    if (env.toolbox && (pinned.type != model::ToolType::builtin || !tools::knowledge_paths(pinned).empty()))
        return env.toolbox->find(pinned, spec.project, why);
    why = "which this program does not have";
    return nullptr;
}

/// A question to a person, and to the next one when nobody has answered in time.
Async<ToolReply> Run::ask_person(const Agent& agent, const model::ToolCall& call, const model::Tool& tool)
{
    const Question question = question_of(agent, call, tool);
    model::HumanAnswer answer = co_await ask(question);
    const model::Tool* asked = &tool;
    for (int i = 0; i < kMaxEscalations && asked && answer.verb == model::HumanVerb::timeout; ++i) {
        const auto next = escalation_of(question, *asked, agent);
        if (!next) break;
        asked = find_definition(agent, *asked->escalation_policy);
        answer = co_await ask(*next);
    }
    co_return ToolReply{.call = call.id,
                        .text = words_of(answer),
                        .is_error = answer.verb == model::HumanVerb::timeout,
                        .refused = answer.verb == model::HumanVerb::reject};
}

Async<ToolReply> Run::search_tools(const Agent& agent, const model::ToolCall& call, const std::string& path)
{
    Effect effect = effect_for(agent, call, path);
    effect.leaves = false;
    effect.intent_events = 1;
    append_members(effect.intent, UseIntent{.agent = agent.name, .call = call});
    Searching searching(agent, call.args);
    const auto started = recorded_start(path);
    if (const auto recorded = co_await perform(std::move(effect), searching))
        co_return timed(reply_from(*recorded, call), started, recorded->at);
    searching.reply.call = call.id;
    co_return timed(std::move(searching.reply), searching.started, state_.view().updated_at);
}

void Run::show(const Agent& agent, std::string_view tool)
{
    if (agent.more_specs &&
        std::ranges::find(*agent.more_specs, tool, &llm::ToolSpec::name) != agent.more_specs->end() &&
        std::ranges::find(shown_tools_, tool) == shown_tools_.end())
        shown_tools_.emplace_back(tool);
}

std::shared_ptr<const std::vector<llm::ToolSpec>> Run::shown_to(const Agent& agent) const
{
    if (shown_tools_.empty() || !agent.more_specs) return agent.tool_specs;
    auto specs = std::make_shared<std::vector<llm::ToolSpec>>(*agent.tool_specs);
    for (const std::string& name : shown_tools_)
        if (const auto spec = std::ranges::find(*agent.more_specs, name, &llm::ToolSpec::name);
            spec != agent.more_specs->end())
            specs->push_back(*spec);
    return specs;
}

/// When the call began that is recorded there; nothing: there is none.
std::optional<Time> Run::recorded_start(std::string_view path)
{
    if (!state_.replaying()) return std::nullopt;
    const RecordedEffect* recorded = state_.recorded().take(path);
    return recorded && recorded->intent ? std::optional(recorded->intent->at) : std::nullopt;
}

/// One call of that very tool. What it asks of people on the way lies below its path.
Async<ToolReply> Run::call_one(const Agent& agent, model::ToolCall call, const model::Tool* pinned, std::string path,
                               UseOptions options)
{
    RunState& state = state_;
    const auto said_no = options.refused.find(call.id);
    std::string why_not = said_no == options.refused.end() ? refusal(agent, pinned, call) : said_no->second;
    if (why_not.empty() && agent.more_specs && pinned->name == tools::search_tools_definition().name)
        co_return co_await search_tools(agent, call, path);
    if (why_not.empty() && pinned->type == model::ToolType::hitl) co_return co_await ask_person(agent, call, *pinned);
    bool must_ask = false;
    if (why_not.empty() && (state.env().guardrails || state.replaying()) && must_check(Place::tool_call, agent.name)) {
        CheckOptions options_of_check{.agent = agent.name, .tool = call.tool_name, .followed_by = path};
        std::string arguments = to_canonical_text(boost::json::value(call.args));
        const GuardVerdict verdict =
            co_await check(Place::tool_call, std::move(arguments), std::move(options_of_check));
        must_ask = verdict.action == GuardAction::ask;
        if (verdict.action == GuardAction::block)
            why_not = "This call of " + call.tool_name + " was withheld by " + blocked_by(verdict) + ".";
        if (verdict.action == GuardAction::rewrite) {
            call.args = rewritten(verdict);
            why_not = refusal(agent, pinned, call);
        }
    }
    if (why_not.empty() && (must_ask || needs_consent(agent, *pinned, call)) && !was_unasked(state, call, path)) {
        const model::HumanAnswer answer = co_await ask(approval_of(agent, *pinned, call));
        if (answer.verb == model::HumanVerb::modify) {
            const auto* arguments = answer.updates.if_contains("arguments");
            if (arguments && arguments->is_object()) call.args = arguments->get_object();
            why_not = refusal(agent, pinned, call);
        } else if (answer.verb != model::HumanVerb::approve) {
            why_not = words_of(answer);
        }
    }
    std::string missing;
    const auto tool = why_not.empty() ? find_tool(state.env(), *pinned, state.view().spec, missing) : nullptr;
    if (why_not.empty() && !tool) why_not = "The tool " + call.tool_name + " is not available: " + missing + ".";

    Effect effect = effect_for(agent, call, path);
    if (!why_not.empty()) {
        effect.records_intent = effect.leaves = false;
        const bool forbidden = missing.empty();
        Refusing refusing(why_not, forbidden);
        const auto recorded = co_await perform(std::move(effect), refusing);
        if (recorded) co_return timed(reply_from(*recorded, call), {}, recorded->at);
        ToolReply refused{.call = call.id, .text = std::move(why_not), .is_error = true, .refused = forbidden};
        co_return timed(std::move(refused), {}, state.view().updated_at);
    }

    effect.effect_class = pinned->effect;
    effect.keyed = true;
    effect.has_stand_in = !pinned->fallback_tools.empty();
    effect.retry = retry_from(call.retry_policy ? *call.retry_policy : pinned->retry_policy, {});
    effect.intent_events = 1;
    effect.intent.reserve(2 * kUsualCallFields);
    const bool sandboxed = tool->is_sandboxed();
    append_members(effect.intent, UseIntent{.agent = agent.name, .call = call, .sandboxed = sandboxed});
    if (sandboxed) append_members(effect.outcome, UseOutcome{.sandboxed = true});
    if (state.replaying())  // what the call had asked is asked anew by the next attempt, if there is one
        for (std::string& asked : state.recorded().skip_all(inside_call(path)))
            state.after_replay({.kind = storage::RecordKind::outcome,
                                .path = std::move(asked),
                                .body = text_of(OutcomeBody{
                                    .effect = name_of(EffectKind::ask), .of = AskOutcome{}, .cancelled = true})});
    ToolDispatch dispatch(state, agent, tool, *pinned, call, path, options.limit);
    const auto started = recorded_start(path);
    try {
        if (const auto recorded = co_await perform(std::move(effect), dispatch))
            co_return timed(reply_from(*recorded, call), started, recorded->at);
    } catch (const EffectFailed& error) {
        ToolReply failed{
            .call = call.id, .text = error.what(), .is_error = true, .code = std::string(name_of(error.code()))};
        co_return timed(std::move(failed), dispatch.started, state.view().updated_at);
    }
    state.count_files(dispatch.result.artifacts);
    ToolReply reply{.call = call.id,
                    .text = std::move(dispatch.result.text),
                    .is_error = dispatch.result.is_error,
                    .artifacts = std::move(dispatch.result.artifacts)};
    for (tools::Media& image : dispatch.result.media)
        reply.images.push_back({.media_type = std::move(image.mime_type), .data = std::move(image.base64)});
    if (dispatch.memory) reply.recalled = recalled_by(*dispatch.memory);
    co_return timed(std::move(reply), dispatch.started, state.view().updated_at);
}

/// The call, and those that are declared to stand in for it when it fails, in order. What was refused has not failed.
Async<ToolReply> Run::call_tool(const Agent& agent, model::ToolCall call, std::string path, UseOptions options)
{
    const model::Tool* pinned = agent.find_tool(call.tool_name);
    ToolReply reply = co_await call_one(agent, call, pinned, std::move(path), options);
    if (!pinned || pinned->fallback_tools.empty()) co_return reply;

    std::string failures;
    for (const std::string& name : pinned->fallback_tools) {
        if (!reply.is_error || reply.refused) break;
        failures += (failures.empty() ? "" : "\n") + call.tool_name + " failed: " + reply.text;
        call.tool_name = name;
        reply = co_await call_one(agent, call, find_definition(agent, name), next_path(EffectKind::use), options);
    }
    if (!failures.empty()) reply.text = "[" + failures + "\n" + call.tool_name + " was called instead]\n" + reply.text;
    co_return reply;
}

Async<std::vector<ToolReply>> Run::use(const Agent& agent, std::vector<model::ToolCall> calls, UseOptions options)
{
    const std::string path = next_path(EffectKind::use) + '.';
    std::vector<std::unique_ptr<Run>> runs;
    if (agent.more_specs)  // what was called from memory is shown from now on
        for (const model::ToolCall& call : calls) show(agent, call.tool_name);
    for (std::size_t i = 0; i < calls.size(); ++i)
        runs.push_back(std::make_unique<Run>(state_, path + std::to_string(i) + '/'));

    std::vector<ToolReply> replies;
    if (calls.size() == 1) {
        replies.push_back(co_await runs[0]->call_tool(agent, std::move(calls[0]), path + '0', options));
    } else {
        std::vector<Async<ToolReply>> branches;
        for (std::size_t i = 0; i < calls.size(); ++i)
            branches.push_back(
                as_strand(*runs[i], runs[i]->call_tool(agent, std::move(calls[i]), path + std::to_string(i), options)));
        const Strands strands(state_, branches.size());
        replies = co_await all(std::move(branches));
    }
    for (const ToolReply& reply : replies) {
        for (const std::string& tool : reply.found) show(agent, tool);
        recalled_.insert(recalled_.end(), reply.recalled.begin(), reply.recalled.end());
        tell(llm::Message{.role = model::Role::tool,
                          .text = reply.text,
                          .call_id = reply.call,
                          .is_error = reply.is_error,
                          .images = reply.images});
    }
    co_return replies;
}

}  // namespace cadre::engine
