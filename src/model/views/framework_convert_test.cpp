#include "model/views/framework.hpp"

#include "base/json.hpp"
#include "model/calls.hpp"
#include "model/views/agentx.hpp"
#include "model/views/domains.hpp"
#include "model/views/orchestration_convert.hpp"
#include "support/entity.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::test;
namespace framework = cadre::model::framework;

namespace {

const Time kStart = time_from_iso("2026-01-12T09:00:00Z");
const std::string kTask = "3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b";

Step said(std::string id, Role role, std::string text, int second)
{
    return {.id = std::move(id),
            .task = kTask,
            .agent = role == Role::user ? "user" : "writer",
            .role = role,
            .parts = {TextPart{.text = std::move(text)}},
            .at = kStart + std::chrono::seconds(second),
            .duration = 20};
}

/// A question, a search that works, one that fails, an answer.
std::vector<Step> history()
{
    Call good{.id = "7c9e6679-7425-40de-944b-e07fc1f90ae7",
              .tool = "search",
              .args = {{"q", "tides"}},
              .status = CallStatus::completed,
              .result = json::object{{"hits", 3}},
              .started_at = kStart + std::chrono::seconds(1),
              .completed_at = kStart + std::chrono::seconds(3)};
    Call bad = good;
    bad.id = "9b2d4f6a-8c1e-4a3b-b5d7-0f9e8d7c6b5a";
    bad.status = CallStatus::failed;
    bad.result.reset();
    bad.error = "no net";
    Step asks{.id = "s2",
              .task = kTask,
              .seq = 1,
              .agent = "writer",
              .parts = {ToolCallPart{tool_call_of(good)}, ToolCallPart{tool_call_of(bad)}},
              .at = *good.started_at};
    Step told{.id = "s3",
              .task = kTask,
              .seq = 2,
              .agent = "tool_executor",
              .role = Role::tool,
              .level = Level::error,
              .parts = {ToolResultPart{tool_result_of(good)}, ToolResultPart{tool_result_of(bad)}},
              .at = *good.completed_at};
    Step checked{.id = "s4",
                 .task = kTask,
                 .seq = 3,
                 .agent = "guard",
                 .role = Role::system,
                 .parts = {GuardrailPart{}},
                 .at = *good.completed_at};
    return {said("s1", Role::user, "When is high tide?", 0), asks, told, checked,
            said("s5", Role::assistant, "At nine.", 5)};
}

Dict<std::string> servers()
{
    Dict<std::string> servers;
    servers["search"] = "web";
    return servers;
}

Task done_task()
{
    return {.id = kTask,
            .kind = "critical",
            .description = "Ask about tides",
            .agent = "writer",
            .graph = "article",
            .status = TaskStatus::completed,
            .reply = Reply{.task = kTask, .agent = "writer", .text = "At nine."},
            .created_at = kStart,
            .started_at = kStart,
            .completed_at = kStart + std::chrono::seconds(5)};
}

}  // namespace

TEST_CASE("steps are shown as messages of four roles; what says nothing is not a message")
{
    const auto messages = framework::messages(history(), servers());
    REQUIRE(messages.size() == 5);
    CHECK(messages[0].role == Role::user);
    CHECK(messages[0].content == "When is high tide?");
    CHECK(!messages[0].tool_calls);
    CHECK(messages[1].role == Role::assistant);
    REQUIRE(messages[1].tool_calls);
    CHECK(messages[1].tool_calls->at(0) == framework::ToolCall{.id = "7c9e6679-7425-40de-944b-e07fc1f90ae7",
                                                               .server = "web",
                                                               .tool = "search",
                                                               .arguments = {{"q", "tides"}}});
    CHECK(messages[2].role == Role::tool);
    CHECK(messages[2].content == R"({"hits":3})");
    CHECK(messages[3].content == "no net");
    CHECK(messages[4].content == "At nine.");
    for (const auto& message : messages) CHECK(problems_of(message).text() == "");
}

