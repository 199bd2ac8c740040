// think: one turn of a model.
#include "base/json_writer.hpp"
#include "engine/body.hpp"
#include "engine/json_fragment.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/step_id.hpp"
#include "engine/tool_call.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

namespace {

/// Two retries where no policy says otherwise (C-25).
constexpr Retry kModelRetry{.retries = 2};
constexpr std::size_t kUsualFields = 96;
/// Longer than any model thinks; a provider's own patience with silence is shorter.
constexpr Millis kModelLimit{600'000};
/// Before a provider counts them: four characters are a token, more or less.
constexpr std::int64_t kCharactersPerToken = 4;

/// Passes a model's pieces on to whoever watches the run.
class Chunks final : public llm::ChunkSink {
public:
    Chunks(RunState& state, const std::string& step, const std::string& agent) : state_(state)
    {
        chunk_.step_id = step;
        chunk_.agent_name = agent;
    }

    Chunks(const Chunks&) = delete;
    Chunks& operator=(const Chunks&) = delete;
    ~Chunks()
    {
        if (!chunk_.is_final) finish();  // it broke off
    }

    void chunk(std::string_view text) noexcept override
    {
        chunk_.text = text;
        chunk_.timestamp = state_.journal().now();
        state_.owner().on_chunk(chunk_);
    }
    void finish() noexcept
    {
        chunk_.is_final = true;
        chunk("");
    }

private:
    RunState& state_;
    model::StreamChunk chunk_;
};

void append_usage(std::string& out, const llm::Usage& usage)
{
    JsonWriter json(out);
    json.begin_object().field("input", usage.input).field("output", usage.output);
    if (usage.cached) json.field("cached", usage.cached);
    if (usage.reasoning) json.field("reasoning", usage.reasoning);
    if (usage.cost != 0) json.field("cost", usage.cost);
    json.end_object();
}

/// Fields of a successful outcome.
std::string fields_of(const llm::Completion& completion, Millis elapsed)
{
    std::string out;
    out.reserve(96 + completion.text.size());
    JsonFragment json(out);
    json.field("text", completion.text);
    if (!completion.calls.empty()) append_calls(json.key("calls"), completion.calls);
    append_usage(json.key("usage"), completion.usage);
    if (completion.finish_reason != "stop") json.field("finish", completion.finish_reason);
    if (!completion.model.empty()) json.field("model", completion.model);
    json.field("ms", elapsed.count());
    return out;
}

llm::Completion completion_from(const storage::Record& record)
{
    const Body body(record);
    throw_recorded_error(body);
    llm::Completion completion{.text = body.text("text"), .calls = body.read<std::vector<model::ToolCall>>("calls")};
    if (const auto* usage = body.find("usage"); usage && usage->is_object()) {
        completion.usage.input = usage->at("input").to_number<std::int64_t>();
        completion.usage.output = usage->at("output").to_number<std::int64_t>();
    }
    return completion;
}

Spending reservation(const Agent& agent, std::size_t characters)
{
    characters += agent.instructions.size();
    for (const llm::ToolSpec& tool : *agent.tool_specs)
        characters += tool.name.size() + tool.description.size() + tool.input_schema.size();
    const auto input = static_cast<std::int64_t>(characters) / kCharactersPerToken;
    return {.tokens = input + agent.options.max_tokens.value_or(0), .steps = 1};
}

}  // namespace

/// A think while it happens. It knows its run, because instructions that come in before it begins belong to its request.
class Run::Thinking final : public Performer {
public:
    Thinking(Run& run, const Agent& agent, std::string step) : run_(run), agent_(agent), step_(std::move(step)) {}

    Ask ask() const
    {
        Ask ask(EffectKind::think);
        ask.part("agent", agent_.name_digest)
            .part("instructions", agent_.instructions_digest)
            .part("tools", agent_.tools_digest)
            .part("messages", run_.conversation_digest());
        return ask;
    }

    void measure(Effect& effect) override
    {
        std::size_t waiting = 0;
        for (const auto& [number, text] : run_.state_.instructions()) waiting += text.size();
        effect.reserve = reservation(agent_, run_.told_characters_ + waiting);
        effect.reserve.cost = run_.state_.view().dearest_call;
    }

    bool begin(Effect& effect) override
    {
        auto& waiting = run_.state_.instructions();
        if (waiting.empty()) return false;
        std::vector<std::uint32_t> numbers;
        for (auto& [number, text] : waiting) {
            numbers.push_back(number);
            run_.tell(std::move(text));
        }
        waiting.clear();
        JsonFragment(effect.intent).field("inputs", numbers);
        effect.ask = ask();
        return true;
    }

