#include "engine/consent.hpp"

#include "base/json.hpp"
#include "engine/tool_call.hpp"
#include "engine/tool_search.hpp"
#include "model/call_pattern.hpp"
#include "tools/arguments.hpp"
#include "tools/builtin.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

namespace {

std::optional<Millis> patience_of(const model::Tool& tool)
{
    return tool.timeout ? std::optional<Millis>(std::chrono::seconds(*tool.timeout)) : std::nullopt;
}

/// Of what is decided on, for whoever compares it with what was done.
std::string call_digest(const model::ToolCall& call)
{
    return to_hex(sha256(call.tool_name + to_canonical_text(boost::json::value(call.args))));
}

bool hands_over_more(const boost::json::object& arguments)
{
    return std::ranges::any_of(
        arguments, [](const auto& member) { return member.key() != "question" && member.key() != "choices"; });
}

/// Its server says something else about it than when it was first seen.
bool has_changed(const model::Tool& tool)
{
    const auto* changed = tool.config.if_contains(model::kDefinitionChanged);
    return changed && changed->is_bool() && changed->get_bool();
}

/// `config: {request: approval}`: what kind of question a hitl tool puts.
model::HumanRequestType request_type(const model::Tool& tool)
{
    const auto* said = tool.config.if_contains("request");
    if (said && said->is_string() && said->get_string() == "approval") return model::HumanRequestType::approval;
    if (said && said->is_string() && said->get_string() == "escalation") return model::HumanRequestType::escalation;
    return model::HumanRequestType::feedback;
}

}  // namespace

std::string refusal(const Agent& agent, const model::Tool* tool, const model::ToolCall& call)
{
    if (!tool) {
        if (agent.more_specs) {
            const auto found = search(*agent.more_specs, call.tool_name, 1);
            return "You have no tool called " + in_quotes(call.tool_name) +
                   (found.empty() ? "; " + tools::search_tools_definition().name + " finds those that you have."
                                  : "; did you mean " + found.front()->name + "?");
        }
        std::string granted;
        for (const std::string& name : agent.tools) granted += (granted.empty() ? "" : ", ") + name;
        if (call.tool_name == kUnnamedTool)
            return granted.empty() ? "Your call names no tool, and you have none."
                                   : "Your call names no tool; call one of these: " + granted + ".";
        return "You have no tool called " + in_quotes(call.tool_name) +
               (granted.empty() ? ", nor any other." : "; you have: " + granted + ".");
    }
    if (call.args.contains(model::kMalformedArguments)) {
        const auto* problem = call.args.if_contains(model::kArgumentsProblem);
        return "The arguments of " + tool->name + " are no JSON object" +
               (problem && problem->is_string() ? " (" + std::string(problem->get_string()) + ")" : "") +
               "; call it again with one.";
    }
    if (tool->permission == model::Permission::deny)
        return "The tool " + tool->name + " is forbidden here: its permission is deny.";
    if (const auto rule = model::find_denial(*agent.permissions, *tool, call.args))
        return "This call of " + tool->name + " is forbidden here, with " + to_text(boost::json::value(call.args)) +
               ", by the rule " + in_quotes(*rule) + " in permissions.deny.";
    return tools::check_arguments(*tool, call.args).value_or("");
}

bool needs_consent(const Agent& agent, const model::Tool& tool, const model::ToolCall& call)
{
    if (has_changed(tool)) return true;
    return agent.is_watched || model::permission_of(*agent.permissions, tool, call.args) == model::Permission::ask;
}

Question approval_of(const Agent& agent, const model::Tool& tool, const model::ToolCall& call)
{
    Question question{.type = model::HumanRequestType::approval, .agent = agent.name};
    question.context["tool"] = call.tool_name;
    question.context["arguments"] = call.args;
    if (has_changed(tool)) question.context["changed"] = tool.server.value_or("");
    question.context["sha256"] = call_digest(call);
    return question;
}

Question question_of(const Agent& agent, const model::ToolCall& call, const model::Tool& tool)
{
    Question question{
        .type = request_type(tool), .agent = agent.name, .context = call.args, .timeout = patience_of(tool)};
    for (const char* ours : {"arguments", "sha256", "key", "why", "policy"}) question.context.erase(ours);
    question.context["tool"] = call.tool_name;
    if (hands_over_more(call.args)) {  // whoever decides sees all of it, whatever the model's question says
        question.context["arguments"] = call.args;
        question.context["sha256"] = call_digest(call);
    }
    if (!question.context.contains("question") && !tool.description.empty())
        question.context["question"] = tool.description;
    return question;
}

std::optional<Question> escalation_of(const Question& question, const model::Tool& tool, const Agent& agent)
{
    if (!tool.escalation_policy) return std::nullopt;
    Question next = question;
    next.type = model::HumanRequestType::escalation;
    next.context["escalated_from"] = tool.name;
    next.context["policy"] = *tool.escalation_policy;
    const auto other = agent.definitions->find(*tool.escalation_policy);
    if (other != agent.definitions->end() && other->second.type == model::ToolType::hitl)
        next.timeout = patience_of(other->second);
    return next;
}

std::string words_of(const model::HumanAnswer& answer)
{
    switch (answer.verb) {
    case model::HumanVerb::reject:
        return "The person declined" + (answer.message.empty() ? "." : ": " + answer.message);
    case model::HumanVerb::timeout: return "No answer came in time.";
    case model::HumanVerb::modify: {
        if (answer.updates.empty()) break;
        std::string text = answer.message.empty() ? "Yes, with changes: " : answer.message + "\n";
        return text + to_text(boost::json::value(answer.updates));
    }
    default: break;
    }
    return answer.message.empty() ? "Yes." : answer.message;
}

}  // namespace cadre::engine
