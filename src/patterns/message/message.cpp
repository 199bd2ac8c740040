#include "patterns/message/message.hpp"

#include "base/json.hpp"
#include "engine/announce.hpp"
#include "engine/run.hpp"
#include "engine/task_state.hpp"
#include "model/views/conversation_log.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "patterns/message/criteria.hpp"
#include "patterns/message/extract.hpp"
#include "patterns/message/format.hpp"
#include "patterns/message/masked.hpp"
#include "patterns/message/plan_message.hpp"
#include "patterns/message/prompts.hpp"
#include "patterns/react.hpp"
#include "patterns/structured.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::patterns {

using engine::Run;
using model::Phase;
using namespace model::conversation;

namespace {

constexpr std::size_t kMostPrevious = 20;

boost::json::object object_of(const auto& entity)
{
    return parse_json(model::to_json_text(entity)).as_object();
}

/// What the answer to one message is made of, so far.
struct Story {
    MessageWork work{};
    ExecutionPlan plan{};
    Scorecard scorecard{};  // as the planner wrote it
    std::optional<boost::json::object> data{};
    std::string data_failure{};
    std::string text{};
    text::RenderedMessage message{};
    ValidationResult validation{};
    std::optional<ValidationFailureLog> failure{};
    Time now{};  // when the phase began

