// use: an agent's tool calls, at once.
#include "base/json.hpp"
#include "base/timeout.hpp"
#include "engine/body.hpp"
#include "engine/json_fragment.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/tool_call.hpp"
#include "tools/arguments.hpp"
#include "tools/builtin.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

namespace {

constexpr std::size_t kMaxResult = 1 << 20;
constexpr std::size_t kUsualFields = 96;

class Context final : public tools::ToolContext {
public:
    explicit Context(Pool& pool) : pool_(pool) {}
    void progress(std::string_view) noexcept override {}
    Pool& pool() override { return pool_; }

private:
    Pool& pool_;
};

std::string fields_of(const tools::Result& result, Millis elapsed)
{
    std::string out;
    out.reserve(32 + result.text.size());
    JsonFragment json(out);
    json.field("text", result.text);
    if (result.is_error) json.raw("is_error", "true");
    if (!result.artifacts.empty()) json.raw("artifacts", model::to_json_text(result.artifacts));
    if (result.exit_code) json.field("exit_code", *result.exit_code);
    json.field("ms", elapsed.count());
    return out;
}

/// Too much for a model is cut, and says so.
void bound(std::string& text)
{
    if (text.size() <= kMaxResult) return;
    std::size_t end = kMaxResult;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    const std::string rest = std::to_string(text.size() - end);
    text.resize(end);
    text += "\n[cut: " + rest + " more bytes]";
}

class Calling final : public Performer {
public:
    Calling(const Env& env, std::shared_ptr<tools::Tool> tool, const model::Tool& pinned, const Id& task,
            const model::ToolCall& call)
        : env_(env), tool_(std::move(tool)), pinned_(pinned), task_(task), call_(call)
    {}

    Async<Answered> attempt(Attempt attempt) override
    {
        const Instant begin = env_.loop.now();
        const auto limit = std::chrono::seconds(call_.timeout.value_or(pinned_.timeout.value_or(model::kToolTimeout)));
        tools::Call request{.id = call_.id,
                            .arguments = call_.args,
                            .key = attempt.key,
                            .attempt = attempt.number,
                            .workspace = env_.workspace(task_)};
        Context context(env_.pool);
        auto work = tool_->call(std::move(request), context);
        result = co_await with_timeout(std::move(work), limit, "tool " + pinned_.name);
        bound(result.text);
        const auto elapsed = std::chrono::duration_cast<Millis>(env_.loop.now() - begin);
        co_return Answered{.fields = fields_of(result, elapsed), .failed = result.is_error};
    }

    tools::Result result;

private:
    const Env& env_;
    std::shared_ptr<tools::Tool> tool_;
    const model::Tool& pinned_;
    Id task_;
    const model::ToolCall& call_;
};

/// A call that must not happen: the model is told why.
class Refusing final : public Performer {
public:
    explicit Refusing(std::string why) : why_(std::move(why)) {}

    Async<Answered> attempt(Attempt) override
    {
        Answered answered;
        JsonFragment(answered.fields).field("text", why_).raw("is_error", "true");
        co_return answered;
    }

private:
    std::string why_;
};

ToolReply reply_from(const storage::Record& record, const model::ToolCall& call)
{
    const Body body(record);
    try {
        throw_recorded_error(body);
    } catch (const Error& error) {
        return {.call = call.id, .text = error.what(), .is_error = true};
    }
    return {.call = call.id,
            .text = body.text("text"),
            .is_error = body.flag("is_error"),
            .artifacts = body.read<std::vector<std::string>>("artifacts")};
}

/// Why the agent may not make this call; empty: it may.
std::string refusal(const Agent& agent, const model::ToolCall& call)
{
    const model::Tool* tool = agent.find_tool(call.tool_name);
    if (!tool) {
        std::string granted;
        for (const std::string& name : agent.tools) granted += (granted.empty() ? "" : ", ") + name;
        return "You have no tool called " + cadre::quoted(call.tool_name) +
               (granted.empty() ? ", nor any other." : "; you have: " + granted + ".");
    }
    if (call.args.contains(model::kMalformedArguments)) {
        const auto* problem = call.args.if_contains(model::kArgumentsProblem);
        return "The arguments of " + tool->name + " are no JSON object" +
               (problem && problem->is_string() ? " (" + std::string(problem->get_string()) + ")" : "") +
               "; call it again with one.";
    }
    if (tool->permission == model::Permission::deny) return "The tool " + tool->name + " is forbidden here.";
    return tools::check_arguments(*tool, call.args).value_or("");
}

Effect effect_for(const Agent& agent, const model::ToolCall& call, const std::string& path)
{
    Effect effect{.ask = Ask(EffectKind::use), .path = path};
    effect.ask.part("agent", agent.name_digest)
        .part("tool", call.tool_name)
        .part("arguments", to_canonical_text(boost::json::value(call.args)));
    effect.agent = agent.name;
    effect.tool = call.tool_name;
    effect.outcome.reserve(kUsualFields);
    JsonFragment(effect.outcome).field("call", call.id).field("tool", call.tool_name);
    effect.outcome_events = 1;
    return effect;
}

/// A question that a model puts to a person through a tool.
Question question_of(const Agent& agent, const model::ToolCall& call, const model::Tool& tool)
{
    Question question{.type = model::HumanRequestType::feedback, .agent = agent.name, .context = call.args};
    question.context["tool"] = call.tool_name;
    if (tool.timeout) question.timeout = std::chrono::seconds(*tool.timeout);
    return question;
}

std::string words_of(const model::HumanAnswer& answer)
{
    switch (answer.verb) {
    case model::HumanVerb::reject:
        return "The person declined" + (answer.message.empty() ? "." : ": " + answer.message);
    case model::HumanVerb::timeout: return "Nobody answered in time.";
    default: return answer.message.empty() ? "Yes." : answer.message;
    }
}

/// A person must agree to exactly this call.
Question approval_of(const Agent& agent, const model::ToolCall& call)
{
    Question question{.type = model::HumanRequestType::approval, .agent = agent.name};
    question.context["tool"] = call.tool_name;
    question.context["arguments"] = call.args;
    question.context["sha256"] = to_hex(sha256(call.tool_name + to_canonical_text(boost::json::value(call.args))));
    return question;
}

}  // namespace

