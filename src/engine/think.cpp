// think: one turn of a model.
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/call_bound.hpp"
#include "engine/compactor.hpp"
#include "engine/guarded.hpp"
#include "engine/prompt_template.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/step_id.hpp"
#include "engine/tool_call.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace cadre::engine {

namespace {

/// Two retries where no policy says otherwise (C-25).
constexpr Retry kModelRetry{.retries = 2};
constexpr std::size_t kUsualFields = 96;
/// Longer than any model thinks; a provider's own patience with silence is shorter.
constexpr Millis kModelLimit{600'000};

/// Passes a model's pieces on to whoever watches the run, as far as guardrails let them. Those of an answer that breaks off end with
/// one that says so.
class Chunks final : public llm::ChunkSink {
public:
    /// `is_answer`: what comes is for those who watch; a summary of a conversation is not.
    Chunks(RunState& state, const std::string& step, const std::string& agent, bool is_answer)
        : state_(state), check_(new_check(agent)), is_answer_(is_answer)
    {
        chunk_.step_id = step;
        chunk_.agent_name = agent;
    }
    Chunks(const Chunks&) = delete;
    Chunks& operator=(const Chunks&) = delete;
    ~Chunks()
    {
        if (!any_ || chunk_.is_final) return;
        chunk_.aborted = true;
        finish();
    }

    void chunk(std::string_view text) noexcept override
    {
        any_ = true;
        if (!check_) begin_check();
        if (!check_) return send(text);
        came_ += text;
        pass_on(check_->feed(text));
    }
    void throttled(Instant until) noexcept override
    {
        any_ = true;
        const Loop& loop = state_.env().loop;
        chunk_.throttled_until = loop.clock().now() + std::chrono::ceil<Millis>(until - loop.now());
        send("");
        chunk_.throttled_until.reset();
    }
    void finish() noexcept
    {
        chunk_.is_final = true;
        send("");
    }
    /// What may be kept of the answer is left of it. The pieces need not have been the same text, and there need not have been any.
    GuardVerdict release(std::string& answer)
    {
        if (!check_) check_ = new_check(chunk_.agent_name);
        if (!check_) return {};
        if (came_ == answer) {
            pass_on(check_->finish());
        } else {
            if (!came_.empty()) check_ = new_check(chunk_.agent_name);
            released_ = check_->feed(answer);
            released_ += check_->finish();
        }
        answer = std::move(released_);
        GuardVerdict verdict = check_->verdict();
        chunk_.aborted = verdict.action == GuardAction::block;
        return verdict;
    }
    /// Whether guardrails would let that pass, too.
    bool would_pass(const std::string& text) const
    {
        const auto check = new_check(chunk_.agent_name);
        if (!check || text.empty()) return true;
        check->feed(text);
        check->finish();
        return check->verdict().action < GuardAction::rewrite;
    }

private:
    std::unique_ptr<StreamCheck> new_check(const std::string& agent) const
    {
        if (!is_watched(state_, Place::output, agent)) return nullptr;
        return state_.env().guardrails->stream(guarded_text(state_, Place::output, agent, ""));
    }
    /// Policies may have come meanwhile. Where they cannot be used, release() says so.
    void begin_check() noexcept
    {
        try {
            check_ = new_check(chunk_.agent_name);
        } catch (const Error&) {
            check_.reset();
        }
    }
    void pass_on(std::string_view released) noexcept
    {
        released_ += released;
        if (!released.empty()) send(released);
    }
    void send(std::string_view text) noexcept
    {
        if (!is_answer_) return;
        chunk_.text = text;
        chunk_.timestamp = state_.journal().now();
        state_.owner().on_chunk(chunk_);
    }

    RunState& state_;
    model::StreamChunk chunk_;
    bool any_ = false;                    // has been sent
    std::unique_ptr<StreamCheck> check_;  // null: nothing is looked at
    bool is_answer_;
    std::string came_, released_;  // where something is
};

/// Members of a successful outcome.
std::string completion_members(const llm::Completion& completion, const GuardVerdict& verdict, Millis elapsed)
{
    std::string out;
    out.reserve(96 + completion.text.size());
    ThinkOutcome outcome{.text = completion.text,
                         .usage = completion.usage,
                         .model = Text::unless_empty(completion.model),
                         .reasoning = Text::unless_empty(completion.reasoning),
                         .opaque = Text::unless_empty(completion.opaque),
                         .mark = Text::unless_empty(completion.mark),
                         .ms = elapsed.count()};
    if (!completion.calls.empty()) outcome.calls = completion.calls;
    if (completion.finish_reason != "stop") outcome.finish = completion.finish_reason;
    if (!verdict.found_nothing()) {
        outcome.guarded = verdict.action;
        outcome.checks = verdict.checks;
        outcome.policy = Text::unless_empty(verdict.policy);
    }
    append_members(out, outcome);
    return out;
}

/// What was answered, and its step.
std::pair<llm::Completion, std::string> completion_from(const storage::Record& record, GuardVerdict& verdict)
{
    const auto outcome = body_of<OutcomeBody>(record);
    throw_recorded_error(outcome);
    const auto& think = own_of<ThinkOutcome>(outcome, record);
    verdict.action = think.guarded.get();
    if (verdict.action == GuardAction::block) verdict.checks = think.checks.get();
    const llm::Usage usage = think.usage.get();
    return {{.text = think.text.str(),
             .calls = think.calls.get(),
             .usage = {.input = usage.input, .output = usage.output},
             .finish_reason = think.finish.str(),
             .opaque = think.opaque.str()},
            think.step.str()};
}

}  // namespace

/// A think while it happens. It knows its run, because instructions that come in before it begins belong to its request.
class Run::Thinking final : public Performer {
public:
    Thinking(Run& run, const Agent& agent, std::string step) : run_(run), agent_(agent), step_(std::move(step))
    {
        if (!run.is_compacting_) memory_ = std::exchange(run.recalled_, {});
        if (!agent.prompt) return;
        const TaskState& task = run.state_.view();
        variables_ = agent.prompt->variables(task.id, task.spec, run.shown_state_.get());
        variables_digest_ = digest_of(to_canonical_text(variables_));
    }