    Channel channel() const { return work.setup.channel.channel; }
};

Async<> announce(Run& run, std::string what, boost::json::object fact)
{
    engine::Fact announced{.what = std::move(what), .fact = std::move(fact)};
    co_await run.announce(std::move(announced));
}

Async<> enter(Run& run, Story& story, Phase phase)
{
    story.now = co_await run.now();
    co_await announce(run, "phase", {{"phase", model::wire_name(phase)}});
}

/// What the plan calls an agent's work.
const ExecutionStep* step_of(const Story& story, std::string_view agent)
{
    const auto found = std::ranges::find(story.plan.steps, agent, &ExecutionStep::agent);
    return found == story.plan.steps.end() ? nullptr : &*found;
}

struct Interaction {
    std::string_view agent{};
    std::string_view action{};  // where the plan has none
    boost::json::object input{};
    boost::json::object output{};
    std::string error{};  // empty: it succeeded
};

Async<> log_interaction(Run& run, const Story& story, Interaction work)
{
    const Time ended = co_await run.now();
    const ExecutionStep* step = step_of(story, work.agent);
    AgentInteractionLog line{.request_id = story.work.request_id,
                             .agent_name = std::string(work.agent),
                             .action = step ? step->action : std::string(work.action),
                             .input_data = masked(std::move(work.input)),
                             .output_data = masked(std::move(work.output)),
                             .duration_ms = (ended - story.now).count(),
                             .success = work.error.empty(),
                             .timestamp = story.now};
    if (!line.success) line.error = masked(work.error);
    engine::Fact fact{
        .what = "agent_interaction", .agent = line.agent_name, .key = line.action, .fact = object_of(line)};
    co_await engine::announce_logged(run, std::move(fact));
}

Async<> extract(Run& run, Story& story)
{
    co_await enter(run, story, Phase::extracting);
    const ExecutionStep* step = step_of(story, kTimesheet);
    const auto fetch = [&](Run& node) { return fetched_data(node, story.work, step); };
    std::optional<std::string> found;
    try {
        found = co_await run.node("extracting", fetch);
    } catch (const Error& error) {
        if (is_limit_of_run(error)) throw;
        story.data_failure = error.what();
    }
    if (found) {
        story.data = parse_json(*found).as_object();
        co_await announce(run, "timesheet_data", *story.data);
    }
    Interaction work{.agent = kTimesheet, .action = "extract_hours", .error = story.data_failure};
    if (step) work.input = step->parameters;
    if (story.data) work.output = *story.data;
    co_await log_interaction(run, story, std::move(work));
}

Async<std::string> written(Run& run, std::string asked)
{
    run.tell(std::move(asked));
    co_return (co_await react_to_what_was_told(run, run.agent(kPlanner))).text;
}

Async<> compose(Run& run, Story& story)
{
    co_await enter(run, story, Phase::composing);
    const std::string asked = ask_for_text(story.work, story.data, story.data_failure);
    const auto write = [&](Run& node) { return written(node, asked); };
    story.text = co_await run.node("composing", write);
    Interaction work{.agent = kPlanner,
                     .action = "compose_response",
                     .input = {{"user_message", story.work.message}},
                     .output = {{"composed_response", story.text}}};
    co_await log_interaction(run, story, std::move(work));
    co_await announce(run, "composed_response", {{"text", story.text}});
}

Async<> refine(Run& run, Story& story)
{
    co_await enter(run, story, Phase::refining);
    RefinementRequest request{.request_id = story.work.request_id,
                              .original_response = story.text.empty() ? " " : story.text,
                              .failed_criteria = failed_criteria(story.failure->scorecard),
                              .created_at = story.now};
    co_await announce(run, "refinement_request", object_of(request));
    const std::string asked = ask_for_refinement(story.work, request, story.data);
    const auto write = [&](Run& node) { return written(node, asked); };
    story.text = co_await run.node("refining", write);
    Interaction work{.agent = kPlanner,
                     .action = "compose_response",
                     .input = {{"attempt_number", request.attempt_number}},
                     .output = {{"composed_response", story.text}}};
    co_await log_interaction(run, story, std::move(work));
    co_await announce(run, "composed_response", {{"text", story.text}});
}

Async<> format(Run& run, Story& story)
{
    co_await enter(run, story, Phase::formatting);
    story.message = rendered(story.text, story.work.setup);
    const auto response = formatted(story.message, story.work.request_id, story.work.setup, story.now);
    co_await announce(run, "formatted_response", object_of(response));
    Interaction work{.agent = kBranding,
                     .action = "format_for_channel",
                     .input = {{"composed_response", story.text}},
                     .output = {{"is_split", response.is_split}, {"metadata", response.metadata}}};
    co_await log_interaction(run, story, std::move(work));
}

Async<std::string> verdicts_on(Run& run, const Story& story)
{
    run.tell(ask_for_verdicts(story.work, seen_text(story.message), story.scorecard, story.data));
    WantedAnswer wanted{.schema = verdict_schema(), .attempts = 2};
    const StructuredAnswer said = co_await structured_answer(run, run.agent(kQuality), std::move(wanted));
    co_return said.value ? to_text(*said.value) : "[]";
}

/// What its numbers may come from.
std::optional<std::vector<std::string>> sources_of(const Story& story)
{
    if (!story.plan.requires_timesheet_data) return std::nullopt;
    std::vector<std::string> sources{story.work.message, to_text(story.work.context)};
    if (story.data) sources.push_back(to_text(*story.data));
    return sources;
}

Async<bool> validate(Run& run, Story& story, bool is_refined)
{
    co_await enter(run, story, Phase::validating);
    const auto ask = [&](Run& node) { return verdicts_on(node, story); };
    const std::string verdicts = co_await run.node("validating", ask);
    const auto sources = sources_of(story);
    JudgedAnswer answer{.message = story.message, .setup = story.work.setup};
    if (sources) answer.sources.emplace(sources->begin(), sources->end());
    const Scorecard card = judged(story.scorecard, parse_json(verdicts), broken_rules(answer), story.now);
    story.validation = validation_of(card, story.now);
    co_await announce(run, "validation", {{"scorecard", object_of(card)}, {"result", object_of(story.validation)}});
    Interaction work{.agent = kQuality,
                     .action = "validate",
                     .input = {{"criteria", card.criteria.size()}},
                     .output = {{"passed", story.validation.passed}}};
    if (story.validation.feedback) work.output["feedback"] = *story.validation.feedback;
    co_await log_interaction(run, story, std::move(work));
    if (!card.overall_passed)
        story.failure = ValidationFailureLog{.request_id = story.work.request_id,
                                             .original_question = story.work.message,
                                             .scorecard = card,
                                             .validation_results = card.criteria,
                                             .failure_reason = story.validation.feedback.value_or("it failed")};
    if (story.failure) {
        story.failure->refinement_attempted = is_refined;
        if (is_refined) story.failure->refinement_succeeded = card.overall_passed;
    }
    co_return card.overall_passed;
}

Async<> log_failure(Run& run, Story& story)
{
    if (!story.failure) co_return;
    story.failure->final_outcome = seen_text(story.message);
    story.failure->logged_at = co_await run.now();
    engine::Fact fact{.what = "validation_failure", .fact = object_of(masked(*story.failure))};
    co_await engine::announce_logged(run, std::move(fact));
}

std::string subject_of(const Story& story)
{
    const std::string& brand = story.work.setup.style.brand_name;
    return brand.empty() ? "Your message" : brand;
}

/// Piece by piece, the next one when the one before was accepted.
Async<> send(Run& run, const Story& story)
{
    const model::MessageSetup& setup = story.work.setup;
    if (setup.account.empty()) co_return;  // whoever has asked gets it
    for (const text::MessagePiece& piece : story.message.pieces) {
        engine::Outgoing outgoing{.agent = std::string(kBranding),
                                  .channel = setup.account,
                                  .to = setup.to,
                                  .content = piece.content,
                                  .options = {{"request_id", story.work.request_id}, {"sequence", piece.sequence}}};
        if (!setup.reply_to.empty()) outgoing.options["reply_to"] = setup.reply_to;
        if (story.channel() == Channel::email) {
            outgoing.options["html"] = piece.alternative;
            outgoing.options["subject"] = subject_of(story);
        }
        if (story.channel() == Channel::teams) outgoing.options["text"] = piece.alternative;
        co_await run.send(std::move(outgoing));
    }
}

model::Reply reply_of(const Run& run, const Story& story)
{
    std::string text;
    const bool is_card = story.channel() == Channel::teams;
    for (const text::MessagePiece& piece : story.message.pieces)
        text += (text.empty() ? "" : "\n") + (is_card ? piece.alternative : piece.content);
    model::Reply reply = run.reply(std::move(text));
    reply.formatted = object_of(formatted(story.message, story.work.request_id, story.work.setup, story.now));
    return reply;
}

/// No answer is good enough: the style guide's words are sent instead.
Async<model::Reply> give_up(Run& run, Story& story, std::string why)
{
    co_await enter(run, story, Phase::failed);
    story.message = text::render(story.work.setup.style.graceful_failure, rules_of(story.work.setup));
    co_await log_failure(run, story);
    co_await announce(run, "formatted_response",
                      object_of(formatted(story.message, story.work.request_id, story.work.setup, story.now)));
    co_await send(run, story);
    model::Reply reply = reply_of(run, story);
    reply.ok = false;
    reply.error = std::move(why);
    co_return reply;
}

/// Whether there is an answer that passes.
Async<bool> answer(Run& run, Story& story)
{
    co_await compose(run, story);
    co_await format(run, story);
    if (co_await validate(run, story, false)) co_return true;
    co_await refine(run, story);
    co_await format(run, story);
    co_return co_await validate(run, story, true);
}

/// Why there is none; empty: there is one.
Async<std::string> attempt(Run& run, Story& story)
{
    try {
        co_await enter(run, story, Phase::planning);
        const auto make = [&](Run& node) { return planned(node, story.work, story.now); };
        const MessagePlan made = plan_from_text(co_await run.node("planning", make));
        if (!made.problem.empty()) co_return "the plan cannot be used: " + made.problem;
        story.plan = made.plan;
        story.scorecard = made.scorecard;
        co_await announce(run, "execution_plan", object_of(story.plan));
        co_await announce(run, "scorecard", object_of(story.scorecard));
        if (story.plan.requires_timesheet_data) co_await extract(run, story);
        const bool passed = co_await answer(run, story);
        co_return passed ? "" : story.validation.feedback.value_or("it failed its scorecard");
    } catch (const Error& error) {
        if (is_limit_of_run(error)) throw;
        co_return error.what();
    }
}

}  // namespace