TEST_CASE("a trace is rebuilt from the history, equal to the letter")  // UNI-04 U
{
    auto steps = history();
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].seq = static_cast<std::int64_t>(i);
    const auto session = framework::session_view(
        Task{.id = "b1f0c2d3-e4f5-4a6b-9c7d-8e9f0a1b2c3d", .parent = kTask, .description = "d", .agent = "reader"},
        std::span(steps).first(2));
    const auto first = to_json_text(framework::trace(done_task(), steps, {&session, 1}, servers()));

    // trace.json is gone; history.jsonl, one line a step, is all there is
    std::string history_jsonl;
    for (const Step& step : steps) history_jsonl += to_json_text(agentx::to_task_step(step)) + "\n";
    std::vector<Step> again;
    std::istringstream lines(history_jsonl);
    for (std::string line; std::getline(lines, line);)
        again.push_back(agentx::from_task_step(from_text<agentx::TaskStep>(line), kTask, std::ssize(again)));
    CHECK(again == steps);
    CHECK(to_json_text(framework::trace(done_task(), again, {&session, 1}, servers())) == first);

    // so it is with the other views
    CHECK(framework::messages(again, servers()) == framework::messages(steps, servers()));
    CHECK(domains::view(Session{}, again) == domains::view(Session{}, steps));
    CHECK(domains::view(Session{}, again).messages.size() == 2);
    CHECK(to_json_text(orchestration::view(done_task(), nullptr, again)) ==
          to_json_text(orchestration::view(done_task(), nullptr, steps)));

    const auto log = from_text<framework::TraceLog>(first);
    CHECK(log.task_id == kTask);
    REQUIRE(log.steps.size() == 5);
    CHECK(log.steps[0].message == "When is high tide?");
    CHECK(log.steps[1].message == "calls search, search");
    REQUIRE(log.steps[1].tool_calls.size() == 2);
    CHECK(log.steps[1].tool_calls[0] == framework::ToolCallRecord{.server = "web",
                                                                  .tool = "search",
                                                                  .arguments = {{"q", "tides"}},
                                                                  .result = json::object{{"hits", 3}},
                                                                  .duration_ms = 2000});
    CHECK(log.steps[1].tool_calls[1].error == "no net");
    CHECK(log.steps[2].message == "2 tool results");
    CHECK(log.steps[2].status == Level::error);
    CHECK(log.updated_at == kStart + std::chrono::seconds(5));
    const auto* info = log.sub_agent_sessions.find("b1f0c2d3-e4f5-4a6b-9c7d-8e9f0a1b2c3d");
    REQUIRE(info);
    CHECK(info->message_count == 2);
    CHECK(info->status == SubAgentStatus::running);
}

TEST_CASE("a checkpoint shows the messages of the steps that its state refers to")
{
    const model::Checkpoint kernel{.id = "9b2d4f6a-8c1e-4a3b-b5d7-0f9e8d7c6b5a",
                                   .task = kTask,
                                   .seq = 2,
                                   .state = {.messages = {"s1", "s2"}, .current_agent = "writer"},
                                   .position = "review",
                                   .awaiting_human = true,
                                   .created_at = kStart,
                                   .resumed_at = kStart + std::chrono::seconds(1)};
    const auto shown = framework::view(kernel, history(), servers());
    CHECK(shown.state.messages.size() == 2);
    CHECK(shown.sequence == 2);
    CHECK(shown.awaiting_human);
    CHECK(shown.ext == json::object{{"schema_version", "1.0.0"}, {"resumed_at", "2026-01-12T09:00:01Z"}});
    CHECK(problems_of(shown).text() == "");
}

TEST_CASE(
    "000's state: messages are appended and the prefix stays; every other field is replaced")  // STATE-14 U, STATE-15 U
{
    framework::State state{
        .messages = framework::messages(history()), .current_agent = "writer", .metadata = {{"a", 1}}};
    state.messages.resize(3);
    const auto after = updated(state, parse_json(R"({"messages":[{"role":"user","content":"more"}],"metadata":{"b":2},
                                                     "routing_key":"k"})")
                                          .as_object());
    REQUIRE(after.messages.size() == 4);
    CHECK(std::equal(state.messages.begin(), state.messages.end(), after.messages.begin()));
    CHECK(after.messages[3].content == "more");
    CHECK(after.metadata == json::object{{"b", 2}});
    CHECK(after.routing_key == "k");
    CHECK(error_of([&] { updated(state, json::object{{"messages", "none"}}); }) ==
          "invalid: messages: must be a list, is text");
}

TEST_CASE("a task is shown with 000's four statuses, what else there is to say is in ext")
{
    const auto policy = framework::standard_retention();
    Task task = done_task();
    auto shown = framework::view(task, policy);
    CHECK(shown.status == framework::TaskStatus::completed);
    CHECK(shown.result == "At nine.");
    CHECK(shown.retention_days == 30);  // the effective number, by its kind
    CHECK(shown.ext == json::object{{"schema_version", "1.0.0"}, {"kind", "critical"}, {"graph", "article"}});
    CHECK(problems_of(shown).text() == "");

    task.completed_at.reset();
    task.reply.reset();
    for (const auto status : {TaskStatus::running, TaskStatus::paused, TaskStatus::waiting}) {
        task.status = status;
        CHECK(framework::view(task, policy).status == framework::TaskStatus::running);
    }
    CHECK(framework::view(task, policy).ext.at("status") == "waiting");
    task.status = TaskStatus::cancelled;
    shown = framework::view(task, policy);
    CHECK(shown.status == framework::TaskStatus::failed);
    CHECK(shown.error == "cancelled");
}

TEST_CASE("retention: the task's own number, then its kind's, its status's, the default")  // TRACE-19 U
{
    const auto policy = framework::standard_retention();
    struct {
        const char* kind;
        TaskStatus status;
        std::optional<int> own;
        int days;
    } const cases[] = {
        {"", TaskStatus::completed, {}, 7},       {"", TaskStatus::failed, {}, 14},
        {"", TaskStatus::cancelled, {}, 14},      {"other", TaskStatus::running, {}, 7},
        {"critical", TaskStatus::failed, {}, 30}, {"debug", TaskStatus::failed, {}, 3},
        {"critical", TaskStatus::failed, 1, 1},   {"", TaskStatus::completed, 0, 0},
    };
    for (const auto& c : cases) {
        CAPTURE(c.kind);
        const Task task{.kind = c.kind, .status = c.status, .retention_days = c.own};
        CHECK(retention_days(task, policy) == c.days);
    }
    CHECK(retention_days(Task{.status = TaskStatus::failed}, framework::RetentionPolicy{}) == 7);
    CHECK(default_of<framework::RetentionPolicy>("default_days") == "7");
}