    RequestDigest ask() const
    {
        RequestDigest ask(EffectKind::think);
        ask.part("agent", agent_.name_digest)
            .part("instructions", agent_.instructions_digest)
            .part("tools", agent_.tools_digest)
            .part("messages", run_.conversation_digest());
        if (!agent_.options.output_schema.empty()) ask.part("output", agent_.options.output_schema);
        if (agent_.prompt) ask.part("variables", variables_digest_);
        return ask;
    }

    void measure(Effect& effect, const Attempt& attempt) override
    {
        // what cannot be rendered fails before anything is sent or paid; a replay renders nothing
        if (agent_.prompt && !rendered_) rendered_ = agent_.prompt->render(variables_);
        RunState& state = run_.state_;
        if (attempt.number == 1) measure_window();  // what was sent once fits: another count of tokens must not end it
        if (!state.account().is_bounded()) return;
        std::int64_t waiting = 0;  // a byte is a token at most
        if (!run_.is_compacting_)
            for (const auto& [number, text] : state.instructions()) waiting += static_cast<std::int64_t>(text.size());
        const CallBound bound =
            bound_of(*model_for(attempt), request(attempt), waiting, state.account(), state.view().dearest_call);
        effect.reserve = bound.reserve;
        max_output_ = bound.max_output;
    }

    bool begin(Effect& effect) override
    {
        auto& waiting = run_.state_.instructions();
        if (max_output_ || context_size_) describe(effect);
        const std::size_t heard = run_.is_compacting_ ? 0 : count_that_fit();
        if (heard == 0) return false;
        for (std::size_t i = 0; i < heard; ++i) {
            told.push_back(waiting[i].first);
            run_.tell(std::move(waiting[i].second));
        }
        waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(heard));
        measure_window();
        describe(effect);
        effect.ask = ask();
        return true;
    }

    /// Another attempt is another step: what a client was shown of the one before can be told from the answer.
    void renew(Effect& effect, const Attempt& attempt) override
    {
        step_ = step_id_of(run_.state_.view().id, effect.path, attempt.number);
        describe(effect, attempt.choice > 0 ? model_spec(config_for(attempt)) : "");
    }

