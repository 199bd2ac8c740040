#include "engine/projections/test_home.hpp"
#include "engine/step_id.hpp"
#include "model/views/agentx_requests.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using storage::RecordKind;

TEST_CASE("the folder of a task that used a tool")
{
    Home home;
    home.look->answer = [](const tools::Call&) { return tools::Result{.text = R"({"sum":5})"}; };
    home.look->takes = 30ms;
    home.script({calls("look", {{"a", 2}, {"b", 3}}), says("The sum is 5.")});
    const Id id = home.begin("talk@1", about("What is 2+3?"));
    home.settle(id);

    const auto task = home.read_as<model::framework::Task>(id, layout::kTask);
    CHECK(task.id == to_string(id));
    CHECK(task.status == model::framework::TaskStatus::completed);
    CHECK(task.result == "The sum is 5.");
    CHECK(task.created_at <= *task.started_at);
    CHECK(*task.started_at <= *task.completed_at);
    CHECK(task.retention_days == 7);

    const auto trace = home.read_as<model::framework::TraceLog>(id, layout::kTrace);
    REQUIRE(trace.steps.size() == 4);  // the person, the model, the tool, the model
    CHECK(trace.steps[0].agent == "user");
    REQUIRE(trace.steps[1].tool_calls.size() == 1);
    const auto& call = trace.steps[1].tool_calls[0];
    CHECK(call.tool == "look");
    CHECK(call.arguments == boost::json::object{{"a", 2}, {"b", 3}});
    CHECK(call.result == boost::json::object{{"sum", 5}});
    CHECK_FALSE(call.error);
    CHECK(call.duration_ms == 30);
    CHECK(trace.steps[3].message == "The sum is 5.");
    CHECK(trace.steps[3].agent == "worker");
    CHECK(std::ranges::is_sorted(trace.steps, {}, &model::framework::StepRecord::timestamp));
    for (const auto& step : trace.steps) {
        CHECK_FALSE(step.step_name.empty());
        CHECK_FALSE(step.message.empty());
    }

    const auto history = home.history(id);
    REQUIRE(history.size() == 4);
    CHECK(history[2].parent_step_id == history[1].step_id);
    const auto& asked = std::get<model::ToolCallPart>(history[1].parts[0]).tool_call;
    CHECK(std::get<model::ToolResultPart>(history[2].parts[0]).tool_result.tool_call_id == asked.id);

    const auto performance = home.read_as<model::agentx::PerformanceFile>(id, layout::kPerformance);
    CHECK(performance.agents.find("worker")->calls == 2);
    CHECK(performance.tools.find("look")->longest_ms == 30);
    CHECK(performance.output_tokens == 10);
    CHECK(home.read(id, layout::kTeam).find("name: worker") != std::string::npos);
    const auto plan = model::from_text<model::agentx::PlanFile>(home.read(id, layout::kPlan));
    REQUIRE(plan.tasks.size() == 1);
    CHECK(plan.tasks[0] == model::PlanItem{.id = "worker",
                                           .agent = "worker",
                                           .action = "talk",
                                           .status = model::PlanItemStatus::completed});  // nothing was planned
    CHECK(home.read(id, layout::kBreakpoints) == "(none)");  // nor was it told where to stop
}