Async<model::Reply> message(Run& run)
{
    Story story;
    story.work = {
        .request_id = to_string(run.task()), .message = run.prompt(), .setup = run.setup<model::MessageSetup>()};
    if (const auto* context = run.input().if_contains("context"); context && context->is_object())
        story.work.context = context->get_object();
    if (story.work.setup.user_name) story.work.context["user_name"] = *story.work.setup.user_name;
    std::string why = co_await attempt(run, story);
    if (!why.empty()) co_return co_await give_up(run, story, std::move(why));
    co_await log_failure(run, story);
    co_await enter(run, story, Phase::sending);
    co_await send(run, story);
    co_return reply_of(run, story);
}

boost::json::object next_message_input(const engine::TaskState& last)
{
    boost::json::object next = last.spec.input;
    boost::json::value& context = next["context"];
    if (!context.is_object()) context = boost::json::object();
    boost::json::value& previous = context.get_object()["previous_messages"];
    if (!previous.is_array()) previous = boost::json::array();
    boost::json::array& all = previous.get_array();
    all.push_back({{"role", "user"}, {"content", last.spec.description}});
    if (last.reply) all.push_back({{"role", "assistant"}, {"content", last.reply->text}});
    if (all.size() > kMostPrevious) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kMostPrevious));
    return next;
}

}  // namespace cadre::patterns
