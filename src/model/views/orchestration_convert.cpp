#include "model/views/orchestration_convert.hpp"

#include "model/status.hpp"
#include "model/step_text.hpp"
#include "model/wire_name.hpp"

#include <algorithm>

namespace cadre::model::orchestration {

namespace {

std::string alias_in(std::span<const NamedAlias> agents, std::string_view name)
{
    for (const NamedAlias& agent : agents)
        if (agent.name == name && !agent.alias.empty()) return std::string(agent.alias);
    return alias_of(name);
}

std::string name_in(std::span<const NamedAlias> agents, std::string_view alias)
{
    for (const NamedAlias& agent : agents)
        if (agent.alias == alias) return std::string(agent.name);
    return name_of_alias(alias);
}

std::vector<Message> messages_of(std::span<const Step> history)
{
    std::vector<Message> messages;
    for (const Step& step : history) {
        // never system: its prompts are nobody else's business
        if (step.role != Role::user && step.role != Role::assistant) continue;
        std::string text = text_of(step);
        if (text.empty()) continue;
        messages.push_back({.role = step.role == Role::user ? MessageRole::user : MessageRole::assistant,
                            .content = std::move(text),
                            .timestamp = step.at});
    }
    return messages;
}

/// `src/main.py` of file://artifacts/src/main.py.
std::string file_name(std::string_view uri)
{
    for (std::string_view start : {"file://", "artifacts/"})
        if (uri.starts_with(start)) uri.remove_prefix(start.size());
    return std::string(uri);
}

/// Each file once, as it was last.
std::vector<Artifact> artifacts_of(std::span<const Step> history)
{
    std::vector<Artifact> artifacts;
    for (const Step& step : history)
        for (const Part& part : step.parts) {
            const auto* made = std::get_if<ArtifactPart>(&part);
            if (!made) continue;
            const model::Artifact& file = made->artifact;
            Artifact artifact{.name = file_name(file.uri),
                              .parts = {{.file = {.uri = file.uri, .mime_type = file.mime_type}}}};
            if (!file.metadata.empty()) artifact.metadata = file.metadata;
            const auto same = std::ranges::find(artifacts, artifact.name, &Artifact::name);
            if (same != artifacts.end()) *same = std::move(artifact);
            else artifacts.push_back(std::move(artifact));
        }
    return artifacts;
}

/// What the client is told: how it ended, or what the task says of itself.
std::optional<std::string> status_text(const Task& task)
{
    if (task.status_text) return task.status_text;
    if (task.status == model::TaskStatus::completed && task.reply) return task.reply->text;
    if (task.status == model::TaskStatus::failed) return task.error;
    return std::nullopt;
}

}  // namespace

AgentChoiceResult view(const Decision& decision, const RouterExecutorOptions& options,
                       std::span<const NamedAlias> agents)
{
    AgentChoiceResult choice{.confidence = decision.confidence};
    if (!decision.reasoning.empty()) choice.reasoning = decision.reasoning;
    if (needs_clarification(decision, options.confidence_threshold)) {
        choice.agent_id = clarification_agent(options);
        return choice;
    }
    choice.agent_id = decision.targets.empty() ? fallback_agent(options) : alias_in(agents, decision.targets.front());
    for (std::size_t i = 1; i < decision.targets.size(); ++i) {
        if (!choice.additional_agents) choice.additional_agents.emplace();
        choice.additional_agents->push_back(alias_in(agents, decision.targets[i]));
    }
    return choice;
}

Decision from(const AgentChoiceResult& choice, std::string query, const RouterExecutorOptions& options,
              std::span<const NamedAlias> agents)
{
    Decision decision{
        .query = std::move(query), .confidence = choice.confidence, .reasoning = choice.reasoning.value_or("")};
    decision.clarify = choice.agent_id == clarification_agent(options);
    if (!decision.clarify) decision.targets.push_back(name_in(agents, choice.agent_id));
    for (const std::string& id : choice.additional_agents.value_or(std::vector<std::string>{}))
        decision.targets.push_back(name_in(agents, id));
    return decision;
}

AgentReplyView view(const Reply& reply, std::span<const NamedAlias> agents)
{
    AgentReplyView out{.agent_id = alias_in(agents, reply.agent),
                       .content = reply.text,
                       .success = reply.ok,
                       .execution_time_ms = reply.elapsed_ms};
    if (!reply.ok) out.error_message = reply.error.value_or("failed");
    return out;
}

Reply from(const AgentReplyView& reply, std::string task, std::span<const NamedAlias> agents)
{
    return {.task = std::move(task),
            .agent = name_in(agents, reply.agent_id),
            .text = reply.content,
            .ok = reply.success,
            .error = reply.error_message,
            .elapsed_ms = reply.execution_time_ms};
}

TaskContext view(const Task& task, const Session* session, std::span<const Step> history)
{
    TaskContext context{.id = task.alias.value_or(task.id)};
    // a task outside a session is a session of its own: clients need the id
    context.session_id = session ? session->alias.value_or(session->id) : task.session.value_or(context.id);
    context.status.state =
        find_named<TaskState>(status_word(task.status, Boundary::orchestration)).value_or(TaskState::unknown);
    if (auto text = status_text(task))
        context.status.message = Message{.role = MessageRole::assistant, .content = std::move(*text)};
    context.status.timestamp = task.completed_at ? task.completed_at
                               : history.empty() ? task.started_at.value_or(task.created_at)
                                                 : history.back().at;
    context.history = pruned(messages_of(history));
    context.artifacts = artifacts_of(history);
    if (!task.metadata.empty()) context.metadata = task.metadata;
    return context;
}

}  // namespace cadre::model::orchestration