TEST_CASE("a question makes a checkpoint that waits, and its answer is history")
{
    Home home;
    home.script({calls("ask_human", {{"question", "Which colour?"}}), says("Blue it is.")});
    const Id id = home.begin("talk@1", about("Paint."));
    home.settle(id);
    auto first = home.read_as<model::framework::Checkpoint>(id, "checkpoint_000.json");
    CHECK(first.awaiting_human);
    CHECK(first.sequence == 0);
    CHECK(first.state.messages.size() == 2);
    CHECK(first.state.messages[0].content == "Paint.");
    CHECK(first.state.metadata.empty());  // the state is the user's
    CHECK(first.ext.at("path") == "use:1.0/ask:1");
    auto state = home.read_as<model::agentx::StateFile>(id, layout::kState);
    CHECK(state.reason == "hitl_intervention");
    REQUIRE(state.requests.size() == 1);

    home.wait(home.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve, .message = "the deep blue"}));
    home.settle(id);
    first = home.read_as<model::framework::Checkpoint>(id, "checkpoint_000.json");
    CHECK(first.ext.contains("resumed_at"));
    CHECK(home.read(id, "checkpoint_001.json") == "(none)");
    state = home.read_as<model::agentx::StateFile>(id, layout::kState);
    CHECK(state.requests.empty());
    CHECK_FALSE(state.reason);
    const auto history = home.history(id);
    REQUIRE(history.size() == 4);
    CHECK(std::get<model::ToolResultPart>(history[2].parts[0]).tool_result.result == "the deep blue");
    const auto trace = home.read_as<model::framework::TraceLog>(id, layout::kTrace);
    CHECK(trace.steps[1].tool_calls[0].result == boost::json::object{{"value", "the deep blue"}});
}

TEST_CASE("each log gets its kind of line, and a call that failed is an error")
{
    Home home;
    home.look->answer = [](const tools::Call&) { return tools::Result{.text = "no such place", .is_error = true}; };
    home.script({calls("look"), says("I cannot.")});
    const Id id = home.begin("talk@1", about("Look."));
    home.settle(id);
    const auto kinds = [&](std::size_t log) {
        std::vector<std::string> found;
        std::istringstream lines(home.read(id, layout::kLogs[log]));
        for (std::string line; std::getline(lines, line);)
            found.emplace_back(parse_json(line).at("event").at("type").as_string());
        return found;
    };
    using Kinds = std::vector<std::string>;
    CHECK(kinds(0) == Kinds{"event_task_start", "event_task_complete"});
    CHECK(kinds(1) == Kinds{"event_agent_start", "event_agent_complete", "event_agent_start", "event_agent_complete"});
    CHECK(kinds(2) == Kinds{"event_tool_call", "event_tool_result"});
    CHECK(kinds(3) == Kinds{"event_tool_result"});
    const auto trace = home.read_as<model::framework::TraceLog>(id, layout::kTrace);
    CHECK(trace.steps[2].status == model::Level::error);
    CHECK(trace.steps[1].tool_calls[0].error == "no such place");
}

TEST_CASE("pauses make checkpoints too, and breakpoints are listed")
{
    Home home;
    home.script({calls("look"), says("done")});
    TaskSpec spec = about("Look.");
    spec.breakpoints = {"tool:look"};
    const Id id = home.begin("talk@1", spec);
    home.settle(id);
    auto file = home.read_as<model::agentx::BreakpointsFile>(id, layout::kBreakpoints);
    CHECK(file.breakpoints == std::vector<std::string>{"tool:look"});
    CHECK(file.hits.size() == 1);
    CHECK(home.read_as<model::agentx::StateFile>(id, layout::kState).reason == "breakpoint");

    home.wait(home.commands->change_breakpoints(kAnn, id, {.clear = true}));
    home.wait(home.commands->resume(kAnn, id));
    home.settle(id);
    file = home.read_as<model::agentx::BreakpointsFile>(id, layout::kBreakpoints);
    CHECK(file.breakpoints.empty());
    const auto checkpoint = home.read_as<model::framework::Checkpoint>(id, "checkpoint_000.json");
    CHECK_FALSE(checkpoint.awaiting_human);
    CHECK(checkpoint.position == "worker");
}

TEST_CASE("a limit that was reached is a warning in the trace")
{
    Home home;
    home.team = team_of({"look"}, 2);
    home.script({calls("look"), calls("look")});
    const Id id = home.begin("talk@1", about("Look."));
    home.settle(id);
    const auto trace = home.read_as<model::framework::TraceLog>(id, layout::kTrace);
    CHECK(trace.steps.back().status == model::Level::warning);
    CHECK(trace.steps.back().message == "max_iterations (2) reached");
    CHECK(home.read_as<model::framework::Task>(id, layout::kTask).error == "max_iterations (2) reached");
}

