#include "model/views/conversation.hpp"

#include "base/id.hpp"
#include "base/utf8.hpp"
#include "model/describe.hpp"
#include "model/descriptions.hpp"
#include "model/rules.hpp"
#include "model/views/conversation_config.hpp"
#include "model/views/conversation_log.hpp"
#include "model/views/request_id_field.hpp"

#include <fmt/format.h>

namespace cadre::model::conversation {

namespace {

void check_sms(const FormattedResponse& response, const Path& path, Problems& problems)
{
    if (response.channel != Channel::sms) return;
    auto check = [&](const std::string& content, const Path& where) {
        if (code_points(content) > kMaxSms) problems.add(where, "SMS content exceeds 1600 character limit");
    };
    check(response.content, Path(path, "content"));
    const Path parts(path, "parts");
    for (std::size_t i = 0; i < response.parts.size(); ++i)
        check(response.parts[i].content, Path(Path(parts, i), "content"));
}

/// What check_passed() wants, where both are there.
constexpr const char* kPassedSchema = R"({"if":{"required":["scorecard","validation_result"],
    "properties":{"scorecard":{"type":"object"},"validation_result":{"type":"object"}}},
    "then":{"if":{"properties":{"scorecard":{"required":["overall_passed"],
                                             "properties":{"overall_passed":{"const":true}}}}},
            "then":{"properties":{"validation_result":{"properties":{"passed":{"const":true}}}}},
            "else":{"properties":{"validation_result":{"properties":{"passed":{"const":false}}}}}}})";

/// All that is kept about a request speaks of that request.
void check_request_ids(const MultiAgentWorkflowState& state, const Path& path, Problems& problems)
{
    auto same_request = [&](const auto& part, std::string_view name) {
        if (part && part->request_id != state.request_id)
            problems.add(Path(Path(path, name), "request_id"), "must be the request's own");
    };
    same_request(state.execution_plan, "execution_plan");
    same_request(state.scorecard, "scorecard");
    same_request(state.formatted_response, "formatted_response");
    same_request(state.validation_result, "validation_result");
}

void check_passed(const MultiAgentWorkflowState& state, const Path& path, Problems& problems)
{
    if (state.scorecard && state.validation_result &&
        state.scorecard->overall_passed != state.validation_result->passed)
        problems.add(Path(Path(path, "validation_result"), "passed"), "must match scorecard.overall_passed");
}

}  // namespace

std::span<const EnumName> names_of(const Channel*)
{
    static constexpr EnumName names[] = {{int(Channel::sms), "sms"},
                                         {int(Channel::email), "email"},
                                         {int(Channel::whatsapp), "whatsapp"},
                                         {int(Channel::teams), "teams"}};
    return names;
}

const Entity& describe(const ExecutionStep*)
{
    static const Entity entity{
        .name = "execution_step",
        .doc = "One step of an execution plan: an agent and what it is to do.",
        .fields = {field("agent", &ExecutionStep::agent, "The agent to call.", {.required = true, .min_length = 1}),
                   field("action", &ExecutionStep::action, "What it is to do.", {.required = true, .min_length = 1}),
                   field("parameters", &ExecutionStep::parameters, "Arguments of the action.")},
        .example = R"({"agent":"timesheet","action":"extract_hours","parameters":{}})"};
    return entity;
}

const Entity& describe(const ExecutionPlan*)
{
    static const Entity entity{
        .name = "execution_plan",
        .doc = "Which agents answer a message, in which order; made by the planner.",
        .fields = {request_id_field(&ExecutionPlan::request_id),
                   field("user_message", &ExecutionPlan::user_message, "What the user wrote.", {.required = true}),
                   field("channel", &ExecutionPlan::channel, "Where it came from and the answer goes.",
                         {.required = true}),
                   field("steps", &ExecutionPlan::steps, "In the order in which they run.",
                         {.required = true, .min_length = 1, .says = "Execution plan must have at least one step"}),
                   field("requires_timesheet_data", &ExecutionPlan::requires_timesheet_data,
                         "Whether the timesheet agent runs first."),
                   field("context", &ExecutionPlan::context, "Earlier messages and what is known of the user."),
                   field("created_at", &ExecutionPlan::created_at, "When it was made.", {.fill = Fill::now})},
        .example = R"({"request_id":"req-123","user_message":"Check my timesheet","channel":"sms","steps":[
            {"agent":"timesheet","action":"extract_hours","parameters":{}},
            {"agent":"quality","action":"validate","parameters":{}}],
            "requires_timesheet_data":true,"context":{},"created_at":"2025-11-24T09:00:00Z"})"};
    return entity;
}