/// One call, in a scope of its own: what it asks of people on the way lies below its path.
Async<ToolReply> Run::call_tool(const Agent& agent, model::ToolCall call, std::string path)
{
    RunState& state = state_;
    const model::Tool* pinned = agent.find_tool(call.tool_name);
    std::string why_not = refusal(agent, call);
    if (why_not.empty() && pinned->type == model::ToolType::hitl) {
        const model::HumanAnswer answer = co_await ask(question_of(agent, call, *pinned));
        co_return ToolReply{
            .call = call.id, .text = words_of(answer), .is_error = answer.verb == model::HumanVerb::timeout};
    }
    if (why_not.empty() && (agent.is_watched || pinned->permission == model::Permission::ask)) {
        const model::HumanAnswer answer = co_await ask(approval_of(agent, call));
        if (answer.verb == model::HumanVerb::modify) {
            const auto* arguments = answer.updates.if_contains("arguments");
            if (arguments && arguments->is_object()) call.args = arguments->get_object();
            why_not = refusal(agent, call);
        } else if (answer.verb != model::HumanVerb::approve) {
            why_not = words_of(answer);
        }
    }
    const auto tool = why_not.empty() ? state.env().tools.find(call.tool_name) : nullptr;
    if (why_not.empty() && !tool) why_not = "The tool " + call.tool_name + " is not available here.";

    Effect effect = effect_for(agent, call, path);
    if (!why_not.empty()) {
        effect.records_intent = effect.leaves = false;
        Refusing refusing(why_not);
        const auto recorded = co_await perform(std::move(effect), refusing);
        if (recorded) co_return reply_from(*recorded, call);
        co_return ToolReply{.call = call.id, .text = std::move(why_not), .is_error = true};
    }

    effect.effect_class = pinned->effect;
    effect.keyed = true;
    effect.intent_events = 1;
    effect.intent.reserve(2 * kUsualFields);
    append_call(JsonFragment(effect.intent).field("agent", agent.name).key("call"), call);
    Calling calling(state.env(), tool, *pinned, state.view().id, call);
    try {
        if (const auto recorded = co_await perform(std::move(effect), calling)) co_return reply_from(*recorded, call);
    } catch (const EffectFailed& error) {
        co_return ToolReply{.call = call.id, .text = error.what(), .is_error = true};
    }
    co_return ToolReply{.call = call.id,
                        .text = std::move(calling.result.text),
                        .is_error = calling.result.is_error,
                        .artifacts = std::move(calling.result.artifacts)};
}

Async<std::vector<ToolReply>> Run::use(const Agent& agent, std::vector<model::ToolCall> calls)
{
    const std::string path = next_path(EffectKind::use) + '.';
    std::vector<std::unique_ptr<Run>> runs;
    for (std::size_t i = 0; i < calls.size(); ++i)
        runs.push_back(std::make_unique<Run>(state_, path + std::to_string(i) + '/'));

    std::vector<ToolReply> replies;
    if (calls.size() == 1) {
        replies.push_back(co_await runs[0]->call_tool(agent, std::move(calls[0]), path + '0'));
    } else {
        std::vector<Async<ToolReply>> branches;
        for (std::size_t i = 0; i < calls.size(); ++i)
            branches.push_back(
                as_strand(state_, runs[i]->call_tool(agent, std::move(calls[i]), path + std::to_string(i))));
        const Strands strands(state_, branches.size());
        replies = co_await all(std::move(branches));
    }
    for (const ToolReply& reply : replies)
        tell(llm::Message{
            .role = model::Role::tool, .text = reply.text, .call_id = reply.call, .is_error = reply.is_error});
    co_return replies;
}

}  // namespace cadre::engine