    Async<Answered> attempt(Attempt attempt) override
    {
        RunState& state = run_.state_;
        const Instant begin = state.env().loop.now();
        const auto model = model_for(attempt);
        Chunks chunks(state, step_, agent_.name, !run_.is_compacting_);
        llm::Request request = this->request(attempt);
        if (max_output_) request.options.max_tokens = max_output_;
        completion = co_await model->complete(std::move(request), chunks);
        verdict = chunks.release(completion.text);
        if (verdict.action >= GuardAction::rewrite || !chunks.would_pass(completion.reasoning))
            completion.reasoning.clear(), completion.opaque.clear();
        if (verdict.action == GuardAction::block) completion.calls.clear();
        chunks.finish();
        for (std::size_t i = 0; i < completion.calls.size(); ++i) {
            completion.calls[i].id = call_id_of(step_, i);
            if (completion.calls[i].tool_name.empty()) completion.calls[i].tool_name = kUnnamedTool;
        }

        const llm::Usage& usage = completion.usage;
        const auto elapsed = std::chrono::duration_cast<Millis>(state.env().loop.now() - begin);
        co_return Answered{.members = completion_members(completion, verdict, elapsed),
                           .spent = {.tokens = usage.input + usage.output, .cost = usage.cost, .steps = 1},
                           .events = 1 + count_violations(verdict)};
    }

    void must_wait(Instant until) noexcept override
    {
        Chunks chunks(run_.state_, step_, agent_.name, !run_.is_compacting_);
        chunks.throttled(until);
    }

    /// What every record of this attempt says.
    void describe(Effect& effect, std::string_view stand_in = {})
    {
        effect.outcome.clear();
        append_members(effect.outcome, ThinkOutcome{.agent = agent_.name, .step = step_});
        ThinkIntent intent{.nth = nth, .model = Text::unless_empty(stand_in)};
        if (!told.empty()) intent.inputs = told;
        intent.max_output = max_output_;
        if (!memory_.empty()) intent.memory = memory_;
        intent.context_size = context_size_;
        effect.intent = effect.outcome;  // both begin alike
        append_members(effect.intent, intent);
    }

    const std::string& step() const { return step_; }

    /// What the recorded call was sent, for whoever wants to know.
    void keep_request(RehearsedRequests& requests, const std::string& path)
    {
        requests.try_emplace(path, RehearsedRequest{agent_.model(), request({})});
    }

    std::vector<std::uint32_t> told;  // records with instructions that this step hears
    int nth = 0;                      // not known yet
    llm::Completion completion;
    GuardVerdict verdict;  // on it

private:
    const model::LlmConfig& config_for(const Attempt& attempt) const
    {
        return agent_.models.at(std::min(static_cast<std::size_t>(attempt.choice), agent_.models.size() - 1));
    }
    llm::Request request(const Attempt& attempt)
    {
        llm::Request request = run_.request_for(agent_, nth, attempt.number);
        if (!agent_.prompt) return request;
        if (!rendered_) rendered_ = agent_.prompt->render(variables_);
        request.instructions = *rendered_;
        return request;
    }
    void measure_window()
    {
        Compactor* compactor = run_.state_.env().compactor;
        if (compactor) context_size_ = compactor->measure(run_.window_of(agent_, Waiting::left_out));
    }
    /// Of the instructions that wait: they came while the window was made, and what is too much for it is heard with the next step.
    std::size_t count_that_fit()
    {
        const auto& waiting = run_.state_.instructions();
        Compactor* compactor = run_.state_.env().compactor;
        if (waiting.empty() || !compactor) return waiting.size();
        Window window = run_.window_of(agent_, Waiting::left_out);
        if (compactor->is_full(window)) return waiting.size();
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            window.request.messages.push_back(std::make_shared<const llm::Message>(
                llm::Message{.role = model::Role::user, .text = waiting[i].second}));
            if (compactor->is_full(window)) return i;
        }
        return waiting.size();
    }
    std::shared_ptr<llm::Model> model_for(const Attempt& attempt) const
    {
        return run_.state_.env().models(config_for(attempt), run_.state_.view().id, run_.state_.view().spec.project);
    }

    Run& run_;
    const Agent& agent_;
    std::string step_;
    std::vector<std::string> memory_;  // items that it was told
    boost::json::object variables_;    // of its prompt's template
    Digest variables_digest_{};
    std::optional<std::string> rendered_;
    std::optional<std::int64_t> max_output_;    // that was reserved
    std::optional<std::int64_t> context_size_;  // tokens of the request
};

llm::Request Run::request_for(const Agent& agent, int nth, int attempt) const
{
    return {.agent = agent.name,
            .nth = nth,
            .attempt = attempt,
            .instructions = agent.instructions,
            .messages = messages_,
            .tools = shown_to(agent),
            .options = agent.options,
            .earlier = state_.earlier().answered};
}

