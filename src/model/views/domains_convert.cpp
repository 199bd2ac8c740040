// Between the kernel and document 003, and what needs the registry of domains to be judged.
#include "base/error.hpp"
#include "model/calls.hpp"
#include "model/known_names.hpp"
#include "model/step_text.hpp"
#include "model/views/domains.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::model::domains {

namespace json = boost::json;

namespace {

class Turns {
public:
    Turns(std::span<const Step> history, std::span<const Domain> domains)
    {
        for (const Call& call : calls_of(history)) {
            ToolCall shown = view(call);
            if (const Domain* domain = find_domain(domains, call.tool)) shown.domain = domain->name;
            calls_.emplace(call.id, std::move(shown));
        }
    }

    void add(const Step& step)
    {
        for (const Part& part : step.parts)
            if (const auto* call = std::get_if<ToolCallPart>(&part))
                pending_.push_back(calls_.at(uuid_of(call->tool_call.id)));
        const std::string text = text_of(step);
        if (step.role == Role::user && !text.empty()) {
            add_question(step, text);
            return;
        }
        if (step.duration) took_ = took_.value_or(0) + *step.duration;
        if (step.role == Role::assistant && !text.empty()) add_answer(step, text);
    }

    std::vector<Message> messages() { return std::move(messages_); }

private:
    void add_question(const Step& step, const std::string& text)
    {
        if (!messages_.empty() && messages_.back().role == Speaker::user) add_apology(step.at);
        messages_.push_back({.role = Speaker::user, .content = text, .timestamp = step.at});
        pending_.clear();
        took_.reset();
    }

    /// A question without an answer yet, and another one comes: its turn died, with whatever it had called.
    void add_apology(Time at)
    {
        messages_.push_back({.role = Speaker::assistant,
                             .content = "This question could not be answered.",
                             .timestamp = at,
                             .metadata = {{"error", true}}});
        attach_work(messages_.back());
    }

    /// An assistant may say several things in its turn; the last one is the answer, so that roles alternate.
    void add_answer(const Step& step, const std::string& text)
    {
        if (messages_.empty()) return;  // nobody asked
        if (messages_.back().role == Speaker::user) {
            messages_.push_back({.role = Speaker::assistant});
        } else {
            json::value& before = messages_.back().metadata["said_before"];
            if (before.is_null()) before = json::array();
            before.get_array().emplace_back(messages_.back().content);
        }
        Message& answer = messages_.back();
        answer.content = text;
        answer.timestamp = step.at;
        attach_work(answer);
    }

    /// What the turn did so far: its calls, the domains that they asked, the time it took.
    void attach_work(Message& answer)
    {
        if (took_) answer.metadata["execution_time_ms"] = *took_;
        if (pending_.empty()) return;
        if (!answer.tool_calls) answer.tool_calls.emplace();
        json::array asked;
        for (ToolCall& call : pending_) answer.tool_calls->push_back(std::move(call));
        std::set<std::string_view> seen;
        for (const ToolCall& call : *answer.tool_calls)
            if (seen.insert(call.domain).second) asked.emplace_back(call.domain);
        answer.metadata["domains"] = std::move(asked);
        pending_.clear();
    }

