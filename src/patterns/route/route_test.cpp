#include "patterns/route/route_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;
using namespace std::chrono_literals;
using model::TaskStatus;
using model::orchestration::Dispatch;

namespace {

[[noreturn]] std::string unavailable(const llm::Request&)
{
    throw llm::ModelError(Code::upstream, "Music Assistant service is unavailable (HTTP 503)", true);
}

}  // namespace

TEST_CASE("ORCH 1: a confident route: the agent's text unchanged, and what was chosen is kept")  // A2A-32 U, A2A-42 U
{
    SmartHome world;
    world.answers["light_agent"] = [](const llm::Request&) { return "I've turned on the kitchen lights."; };
    const TaskState state = world.route_out();
    CHECK(ending(state) == "I've turned on the kitchen lights.");
    CHECK(state.reply->formatted->at("agentSelections") == boost::json::array{"light-agent"});
    CHECK(state.reply->formatted->at("routingConfidence") == 0.95);
    const auto response = SmartHome::response(state, 0);
    CHECK(response.at("success") == true);
    CHECK_FALSE(response.contains("errorMessage"));
    // the catalogue, with tags and examples
    CHECK(world.told_router(1).find("light-agent: Lighting control [lights, scenes] e.g. \"Turn on the light\"") !=
          std::string::npos);
    CHECK(world.told_router(1).find("\nrouter:") == std::string::npos);
}

TEST_CASE("ORCH 2: an ambiguous request is asked back, and continues as the same task")  // A2A-33 U
{
    SmartHome world({choice_text("climate-agent", 0.45), choice_text("climate-agent", 0.9)});
    TaskState state = world.route_out("Make it warmer");
    CHECK(state.status == TaskStatus::waiting);
    REQUIRE(state.questions.size() == 1);
    CHECK(state.questions[0].request.context.at("question") ==
          "I am not sure what you mean. Is it for climate-agent or light-agent?");
    CHECK(world.asked_as("climate_agent") == 0);
    state = world.say("the living room temperature");
    CHECK(ending(state) == "climate_agent is done.");
    const std::string heard = world.told_router(2);
    CHECK(heard.find("Make it warmer") != std::string::npos);
    CHECK(heard.find("the living room temperature") != std::string::npos);
}

TEST_CASE("case 4: the question is answered after a restart and three days")
{
    SmartHome world({choice_text("climate-agent", 0.45), choice_text("climate-agent", 0.9)});
    CHECK(world.route_out("Make it warmer").status == TaskStatus::waiting);
    world.restart();
    world.wait(sleep_for(72h));
    CHECK(ending(world.say("the living room temperature")) == "climate_agent is done.");
    CHECK(world.wait(world.commands->replay(kAnn, world.last)).diverged == "");
}

TEST_CASE("after two questions that do not help, the fallback answers")
{
    SmartHome world({choice_text("climate-agent", 0.45)});
    CHECK(world.route_out("Make it so").status == TaskStatus::waiting);
    CHECK(world.say("so").status == TaskStatus::waiting);
    CHECK(ending(world.say("you know")) == "No agent can deal with this: it is still not clear what is meant.");

    SmartHome with_agents({choice_text("climate-agent", 0.45)}, {"clarification_agent", "fallback_agent"});
    with_agents.answers["clarification_agent"] = [](const llm::Request&) { return "Where, please?"; };
    TaskState state = with_agents.route_out("Make it so");
    CHECK(state.questions.at(0).request.context.at("question") == "Where, please?");
    with_agents.say("so");
    CHECK(ending(with_agents.say("you know")) == "fallback_agent is done.");
}

TEST_CASE(
    "ORCH 3: broken router output is tried again with the exact error, then the fallback answers")  // A2A-57 U, A2A-34 U
{
    const std::string toaster = R"({"agentId":"toaster-agent","confidence":0.99})";
    SmartHome world({"not json", toaster, choice_text("light-agent", 0.9)});
    CHECK(ending(world.route_out()) == "light_agent is done.");
    CHECK(world.asked_as("router") == 3);
    CHECK(world.told_router(2).find("there is text before the JSON") != std::string::npos);
    CHECK(world.told_router(3).find("agentId") != std::string::npos);

    SmartHome bad({"not json", toaster, R"({"agentId":"light-agent","confidence":1.01})"}, {"fallback_agent"});
    bad.setup.settings.router_executor.fallback_reason_template = "Sorry, \"{0}\" went wrong: {1}!";
    CHECK(ending(bad.route_out()) == "fallback_agent is done.");
    CHECK(bad.asked_as("router") == 3);
    const std::string told = bad.model->requests.back().messages.back()->text;
    CHECK(told.starts_with("Sorry, \"Turn on the kitchen lights\" went wrong: the router could not decide"));
}

