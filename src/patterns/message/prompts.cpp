#include "patterns/message/prompts.hpp"

#include "base/json.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::patterns {

using model::conversation::Channel;
using model::conversation::Scorecard;

namespace {

/// Foreign text, fenced: it is data, and never an instruction.
std::string as_quotation(std::string_view text)
{
    return fmt::format("\"\"\"\n{}\n\"\"\"", text);
}

std::string the_message(const MessageWork& work)
{
    std::string text = fmt::format("A person has written over {}:\n{}", model::wire_name(work.setup.channel.channel),
                                   as_quotation(work.message));
    if (!work.context.empty()) text += "\n\nWhat is known of the conversation:\n" + as_quotation(to_text(work.context));
    return text;
}

std::string data_text(const std::optional<boost::json::object>& data)
{
    return data ? "\n\nThe data, and all there is:\n" + as_quotation(to_text(*data)) : "";
}

std::string how_it_sounds(const MessageWork& work, bool has_failed)
{
    const auto& style = work.setup.style;
    std::string text =
        fmt::format("\n\nYou speak for {} ({}). Tone: {}; of good news {}.", style.brand_name, style.personality,
                    has_failed ? style.tone.error : style.tone.default_tone, style.tone.success);
    text +=
        style.humor.enabled ? fmt::format(" Humour: {}, {}.", style.humor.style, style.humor.frequency) : " No humour.";
    if (style.emojis.enabled && work.setup.channel.supports_emojis)
        text += fmt::format(" Emojis, where they help: {} for what went well, {} for what needs care, {} for what went "
                            "wrong, {} for what is good to know.",
                            style.emojis.success, style.emojis.warning, style.emojis.error, style.emojis.info);
    else text += " No emojis.";
    return text;
}

std::string what_is_shown(const MessageWork& work)
{
    const auto& channel = work.setup.channel;
    std::string text = fmt::format("\n\nThe answer goes out over {}.", model::wire_name(channel.channel));
    if (!channel.supports_markdown) text += " Write plain text, without Markdown.";
    if (channel.max_length)
        text += fmt::format(" One message has at most {} characters; be brief.", *channel.max_length);
    return text;
}

}  // namespace

std::string ask_for_plan(const MessageWork& work, const model::Team& team)
{
    std::string text = the_message(work) +
                       "\n\nDo not answer it yet. Plan how it is answered, and write down what a good answer must "
                       "fulfil. Data of timesheets is fetched only if you say that it is required.\n\nAnswer with JSON "
                       "alone:\n"
                       R"({"steps": [{"agent": "...", "action": "...", "parameters": {}}], "requires_timesheet_data": )"
                       R"(true, "scorecard": {"criteria": [{"id": "...", "description": "...", "expected": "..."}]}})"
                       "\nA description has at least 10 characters, and an id is there once. The usual steps are "
                       "timesheet: extract_hours, planner: compose_response, branding: format_for_channel, quality: "
                       "validate.\n\nAgents:";
    for (const model::Agent& agent : team.agents) text += fmt::format("\n- {}: {}", agent.name, agent.role);
    return text;
}

std::string plan_schema()
{
    return R"({"type":"object","required":["steps","scorecard"],"properties":{
        "steps":{"type":"array","minItems":1,"maxItems":20,"items":{"type":"object","required":["agent","action"],"properties":{
            "agent":{"type":"string","minLength":1},"action":{"type":"string","minLength":1},"parameters":{"type":"object"}}}},
        "requires_timesheet_data":{"type":"boolean"},
        "scorecard":{"type":"object","required":["criteria"],"properties":{"criteria":{"type":"array","minItems":1,"maxItems":30,
            "items":{"type":"object","required":["id","description","expected"],"properties":{
                "id":{"type":"string","minLength":1},"description":{"type":"string"},"expected":{"type":"string"}}}}}}}})";
}

std::string ask_for_data(const MessageWork& work, const model::conversation::ExecutionStep* step)
{
    std::string text = the_message(work) + "\n\nFind the data that an answer needs. Do not answer.";
    if (step) text += fmt::format(" Your part of the plan: {} {}", step->action, to_text(step->parameters));
    return text + "\n\nAnswer with one JSON object alone: the data by name, nothing that you were not told or found.";
}

std::string ask_for_text(const MessageWork& work, const std::optional<boost::json::object>& data,
                         const std::string& failed)
{
    std::string text = the_message(work) + data_text(data);
    if (!failed.empty())
        text += "\n\nThe data that is needed could not be had (" + failed + "): say so, and make up nothing.";
    return text + how_it_sounds(work, !failed.empty()) + what_is_shown(work) +
           "\n\nWrite the answer, and nothing else. Use no number that is not in the message, the data or the "
           "conversation, or follows from them.";
}

std::string ask_for_verdicts(const MessageWork& work, const std::string& seen, const Scorecard& scorecard,
                             const std::optional<boost::json::object>& data)
{
    boost::json::array criteria;
    for (const auto& criterion : scorecard.criteria)
        criteria.push_back(
            {{"id", criterion.id}, {"description", criterion.description}, {"expected", criterion.expected}});
    return the_message(work) + data_text(data) + "\n\nThis is the answer, as it would be sent:\n" + as_quotation(seen) +
           "\n\nJudge it by each of these criteria, and by nothing else:\n" + to_text(criteria) +
           "\n\nAnswer with JSON alone:\n"
           R"([{"id": "...", "passed": true, "feedback": "what to improve, where it has not passed"}])";
}

std::string verdict_schema()
{
    return R"({"type":"array","maxItems":100,"items":{"type":"object","required":["id","passed"],"properties":{
        "id":{"type":"string"},"passed":{"type":"boolean"},"feedback":{"type":["string","null"]}}}})";
}

std::string ask_for_refinement(const MessageWork& work, const model::conversation::RefinementRequest& request,
                               const std::optional<boost::json::object>& data)
{
    std::string text = the_message(work) + data_text(data) + "\n\nThis was answered:\n" +
                       as_quotation(request.original_response) + "\n\nIt cannot be sent like that:";
    for (const auto& criterion : request.failed_criteria)
        text += fmt::format("\n- {} (expected: {}): {}", criterion.description, criterion.expected,
                            criterion.feedback.value_or("it failed"));
    return text + how_it_sounds(work, false) + what_is_shown(work) +
           "\n\nWrite the whole answer again without these faults, and nothing else.";
}

}  // namespace cadre::patterns