const Entity& describe(const ReplyPiece*)
{
    static const Entity entity{
        .name = "message_part",
        .doc = "One piece of an answer that was too long for its channel.",
        .fields = {field("sequence", &ReplyPiece::sequence, "Its place, from 1.", {.required = true, .min = 1}),
                   field("content", &ReplyPiece::content, "What is sent, with its indicator.", {.required = true}),
                   field("continuation_indicator", &ReplyPiece::continuation_indicator, "Like (1/3).")},
        .example =
            R"json({"sequence":1,"content":"You've logged 32 hours. (1/2)","continuation_indicator":"(1/2)"})json"};
    return entity;
}

const Entity& describe(const FormattedResponse*)
{
    static const Entity entity{
        .name = "formatted_response",
        .doc = "An answer in the form of its channel; made by the branding agent.",
        .fields = {request_id_field(&FormattedResponse::request_id),
                   field("channel", &FormattedResponse::channel, "Where it goes.", {.required = true}),
                   field("content", &FormattedResponse::content,
                         "The whole text, or its first piece when it was split; at most 1600 characters as an SMS.",
                         {.required = true}),
                   field("is_split", &FormattedResponse::is_split, "Whether the text was split."),
                   field("parts", &FormattedResponse::parts, "All pieces of a split text, in order."),
                   field("metadata", &FormattedResponse::metadata,
                         "Of the channel, such as `emojis_used` and `markdown_removed`."),
                   field("formatted_at", &FormattedResponse::formatted_at, "When it was made.", {.fill = Fill::now})},
        .demands = {{.when = {is("is_split", {"true"})},
                     .then = filled("parts"),
                     .says = "Parts required when is_split is true"}},
        .checks = {check<FormattedResponse>({"channel"},
                                            "For `sms`, `content` and that of every part have at most 1600 characters.",
                                            check_sms, R"({"if":{"properties":{"channel":{"const":"sms"}}},
            "then":{"properties":{"content":{"maxLength":1600},
                                  "parts":{"items":{"properties":{"content":{"maxLength":1600}}}}}}})")},
        .example = R"({"request_id":"req-123","channel":"sms",
            "content":"You've logged 32/40 hours this week. Great progress!","is_split":false,"parts":[],
            "metadata":{"emojis_used":[],"markdown_removed":false},"formatted_at":"2025-11-24T09:00:02Z"})"};
    return entity;
}

const Entity& describe(const MultiAgentWorkflowState*)
{
    using State = MultiAgentWorkflowState;
    static const Entity entity{
        .name = "multi_agent_workflow_state",
        .doc = "How far the answer to one message has come, and what was made on the way.",
        .fields = {request_id_field(&State::request_id), field("execution_plan", &State::execution_plan, "The plan."),
                   field("scorecard", &State::scorecard, "What the answer is measured by."),
                   field("timesheet_data", &State::timesheet_data, "What the timesheet agent found, if it ran."),
                   field("composed_response", &State::composed_response, "The planner's answer."),
                   field("formatted_response", &State::formatted_response, "The same for its channel."),
                   field("validation_result", &State::validation_result, "What the quality agent found."),
                   field("refinement_count", &State::refinement_count, "How often the answer was refined.",
                         {.min = 0, .max = 1, .says_above = "Maximum 1 refinement allowed"}),
                   field("final_response", &State::final_response, "What was sent to the user."),
                   field("status", &State::status, "The phase it is in."),
                   field("created_at", &State::created_at, "When the message came.", {.fill = Fill::now}),
                   field("completed_at", &State::completed_at, "When the answer was sent."),
                   field("ext", &State::ext,
                         "Of an answer that was sent: `deliveries`, how far each piece has come, in their order.",
                         {.extension = true})},
        .home = {Home::Kind::message, "the answer to `GET /messages/{request_id}`"},
        .checks = {check<State>(
                       {"request_id", "execution_plan", "scorecard", "formatted_response", "validation_result"},
                       "Whatever has a `request_id` in it has the request's own.", check_request_ids),
                   check<State>({"scorecard", "validation_result"},
                                "`validation_result.passed` is `scorecard.overall_passed`, when both are there.",
                                check_passed, kPassedSchema)},
        .example = R"({"request_id":"req-123","execution_plan":null,"scorecard":null,
            "timesheet_data":{"hours_logged":32,"hours_target":40},"composed_response":null,"formatted_response":null,
            "validation_result":null,"refinement_count":0,"final_response":null,"status":"composing",
            "created_at":"2025-11-24T09:00:00Z","completed_at":null})"};
    return entity;
}

std::optional<std::string> request_id_warning(std::string_view request_id)
{
    if (find_id(request_id)) return std::nullopt;
    return fmt::format("request_id \"{}\" is no UUID; it is kept as it is", utf8_prefix(request_id, 80));
}

std::vector<const Entity*> entities()
{
    return descriptions<ExecutionStep, ExecutionPlan, ScorecardCriterion, Scorecard, ValidationResult,
                        RefinementRequest, ReplyPiece, FormattedResponse, AgentInteractionLog, ValidationFailureLog,
                        ChannelSpecification, Channels, ToneSettings, EmojiSettings, HumorSettings,
                        FormattingPreferences, StyleGuide, MultiAgentWorkflowState>();
}

}  // namespace cadre::model::conversation