    std::map<std::string, ToolCall> calls_;
    std::vector<ToolCall> pending_;
    std::optional<std::int64_t> took_;  // since the question
    std::vector<Message> messages_;
};

bool contains(std::span<const std::string> list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

bool has_domain(std::span<const Domain> domains, std::string_view name)
{
    return std::ranges::any_of(domains, [&](const Domain& domain) { return domain.name == name; });
}

}  // namespace

ToolCall view(const Call& call)
{
    const bool ended = is_finished(call.status);
    ToolCall shown{.tool_id = tool_call_of(call).id,
                   .tool_name = call.tool,
                   .domain = call.domain.value_or(""),
                   .input_params = call.args,
                   .status = call.status,
                   .started_at = call.started_at,
                   .completed_at = call.completed_at,
                   .execution_time_ms = duration_ms(call)};
    if (call.status == CallStatus::completed && call.result) shown.result = as_dict(*call.result);
    if (ended && call.status != CallStatus::completed) shown.error = tool_result_of(call).error;
    return shown;
}

Call from(const ToolCall& call)
{
    Call kernel{.id = uuid_of(call.tool_id),
                .tool = call.tool_name,
                .domain = call.domain,
                .args = call.input_params,
                .status = call.status,
                .error = call.error,
                .started_at = call.started_at,
                .completed_at = call.completed_at};
    if (call.result) kernel.result = from_dict(*call.result);
    return kernel;
}

AnswerView view(const Reply& reply)
{
    AnswerView shown{.answer = reply.text,
                     .sources = reply.sources,
                     .suggestions = reply.suggestions,
                     .confidence = reply.confidence,
                     .total_execution_time_ms = std::min(reply.elapsed_ms, kAnswerLimitMs - 1),
                     .partial_results = reply.partial};
    for (const Call& call : reply.calls) shown.tool_calls_made.push_back(view(call));
    if (shown.suggestions.size() > kMaxSuggestions) shown.suggestions.resize(kMaxSuggestions);
    return shown;
}

DomainRoutingDecision view(const Decision& decision)
{
    return {.user_query = decision.query,
            .identified_domains = decision.targets,
            .reasoning = decision.reasoning,
            .confidence = decision.confidence,
            .ambiguity_detected = decision.ambiguous,
            .clarification_needed = needs_clarification(decision)};
}

Decision from(const DomainRoutingDecision& decision)
{
    return {.query = decision.user_query,
            .target_kind = TargetKind::domain,
            .targets = decision.identified_domains,
            .confidence = decision.confidence,
            .reasoning = decision.reasoning,
            .ambiguous = decision.ambiguity_detected,
            .clarify = decision.clarification_needed};
}

Conversation view(const Session& session, std::span<const Step> history, std::span<const Domain> domains)
{
    Turns turns(history, domains);
    for (const Step& step : history) turns.add(step);
    Conversation shown{.session_id = session.id,
                       .messages = turns.messages(),
                       .created_at = session.created_at,
                       .last_updated = session.updated_at,
                       .metadata = session.metadata};
    if (session.user) shown.metadata["user_id"] = *session.user;
    if (!shown.messages.empty()) shown.last_updated = shown.messages.back().timestamp;
    return shown;
}

Conversation appended(Conversation conversation, Message message)
{
    conversation.last_updated = message.timestamp;
    conversation.messages.push_back(std::move(message));
    return conversation;
}

ConversationState state_of(const Conversation& conversation, Time now)
{
    return conversation_state(conversation.messages.size(), conversation.last_updated, now);
}

const Domain* find_domain(std::span<const Domain> domains, std::string_view tool)
{
    for (const Domain& domain : domains)
        if (contains(domain.mcp_tools, tool)) return &domain;
    return nullptr;
}

void check_domains(std::span<const Domain> domains, std::span<const std::string> tools, Problems& problems)
{
    std::vector<std::string> names;
    for (const Domain& domain : domains) names.push_back(domain.name);
    const Path root;
    check_distinct(names, root, "name", problems);
    for (std::size_t i = 0; i < domains.size(); ++i) {
        const Domain& domain = domains[i];
        const Path here(root, i);
        const Path tool_list(here, "mcp_tools");
        for (std::size_t k = 0; k < domain.mcp_tools.size(); ++k)
            if (!contains(tools, domain.mcp_tools[k]))
                problems.add(Path(tool_list, k), ProblemKind::unknown_name,
                             in_quotes(domain.mcp_tools[k]) + " is not a registered tool");
        const Path related(here, "related_domains");
        for (std::size_t k = 0; k < domain.related_domains.size(); ++k)
            if (!has_domain(domains, domain.related_domains[k]))
                problems.add(Path(related, k), ProblemKind::unknown_name,
                             in_quotes(domain.related_domains[k]) + " is not a registered domain");
    }
}

void check_known(const ToolCall& call, std::span<const Domain> domains, std::span<const std::string> tools,
                 Problems& problems)
{
    const Path root;
    if (!contains(tools, call.tool_name))
        problems.add(Path(root, "tool_name"), ProblemKind::unknown_name,
                     in_quotes(call.tool_name) + " is not a registered tool");
    if (!has_domain(domains, call.domain))
        problems.add(Path(root, "domain"), ProblemKind::unknown_name,
                     in_quotes(call.domain) + " is not a registered domain");
}

}  // namespace cadre::model::domains