TEST_CASE("case 1: prose around fenced JSON is an attempt, told why; case 2: so is the primary among the others")
{
    SmartHome world({"Here it is:\n```json\n" + choice_text("light-agent", 0.9) + "\n```",
                     choice_text("light-agent", 0.9, "light-agent"), choice_text("light_agent", 0.9)});
    CHECK(ending(world.route_out()) == "light_agent is done.");
    CHECK(world.told_router(2).find("there is text before the JSON") != std::string::npos);
    CHECK(world.told_router(3).find("additionalAgents[0]: is the primary agent already") != std::string::npos);
}

TEST_CASE("case 3: two attempts fail at the vendor, the third is right")
{
    SmartHome world;
    int calls = 0;
    const auto usual = world.model->answer;
    world.model->answer = [&](const llm::Request& request) {
        if (request.agent == "router" && ++calls < 3) throw llm::ModelError(Code::timeout, "too slow", true);
        return usual(request);
    };
    CHECK(ending(world.route_out()) == "light_agent is done.");
    CHECK(calls == 3);
}

TEST_CASE("ORCH 4: two agents, one fails three times: the answer says both")  // A2A-44 U, A2A-70 U, A2A-71 U
{
    SmartHome world({choice_text("light-agent", 0.9, "music-agent")});
    world.answers["light_agent"] = [](const llm::Request&) { return "I've dimmed the lights to 30%."; };
    world.answers["music_agent"] = unavailable;
    const TaskState state = world.route_out("Dim the lights and play jazz");
    CHECK(state.status == TaskStatus::completed);
    CHECK(ending(state) ==
          "I've dimmed the lights to 30%. However, Music Assistant service is unavailable (HTTP 503).");
    CHECK(world.asked_as("music_agent") == 3);
    const auto failed = SmartHome::response(state, 1);
    CHECK(failed.at("errorMessage") == "Music Assistant service is unavailable (HTTP 503)");
    CHECK(failed.at("executionTimeMs") == 2000);
    // the second one has heard the first
    CHECK(world.model->requests.back().messages.back()->text ==
          "light-agent has answered: I've dimmed the lights to 30%.");
}

TEST_CASE("ORCH 5: a slow agent does not hold the others")  // A2A-69 U
{
    SmartHome world({choice_text("light-agent", 0.9, "music-agent")});
    world.setup.settings.orchestration.dispatch = Dispatch::parallel;
    world.setup.settings.agent_executor_wrapper.default_timeout_ms = 300;
    auto slow = world.add_tool("pay_slowly", model::Effect::pure);
    slow->takes = 60s;
    world.team->agents[1].tools.push_back("pay_slowly");
    const auto usual = world.model->answer;
    world.model->answer = [&](const llm::Request& request) {
        return request.agent == "music_agent" ? calls("pay_slowly") : usual(request);
    };
    const Time begun = world.loop.clock().now();
    const TaskState state = world.route_out();
    CHECK((world.loop.clock().now() - begun) < 500ms);
    CHECK(ending(state) == "light_agent is done. However, music-agent timed out after 300 ms.");
    CHECK(SmartHome::response(state, 1).at("executionTimeMs").as_int64() >= 300);
    CHECK(SmartHome::response(state, 1).at("executionTimeMs").as_int64() < 400);
    CHECK(world.asked_as("music_agent") == 1);  // a timeout is not tried again
}

TEST_CASE("case 7: at once, one slow, one tried again, one fine: replies in the order of the list")
{
    SmartHome world({to_text(boost::json::object{
        {"agentId", "light-agent"}, {"confidence", 0.9}, {"additionalAgents", {"music-agent", "climate-agent"}}})});
    world.setup.settings.orchestration.dispatch = Dispatch::parallel;
    world.answers["music_agent"] = [&](const llm::Request& request) {
        return world.asked_as("music_agent") < 2 ? unavailable(request) : "Music plays.";
    };
    const TaskState state = world.route_out();
    CHECK(ending(state) == "light_agent is done. Also, Music plays. Also, climate_agent is done.");
    CHECK(world.asked_as("music_agent") == 2);
}

TEST_CASE("all agents fail: the task has failed, and has the fallback text to say")  // A2A-45 U
{
    SmartHome world({choice_text("music-agent", 0.9)});
    world.answers["music_agent"] = unavailable;
    const TaskState state = world.route_out();
    CHECK(state.status == TaskStatus::failed);
    REQUIRE(state.reply);
    CHECK(state.reply->text == "I encountered an issue processing your request. Please try again.");
    CHECK_FALSE(state.reply->ok);
}

TEST_CASE("case 8: of 300 agents the router is told 20, those that compare best")
{
    std::vector<std::string> many;
    for (int i = 0; i < 300; ++i) many.push_back("agent_" + std::to_string(i));
    SmartHome world({choice_text("agent-7", 0.9), choice_text("light-agent", 0.9)}, many);
    FakeRouter router;
    world.env->router = &router;
    CHECK(ending(world.route_out()) ==
          "light_agent is done.");  // the stand-in finds one, and agent-7 is not among the 20
    CHECK(router.asked == 1);
    CHECK(world.told_router(1).find("agent-8:") == std::string::npos);
    world.crash();
}