    Async<Answered> attempt(Attempt attempt) override
    {
        RunState& state = run_.state_;
        const Instant begin = state.env().loop.now();
        const auto model = state.env().models(agent_.model, state.view().id);
        Chunks chunks(state, step_, agent_.name);
        llm::Request request = run_.request_for(agent_, nth, attempt.number);
        if (!request.options.max_tokens) request.options.max_tokens = state.account().tokens_left();
        completion = co_await model->complete(std::move(request), chunks);
        chunks.finish();
        for (std::size_t i = 0; i < completion.calls.size(); ++i) completion.calls[i].id = call_id_of(step_, i);

        const llm::Usage& usage = completion.usage;
        co_return Answered{
            .fields = fields_of(completion, std::chrono::duration_cast<Millis>(state.env().loop.now() - begin)),
            .spent = {.tokens = usage.input + usage.output, .cost = usage.cost, .steps = 1}};
    }

    int nth = 1;
    llm::Completion completion;

private:
    Run& run_;
    const Agent& agent_;
    std::string step_;
};

llm::Request Run::request_for(const Agent& agent, int nth, int attempt) const
{
    return {.agent = agent.name,
            .nth = nth,
            .attempt = attempt,
            .instructions = agent.instructions,
            .messages = messages_,
            .tools = agent.tool_specs,
            .options = agent.options};
}

/// What a recorded step was told meanwhile is told again at the same place. Returns the numbers of those records, which
/// another attempt must name again.
std::vector<std::uint32_t> Run::tell_recorded_instructions(const std::string& path)
{
    std::vector<std::uint32_t> told;
    const RecordedEffect* recorded = state_.take(path);
    if (!recorded || !recorded->intent) return told;
    const Body body(*recorded->intent);
    const auto* numbers = body.find("inputs");
    if (!numbers) return told;
    for (const auto& number : numbers->as_array()) {
        told.push_back(number.to_number<std::uint32_t>());
        if (const auto* input = state_.recorded().find(told.back())) tell(Body(*input).text("text"));
    }
    return told;
}

/// Scripts count what was asked of them, by an earlier process too. An attempt that a crash cut off has not been answered.
void Run::remind_model(const Agent& agent, int nth, const std::string& path)
{
    const RecordedEffect* recorded = state_.rehearsing() ? nullptr : state_.take(path);
    if (!recorded) return;
    const TaskState& view = state_.view();
    if (recorded->intent && view.is_reused(recorded->intent->seq) &&
        std::ranges::count(view.spec.forked_from->other_models, agent.name) > 0)
        return;  // it was another model that answered
    try {
        const auto model = state_.env().models(agent.model, state_.view().id);
        const int answered = recorded->failures + (recorded->outcome ? 1 : 0);
        for (int i = 0; i < answered; ++i)
            model->already_answered(request_for(agent, nth, recorded->attempts - answered + 1 + i));
    } catch (const Error&) {
        // there is no such model here and now; the first live step will say so
    }
}

bool Run::a_model_remembers() const
{
    return !state_.rehearsing() && std::ranges::any_of(agents(), [&](const Agent& agent) {
        try {
            return state_.env().models(agent.model, state_.view().id)->remembers();
        } catch (const Error&) {
            return false;  // see remind_model
        }
    });
}

Async<Step> Run::think(const Agent& agent)
{
    const std::string path = next_path(EffectKind::think);
    const std::string step = step_id_of(state_.view().id, path);
    std::vector<std::uint32_t> told;
    if (state_.replaying()) told = tell_recorded_instructions(path);

    Thinking thinking(*this, agent, step);
    thinking.nth = state_.count_turn(agent.name);
    Effect effect{.ask = thinking.ask(), .path = path};
    effect.outcome.reserve(kUsualFields);
    JsonFragment(effect.outcome).field("agent", agent.name).field("step", step);
    effect.intent.reserve(kUsualFields);
    effect.intent = effect.outcome;
    JsonFragment(effect.intent).field("nth", thinking.nth);
    if (!told.empty()) JsonFragment(effect.intent).field("inputs", told);
    effect.agent = agent.name;
    effect.effect_class = model::Effect::idempotent;
    effect.reserve = reservation(agent, told_characters_);
    effect.reserve.cost = state_.view().dearest_call;
    effect.limit = kModelLimit;
    effect.retry = kModelRetry;
    effect.intent_events = effect.outcome_events = 1;

    if (state_.replaying()) remind_model(agent, thinking.nth, path);
    if (const auto recorded = co_await perform(std::move(effect), thinking)) {
        thinking.completion = completion_from(*recorded);
    } else {
        state_.count_usage(thinking.completion.usage);
    }

    llm::Completion& said = thinking.completion;
    Step result{.id = step, .agent = agent.name, .text = said.text, .calls = said.calls, .usage = said.usage};
    tell(llm::Message{.role = model::Role::assistant, .text = std::move(said.text), .calls = std::move(said.calls)});
    co_return result;
}

}  // namespace cadre::engine