/// What a recorded step was told meanwhile is told again at the same place, and another attempt must name these records again.
void Run::tell_again(Thinking& thinking, const std::string& path)
{
    const RecordedEffect* recorded = state_.take(path);
    if (!recorded || !recorded->intent) return;
    const auto intent = body_of<IntentBody>(*recorded->intent);
    const auto& think = own_of<ThinkIntent>(intent, *recorded->intent);
    thinking.nth = static_cast<int>(think.nth);
    thinking.told = think.inputs.get();
    for (const std::uint32_t number : thinking.told)
        if (const auto* input = state_.recorded().find(number)) tell(body_of<InstructionBody>(*input).text.str());
}

/// What the agent was told since it last spoke. Instructions that people give meanwhile are not among it: who may give them may do so.
Async<> Run::check_input(const Agent& agent, const std::string& next)
{
    bool is_call = true;
    for (std::size_t i = std::min(checked_, messages_.size()); i < messages_.size(); ++i) {
        if (messages_[i]->role != model::Role::user) continue;
        const bool is_first = std::exchange(is_call, false);
        if (!must_check(Place::input, agent.name)) continue;
        CheckOptions options{.agent = agent.name, .followed_by = next, .is_call = is_first};
        std::string text = co_await let_pass(Place::input, "what " + agent.name + " was to be told", messages_[i]->text,
                                             std::move(options));
        if (text == messages_[i]->text) continue;
        llm::Message changed = *messages_[i];
        changed.text = std::move(text);
        messages_[i] = std::make_shared<const llm::Message>(std::move(changed));
    }
    checked_ = messages_.size();
    if (!is_call || !must_check(Place::input, agent.name)) co_return;
    const GuardVerdict verdict = co_await check(Place::input, "", {.agent = agent.name, .followed_by = next});
    if (verdict.action >= GuardAction::ask)
        throw Error(Code::forbidden, agent.name + " may not be asked now: " + blocked_by(verdict));
}

Async<Step> Run::think(const Agent& agent)
{
    const std::string path = next_path(EffectKind::think);
    models_.clear();
    if (!is_compacting_ && (state_.replaying() || state_.env().compactor)) co_await compact_before(agent, path);
    else ++ordinals_[static_cast<std::size_t>(EffectKind::compact)];  // as it was when there was one
    if (state_.replaying() || state_.env().guardrails) co_await check_input(agent, path);
    Thinking thinking(*this, agent, step_id_of(state_.view().id, path));
    if (state_.replaying()) tell_again(thinking, path);
    if (thinking.nth == 0) thinking.nth = state_.count_turn(agent.name);
    else if (RehearsedRequests* requests = state_.owner().requests()) thinking.keep_request(*requests, path);

    Effect effect{.ask = thinking.ask(), .path = path};
    effect.outcome.reserve(kUsualFields);
    effect.intent.reserve(kUsualFields);
    thinking.describe(effect);
    effect.agent = agent.name;
    effect.effect_class = model::Effect::idempotent;
    effect.reserve.steps = 1;
    effect.limit = agent.timeout.value_or(kModelLimit);
    effect.waits_for_budget = !fails_when_spent_;
    effect.retry = agent.models.empty() ? kModelRetry : retry_from(agent.models.front().retry_policy, kModelRetry);
    effect.retry.others = static_cast<int>(agent.models.size()) - 1;
    effect.intent_events = effect.outcome_events = 1;

    std::string step = thinking.step();
    if (const auto recorded = co_await perform(std::move(effect), thinking)) {
        std::string id;
        std::tie(thinking.completion, id) = completion_from(*recorded, thinking.verdict);
        if (!id.empty()) step = std::move(id);
    } else {
        step = thinking.step();
        state_.count_usage(thinking.completion.usage);
    }

    if (thinking.verdict.action == GuardAction::block)
        throw Error(Code::forbidden,
                    "the answer of " + agent.name + " was withheld by " + blocked_by(thinking.verdict));

    llm::Completion& said = thinking.completion;
    Step result{.id = std::move(step),
                .agent = agent.name,
                .text = said.text,
                .calls = said.calls,
                .usage = said.usage,
                .is_paused = said.finish_reason == llm::kPaused,
                .was_cut = said.finish_reason == "length"};
    tell(llm::Message{.role = model::Role::assistant,
                      .text = std::move(said.text),
                      .calls = std::move(said.calls),
                      .opaque = std::move(said.opaque)});
    co_return result;
}

}  // namespace cadre::engine