TEST_CASE("traces go some days after a task's end, and never before it")
{
    const auto policy = framework::standard_retention();
    Task task = done_task();
    CHECK(purge_time(task, policy) == *task.completed_at + std::chrono::days(30));
    task.status = TaskStatus::running;
    task.completed_at.reset();
    CHECK(!purge_time(task, policy));
    CHECK(problems_with<framework::RetentionPolicy>("default_days", "-1") == "default_days: must be at least 0, is -1");
    CHECK(problems_with<framework::RetentionPolicy>("by_task", R"({"x":-1})") ==
          "by_task.x: must be at least 0, is -1");
    CHECK(problems_with<framework::RetentionPolicy>("by_status", R"({"running":1})") ==
          "by_status.running: must be completed, failed or cancelled: only what has ended is purged");
}

TEST_CASE("an agent goes into 000's file and comes back whole")
{
    model::Agent agent{.name = "light_agent",
                       .role = "Controls the lights",
                       .llm_config = LlmConfig{.provider = "openai",
                                               .model = "m",
                                               .max_tokens = 100,
                                               .api_key = "${KEY}",
                                               .base_url = "http://x/v1",
                                               .timeout = 9},
                       .tools = {"switch"},
                       .max_parallel_tasks = 2,
                       .prompt = "You switch.",
                       .alias = "lamp",
                       .max_iterations = 4,
                       .temperature = 0.2,
                       .card = {.description = "lights", .tags = {"home"}}};
    const framework::Agent shown = framework::view(agent, LlmConfig{});
    CHECK(shown.system_prompt == "You switch.");
    CHECK(shown.llm_config.endpoint == "http://x/v1");
    CHECK(shown.temperature == 0.2);
    CHECK(problems_of(shown).text() == "");
    const auto back = [](const framework::Agent& file) {
        return framework::from(from_text<framework::Agent>(to_json_text(file)));
    };
    CHECK(back(shown) == agent);
    agent.llm_config->temperature = 1.1;  // and the agent's own is 0.2
    CHECK(back(framework::view(agent, {})) == agent);
    agent.temperature.reset();
    CHECK(framework::view(agent, {}).temperature == 1.1);
    CHECK(back(framework::view(agent, {})) == agent);

    agent.llm_config.reset();
    const LlmConfig team{.provider = "openai",
                         .model = "team-model",
                         .temperature = 1.5,
                         .api_key = "${TEAM_KEY}",
                         .base_url = "http://team"};
    framework::Agent file = framework::view(agent, team);
    CHECK(file.llm_config.model == "team-model");
    CHECK(file.temperature == 1.5);
    CHECK(back(file) == agent);
    agent.temperature = 0.3;
    CHECK(back(framework::view(agent, team)) == agent);
    agent.temperature.reset();
    // what somebody changes in the file holds
    file.llm_config.model = "own-model";
    file.temperature = 0.1;
    REQUIRE(back(file).llm_config);
    CHECK(back(file).llm_config->model == "own-model");
    CHECK(back(file).llm_config->provider == "openai");
    CHECK(back(file).temperature == 0.1);

    agent.prompt.reset();
    agent.prompt_template = "prompts/light.j2";
    CHECK(back(framework::view(agent, team)) == agent);

    // the loss that the header names
    agent.llm_config = LlmConfig{.model = "m", .api_key = "sk-literal"};
    CHECK(to_json_text(framework::view(agent, team)).find("sk-literal") == std::string::npos);
    CHECK_FALSE(back(framework::view(agent, team)).llm_config->api_key);
}

TEST_CASE("a tool goes into 000's form and comes back whole")
{
    const model::Tool search{.name = "search",
                             .type = ToolType::mcp,
                             .timeout = 20,
                             .description = "Searches.",
                             .input_schema = json::object{{"type", "object"}},
                             .server = "web",
                             .fallback_tools = {"old_search"},
                             .effect = Effect::pure};
    CHECK(framework::view(search).server == "web");
    CHECK(framework::view(search).timeout_seconds == 20);
    CHECK(framework::from(from_text<framework::Tool>(to_json_text(framework::view(search)))) == search);
    const model::Tool own{.name = "clock", .type = ToolType::builtin};
    framework::Tool file = framework::view(own);
    CHECK(file.server == "builtin");
    CHECK(file.timeout_seconds == 300);
    CHECK(framework::from(from_text<framework::Tool>(to_json_text(file))) == own);
    file.timeout_seconds = 5;
    file.input_schema["required"] = json::array{"zone"};
    CHECK(framework::from(file).timeout == 5);
    CHECK(framework::from(file).input_schema == file.input_schema);
}
