#include "model/views/orchestration_convert.hpp"

#include "base/json.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "support/golden.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;
using orchestration::AgentChoiceResult, orchestration::AgentReplyView, orchestration::TaskContext,
    orchestration::TaskState;

namespace {

Step step(Role role, std::vector<Part> parts, const char* at = "2025-10-13T10:29:45Z")
{
    Step made{.role = role, .parts = std::move(parts)};
    made.at = time_from_iso(at);
    return made;
}

}  // namespace

TEST_CASE("002: a decision is shown as a choice of aliases and comes back")
{
    const Decision decision{.query = "Lights and jazz",
                            .targets = {"light_agent", "music_agent"},
                            .confidence = 0.88,
                            .reasoning = "Request requires both lighting adjustment and music playback."};
    const AgentChoiceResult choice = orchestration::view(decision, {});
    CHECK(to_json_text(choice) == to_text(parse_json(golden("model/002_agent_choice_multi.json"))));
    CHECK(orchestration::from(choice, decision.query, {}) == decision);

    const NamedAlias agents[] = {{"light_agent", "lumen"}, {"music_agent", ""}};
    const AgentChoiceResult own = orchestration::view(decision, {}, agents);
    CHECK(own.agent_id == "lumen");
    CHECK(own.additional_agents == std::vector<std::string>{"music-agent"});
    CHECK(orchestration::from(own, decision.query, {}, agents) == decision);
}

TEST_CASE("002: what is not sure enough is shown as the agent that asks back, what nobody can do as the fallback")
{
    struct {
        Decision decision;
        orchestration::RouterExecutorOptions options;
        const char* agent_id;
    } const cases[] = {
        {{.targets = {"a"}, .confidence = 0.7}, {}, "a"},
        {{.targets = {"a"}, .confidence = 0.69}, {}, "clarification-agent"},
        {{.targets = {"a"}, .confidence = 0.69}, {.confidence_threshold = 0.5}, "a"},
        {{.targets = {"a"}, .confidence = 0.9, .clarify = true}, {}, "clarification-agent"},
        {{.targets = {"a"}, .confidence = 0.1}, {.clarification_agent_id = "asker"}, "asker"},
        {{.confidence = 0.9}, {}, "fallback-agent"},
        {{.confidence = 0.9}, {.fallback_agent_id = "giver"}, "giver"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.agent_id);
        const AgentChoiceResult choice = orchestration::view(c.decision, c.options);
        CHECK(choice.agent_id == c.agent_id);
        CHECK(problems_of(choice).empty());
    }
    const Decision asked = orchestration::from({.agent_id = "clarification-agent", .confidence = 0.9}, "q", {});
    CHECK(asked.clarify);
    CHECK(problems_of(asked).empty());
}

TEST_CASE("002: a reply is shown as an agent's answer and comes back")
{
    for (const char* file : {"model/002_agent_response_success.json", "model/002_agent_response_failure.json"}) {
        const auto shown = from_text<AgentReplyView>(golden(file));
        const Reply reply = orchestration::from(shown, "task-1");
        CHECK(reply.task == "task-1");
        CHECK(reply.ok == shown.success);
        CHECK(orchestration::view(reply) == shown);
    }
    const AgentReplyView silent = orchestration::view(Reply{.agent = "music_agent", .ok = false});
    CHECK(silent.agent_id == "music-agent");
    CHECK(problems_of(silent).empty());
}

TEST_CASE("002: a task, its session and its steps are shown as a context")
{
    Task task{.id = "550e8400-e29b-41d4-a716-446655440000",
              .alias = "task-abc-123",
              .status = TaskStatus::running,
              .status_text = "Processing your request...",
              .metadata = {{"agentSelections", json::array{"light-agent"}},
                           {"location", "kitchen"},
                           {"routingConfidence", 0.95}}};
    const Session session{.alias = "session-xyz-789"};
    std::vector<Step> history = {step(Role::user, {TextPart{.text = "Turn on the kitchen lights"}})};
    TaskContext context = orchestration::view(task, &session, history);
    context.status.timestamp = time_from_iso("2025-10-13T10:30:00Z");
    CHECK(to_json_text(context) == to_text(parse_json(golden("model/002_task_context.json"))));

    history.push_back(step(Role::system, {TextPart{.text = "secret prompt"}}));
    history.push_back(step(Role::assistant, {ToolCallPart{}}));
    history.push_back(step(Role::tool, {ToolResultPart{}}));
    history.push_back(step(Role::assistant,
                           {TextPart{.text = "Done."},
                            ArtifactPart{.artifact = {.uri = "file://artifacts/a/b.txt", .mime_type = "text/plain"}}}));
    history.push_back(step(Role::assistant,
                           {ArtifactPart{.artifact = {.uri = "file://artifacts/a/b.txt", .mime_type = "text/html"}}},
                           "2025-10-13T10:31:00Z"));
    task.status_text.reset();
    task.metadata.clear();
    task.status = TaskStatus::completed;
    task.reply = Reply{.text = "Done."};
    CHECK(to_json_text(orchestration::view(task, nullptr, history)) ==
          R"({"id":"task-abc-123","sessionId":"task-abc-123","status":{"state":"completed",)"
          R"("message":{"role":"assistant","content":"Done."},"timestamp":"2025-10-13T10:31:00Z"},)"
          R"("history":[{"role":"user","content":"Turn on the kitchen lights","timestamp":"2025-10-13T10:29:45Z"},)"
          R"({"role":"assistant","content":"Done.","timestamp":"2025-10-13T10:29:45Z"}],)"
          R"("artifacts":[{"name":"a/b.txt","parts":[{"type":"file","file":{"uri":"file://artifacts/a/b.txt",)"
          R"("mimeType":"text/html"}}]}]})");
}

TEST_CASE("002: every status of the kernel has its state, and long histories are cut in the context alone")
{
    struct {
        TaskStatus status;
        TaskState state;
    } const cases[] = {
        {TaskStatus::pending, TaskState::submitted},   {TaskStatus::running, TaskState::working},
        {TaskStatus::paused, TaskState::working},      {TaskStatus::waiting, TaskState::input_required},
        {TaskStatus::completed, TaskState::completed}, {TaskStatus::failed, TaskState::failed},
        {TaskStatus::cancelled, TaskState::canceled},
    };
    for (const auto& c : cases) {
        const TaskContext context = orchestration::view(Task{.id = "t", .status = c.status}, nullptr, {});
        CHECK(context.status.state == c.state);
        CHECK(problems_of(context).empty());
    }
    const std::vector<Step> history(60, step(Role::user, {TextPart{.text = "x"}}));
    CHECK(orchestration::view(Task{.id = "t"}, nullptr, history).history->size() == 50);
}