TEST_CASE("a delegated task is a session of its own in its parent's folder")
{
    Home home;
    home.script({calls("look"), says("It is plum.")});
    const Id id = home.begin("delegate@1", about("Ask somebody."));
    home.settle(id);
    home.loop.run_until([&] { return fs::exists(home.folder(id) / "sub_agents"); });
    const auto trace = home.read_as<model::framework::TraceLog>(id, layout::kTrace);
    REQUIRE(trace.sub_agent_sessions.size() == 1);
    const auto& [session_id, info] = trace.sub_agent_sessions.item(0);
    const auto session = home.read_as<model::framework::SubAgentSession>(id, layout::sub_agent(session_id));
    CHECK(session.parent_task_id == to_string(id));
    CHECK(session.summary == "It is plum.");
    CHECK(session.status == model::SubAgentStatus::completed);
    CHECK(session.message_history.size() == static_cast<std::size_t>(info.message_count));
    CHECK(session.message_history.size() == 4);
    // the parent's own history has the summary alone
    home.loop.run_until([&] { return !home.projector->is_behind(id_from(session_id)); });
    CHECK(home.read(id, layout::kHistory).find("magic word") == std::string::npos);
    CHECK(home.read(id_from(session_id), layout::kHistory).find("magic word") != std::string::npos);
}

TEST_CASE("secrets are masked in every file, and what remains is valid")
{
    Home home;
    const std::string key = "sk-ant-api03-0123456789abcdefghijklmnopqrstuv";
    home.look->answer = [&](const tools::Call&) {
        return tools::Result{.text = R"({"api_key":")" + key + R"(","note":"Authorization: Bearer )" + key + R"("})"};
    };
    home.script({calls("look", {{"password", key}}), calls("ask_human", {{"question", "Is it " + key + "?"}}),
                 says("The key is " + key)});
    const Id id = home.begin("talk@1", about("Use " + key));
    home.settle(id);
    home.wait(home.commands->answer(kAnn, id, "", {.message = "yes, " + key}));
    home.settle(id);
    for (const auto& [name, text] : home.files(id)) {
        CAPTURE(name);
        CHECK(text.find(key) == std::string::npos);
        if (name.ends_with(".json")) CHECK_NOTHROW(parse_json(text));
        std::istringstream lines(text);
        if (name.ends_with(".jsonl") || name.ends_with(".log"))
            for (std::string line; std::getline(lines, line);) CHECK_NOTHROW(parse_json(line));
    }
    CHECK(home.history(id).size() == 6);
}

TEST_CASE("a checkpoint takes no more room when ten thousand came before it")
{
    Chronicle chronicle;
    const Id task = derived_id("long");
    std::uint32_t seq = 0;
    const auto add = [&](RecordKind kind, std::string body, std::uint32_t events) {
        ++seq;
        chronicle.apply({.tenant = "local",
                         .task = task,
                         .seq = seq,
                         .event_seq = events,
                         .kind = kind,
                         .path = "think:1",
                         .body = std::move(body)});
    };
    add(RecordKind::created, model::to_json_text(TaskSpec{.agent = "worker", .pattern = "x@1"}), 0);
    add(RecordKind::started, R"({"prompt":"Go.","mode":"step"})", 1);
    for (std::uint32_t i = 0; i < 10'000; ++i) {
        add(RecordKind::instruction, R"({"text":"on","by":"ann"})", 2 + 3 * i);
        add(RecordKind::pause, R"({"reason":"step_mode","text":""})", 3 + 3 * i);
        add(RecordKind::resume, R"({"steps":1,"by":"ann","continue":false})", 4 + 3 * i);
    }
    REQUIRE(chronicle.checkpoints().size() == 10'000);
    const auto size = [&](std::size_t i) { return model::to_json_text(chronicle.checkpoints()[i]).size(); };
    CHECK(size(9'999) - size(0) == 3);  // its number has three digits more
    CHECK(chronicle.places()[9'999].steps == 10'001);
}