TEST_CASE("without a model requests are compared here; auto asks a model only where that is not sure")
{
    class Unsure final : public Router {
    public:
        bool is_remote() const override { return false; }
        Async<Routed> route(RouteQuery query) override
        {
            const bool knows = query.text.find("light") != std::string::npos;
            model::Decision decision{.query = query.text, .confidence = knows ? 0.9 : 0.3};
            decision.targets = {knows ? "light_agent" : "music_agent"};
            decision.clarify = query.text.find("наука") != std::string::npos;
            co_return Routed{decision, "words"};
        }
    };
    Unsure router;
    {
        SmartHome world({choice_text("climate-agent", 0.9)});
        world.env->router = &router;
        world.setup.router = model::RouterKind::automatic;
        CHECK(ending(world.route_out("lights, please")) == "light_agent is done.");
        CHECK(world.asked_as("router") == 0);
        CHECK(ending(world.route_out("something else")) == "climate_agent is done.");
        CHECK(world.asked_as("router") == 1);
        world.crash();
    }
    SmartHome world;
    world.env->router = &router;
    world.setup.router = model::RouterKind::local;
    world.setup.has_model = false;
    CHECK(ending(world.route_out("lights, please")) == "light_agent is done.");
    CHECK(world.asked_as("router") == 0);
    // case 10: a request in another alphabet: nothing is called
    CHECK(world.route_out("наука").status == TaskStatus::waiting);
    CHECK(world.asked_as("music_agent") == 0);
    world.crash();
}

TEST_CASE(
    "every option of the router is in effect")  // A2A-58 U, A2A-59 U, A2A-61 U, A2A-62 U, A2A-63 U, A2A-64 U, A2A-66 U
{
    SmartHome world({choice_text("climate-agent", 0.6)});
    auto& options = world.setup.settings.router_executor;
    options.temperature = 0.1;
    options.max_output_tokens = 77;
    options.user_prompt_template = "{{{0}}} of {1}";
    options.agent_catalog_header = "Here are:";
    options.include_agent_capabilities = options.include_skill_examples = false;
    options.clarification_prompt_template = "You said {0}. Mean {1}?";
    const TaskState state = world.route_out("Warm");
    CHECK(world.model->requests[0].options.temperature == 0.1);
    CHECK(world.model->requests[0].options.max_tokens == 77);
    CHECK(world.told_router(1).starts_with("{Warm} of Here are:\nlight-agent: Lighting control\nmusic-agent:"));
    CHECK(state.questions.at(0).request.context.at("question") == "You said Warm. Mean climate-agent or light-agent?");
    options.confidence_threshold = 0.5;
    CHECK(ending(world.route_out("Warm")) == "climate_agent is done.");
    // without telemetry no time is measured
    world.setup.settings.agent_executor_wrapper.enable_telemetry = false;
    world.model->delay = 50ms;
    CHECK(SmartHome::response(world.route_out("Warm"), 0).at("executionTimeMs") == 0);
}

TEST_CASE("to explain, it is decided and nothing is done")
{
    SmartHome world({choice_text("climate-agent", 0.6)});
    const Id id = world.begin_route("Warm", {{"explain", true}});
    const TaskState state = world.rest(id);
    CHECK(ending(state) == "clarification-agent, 0.60 sure (threshold 0.70)\ncandidates: climate-agent or light-agent\n"
                           "why: lights");
    CHECK(state.reply->formatted->at("choice").at("agentId") == "clarification-agent");
    CHECK(world.asked_as("climate_agent") == 0);
}

TEST_CASE("a request comes to the same end after a crash at any of its records")
{
    const auto prepare = [](SmartHome& world, Dispatch dispatch) {
        world.setup.settings.orchestration.dispatch = dispatch;
        world.answers["music_agent"] = unavailable;
    };
    for (const Dispatch dispatch : {Dispatch::sequential, Dispatch::parallel}) {
        const std::vector<std::string> said{"no", choice_text("light-agent", 0.9, "music-agent")};
        SmartHome world(said);
        prepare(world, dispatch);
        const Id id = world.begin_route();
        const TaskState state = world.finish(id);
        CHECK(state.status == TaskStatus::completed);
        const auto journal = world.records(id);
        for (std::size_t length = 2; length < journal.size(); ++length) {
            CAPTURE(length);
            CAPTURE(journal[length - 1].path);
            SmartHome other({choice_text("light-agent", 0.9, "music-agent")});
            prepare(other, dispatch);
            TaskSpec pinned;
            other.pin(pinned);
            other.adopt(journal, length);
            CHECK(ending(other.finish(id)) == ending(state));
            CHECK(other.wait(other.commands->replay(kAnn, id)).diverged == "");
        }
    }
}
