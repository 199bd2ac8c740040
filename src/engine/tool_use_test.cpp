#include "engine/test_world.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;

using model::TaskStatus;

namespace {

/// An agent that calls one tool with what its script says, and answers with what came of it.
struct Desk : World {
    Desk()
    {
        patterns.add({"call@1", [](Run& run) -> Async<model::Reply> {
                          run.tell("Go.");
                          const Step step = co_await run.think(run.agent());
                          const auto replies = co_await run.use(run.agent(), step.calls);
                          std::string text;
                          for (const ToolReply& reply : replies)
                              text += (reply.is_error ? "! " : "") + reply.text + "\n";
                          co_return run.reply(text);
                      }});
        model->answer = [](const llm::Request&) { return calls("first", {{"path", "a"}}); };
        restart();
    }
    model::Tool& tool(const std::string& name) { return *std::ranges::find(team->tools, name, &model::Tool::name); }
    TaskState go() { return rest(begin("call@1", {.agent = "worker"})); }
};

}  // namespace

TEST_CASE("a tool that fails is followed by those that are declared to stand in, and the model hears of it")
{
    Desk desk;
    const auto first = desk.add_tool("first", model::Effect::idempotent);
    const auto second = desk.add_tool("second", model::Effect::pure);
    const auto third = desk.add_tool("third", model::Effect::pure);
    desk.team = team_of({"first"});
    desk.team->tools.push_back({.name = "first", .fallback_tools = {"second", "third"}});
    first->answer = [](const tools::Call&) { return tools::Result{.text = "no luck", .is_error = true}; };
    second->answer = [](const tools::Call&) -> tools::Result { throw Error(Code::upstream, "it broke"); };
    third->answer = [](const tools::Call&) { return tools::Result{.text = "found"}; };
    const TaskState state = desk.go();
    CHECK(state.reply->text == "[first failed: no luck\nsecond failed: it broke\nthird was called instead]\nfound\n");
    CHECK(desk.wait(desk.commands->replay(kAnn, state.id)).diverged == "");
}

TEST_CASE("of a call that may have happened nobody is asked when something stands in for it")
{
    Desk desk;
    const auto first = desk.add_tool("first", model::Effect::once);
    desk.add_tool("second", model::Effect::pure);
    desk.team = team_of({"first"});
    desk.team->tools.push_back({.name = "first", .timeout = 2, .fallback_tools = {"second"}});
    first->takes = 10s;
    const TaskState state = desk.go();
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text.find("it is not known whether the call happened") != std::string::npos);
    CHECK(state.reply->text.find("done") != std::string::npos);
    CHECK(first->dispatched.size() == 1);

    // also when it was the process that ended
    const Id id = desk.begin("call@1", {.agent = "worker"});
    desk.wait(sleep_for(1s));
    desk.restart();
    desk.wait(desk.host->wake(id));
    CHECK(desk.rest(id).reply->text.find("the process ended during the call") != std::string::npos);
    CHECK(first->dispatched.size() == 2);
}

TEST_CASE("a tool is called again as its policy says, each time under a key of its own")
{
    Desk desk;
    const auto first = desk.add_tool("first", model::Effect::once);
    desk.team = team_of({"first"});
    desk.team->tools.push_back({.name = "first", .retry_policy = {{"max_retries", 2}, {"delay", 1}}});
    first->answer = [&](const tools::Call& call) {
        return tools::Result{.text = "attempt " + std::to_string(call.attempt), .is_error = call.attempt < 3};
    };
    CHECK(desk.go().reply->text == "attempt 3\n");
    REQUIRE(first->dispatched.size() == 3);
    CHECK(std::set(first->dispatched.begin(), first->dispatched.end()).size() == 3);
}

TEST_CASE("a call whose outcome is not known is made again under the same key, where that does no harm and the policy "
          "says so")
{
    for (const auto effect :
         {model::Effect::pure, model::Effect::idempotent, model::Effect::keyed, model::Effect::once}) {
        CAPTURE(static_cast<int>(effect));
        Desk desk;
        const auto first = desk.add_tool("first", effect);
        desk.team = team_of({"first"});
        desk.team->tools.push_back(
            {.name = "first", .retry_policy = {{"max_retries", 1}, {"delay", 1}}, .effect = effect});
        first->answer = [&](const tools::Call& call) -> tools::Result {
            if (call.attempt == 1) throw Error(Code::upstream, "the server ended");
            return {.text = "found"};
        };
        const TaskState state = desk.go();
        if (effect == model::Effect::once) {
            CHECK(state.status == TaskStatus::waiting);
            CHECK(first->dispatched.size() == 1);
            continue;
        }
        CHECK(state.reply->text == "found\n");
        REQUIRE(first->dispatched.size() == 2);
        CHECK(first->dispatched[0] == first->dispatched[1]);
        CHECK(desk.wait(desk.commands->replay(kAnn, state.id)).diverged == "");
    }
}

TEST_CASE("rules refuse, allow and ask, by arguments")
{
    Desk desk;
    const auto first = desk.add_tool("first", model::Effect::once);
    desk.team = team_of({"first"});
    desk.team->permissions = {.deny = {"first:path=/etc/*"}, .allow = {"first:path=a"}, .ask = {"first"}};
    CHECK(desk.go().reply->text == "done\n");
    desk.model->answer = [](const llm::Request&) { return calls("first", {{"path", "/etc/shadow"}}); };
    CHECK(desk.go().reply->text ==
          "! This call of first is forbidden here, with {\"path\":\"/etc/shadow\"}, by the rule "
          "\"first:path=/etc/*\" in permissions.deny.\n");
    desk.model->answer = [](const llm::Request&) { return calls("first", {{"path", "b"}}); };
    const TaskState state = desk.go();
    CHECK(state.status == TaskStatus::waiting);
    CHECK(first->dispatched.size() == 1);
}

TEST_CASE("five failures in a row keep further calls from a tool, until it has had a rest")
{
    Desk desk;
    const auto first = desk.add_tool("first", model::Effect::pure);
    desk.team = team_of({"first"});
    first->answer = [](const tools::Call&) -> tools::Result { throw Error(Code::upstream, "broken"); };
    for (int i = 0; i < 5; ++i) CHECK(desk.go().reply->text == "! broken\n");
    CHECK(desk.go().reply->text.starts_with("! circuit_open: first has failed several times in a row"));
    CHECK(first->dispatched.size() == 5);
    first->answer = nullptr;
    desk.wait(sleep_for(31s));
    CHECK(desk.go().reply->text == "done\n");
}

TEST_CASE("no more calls of a tool are under way than it bears")
{
    Desk desk;
    const auto first = desk.add_tool("first", model::Effect::pure);
    desk.team = team_of({"first"});
    desk.team->tools.push_back({.name = "first", .max_parallel = 2});
    first->takes = 1s;
    desk.model->answer = [](const llm::Request&) {
        llm::Completion completion = calls("first");
        for (int i = 0; i < 4; ++i) completion.calls.push_back(completion.calls[0]);
        return completion;
    };
    const Instant begin = desk.loop.now();
    CHECK(desk.go().status == TaskStatus::completed);
    CHECK(desk.loop.now() - begin >= 3s);
    CHECK(first->dispatched.size() == 5);
}

TEST_CASE("an answer that is not what the tool promised is an error")
{
    Desk desk;
    const auto first = desk.add_tool("first", model::Effect::pure);
    first->mutable_definition().output_schema = {{"type", "object"}, {"required", boost::json::array{"sum"}}};
    desk.team = team_of({"first"});
    first->answer = [](const tools::Call&) { return tools::Result{.text = R"({"total":5})"}; };
    CHECK(desk.go().reply->text.starts_with("! The answer of first does not fit its output_schema"));
    first->answer = [](const tools::Call&) { return tools::Result{.text = R"({"sum":5})"}; };
    CHECK(desk.go().reply->text == "{\"sum\":5}\n");
}

TEST_CASE("a person who does not answer in time is followed by the next one")
{
    Desk desk;
    desk.team = team_of({"first"});
    desk.team->tools.push_back({.name = "first",
                                .type = model::ToolType::hitl,
                                .config = {{"request", "approval"}},
                                .timeout = 60,
                                .escalation_policy = "boss"});
    desk.team->tools.push_back({.name = "boss", .type = model::ToolType::hitl, .timeout = 600});
    const Id id = desk.begin("call@1", {.agent = "worker"});
    TaskState state = desk.rest(id);
    REQUIRE(state.questions.size() == 1);
    CHECK(state.questions[0].request.type == model::HumanRequestType::approval);
    desk.crash();  // the time comes while nobody is there
    desk.wait(sleep_for(90s));
    desk.start();
    desk.wait(desk.host->wake(id));
    state = desk.rest(id);
    REQUIRE(state.questions.size() == 1);
    CHECK(state.questions[0].request.type == model::HumanRequestType::escalation);
    CHECK(state.questions[0].request.context.at("policy") == "boss");
    desk.wait(desk.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve, .message = "go ahead"}, false));
    CHECK(desk.rest(id).reply->text == "go ahead\n");
}

namespace {

class Asking final : public tools::Tool {
public:
    Asking() { definition_ = {.name = "first", .effect = model::Effect::idempotent}; }
    const model::Tool& definition() const override { return definition_; }
    Async<tools::Result> call(tools::Call, tools::ToolContext& context) override
    {
        const auto answer = co_await context.ask(model::HumanRequestType::feedback, {{"question", "Which?"}});
        tools::SampleRequest request{.system = "Be brief."};
        request.messages.push_back({model::Role::user, "About " + answer.message});
        const tools::Sample sample = co_await context.sample(std::move(request));
        co_return tools::Result{.text = answer.message + ": " + sample.text};
    }

private:
    model::Tool definition_;
};

llm::Completion asks_first(const llm::Request& request)
{
    return request.instructions == "Be brief." ? says("ok " + request.messages[0]->text) : calls("first");
}

/// Its tool asks a person and a model.
struct Counter : Desk {
    Counter()
    {
        registry.add(std::make_shared<Asking>());
        team = team_of({"first"});
        model->answer = asks_first;
    }
};

}  // namespace

TEST_CASE("what a tool asks in the course of a call is on record, and answered by people and models")
{
    Counter desk;
    const Id id = desk.begin("call@1", {.agent = "worker"});
    desk.wait(sleep_for(1s));
    const TaskState state = *desk.wait(desk.queries->task(kAnn, id));
    REQUIRE(state.questions.size() == 1);
    CHECK(state.questions[0].request.context.at("tool") == "first");
    desk.wait(desk.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve, .message = "blue"}, false));
    const TaskState ended = desk.rest(id);
    CHECK(ended.reply->text == "blue: ok About blue\n");
    CHECK(ended.steps == 2);
    CHECK(desk.wait(desk.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("a model call inside a tool's call for which no money is left fails, and holds up nobody")
{
    Counter desk;
    const Id id = desk.begin("call@1", {.agent = "worker", .budget = {.tokens = 2000}});
    desk.wait(sleep_for(1s));
    desk.wait(desk.commands->answer(kAnn, id, "",
                                    {.verb = model::HumanVerb::approve, .message = std::string(10'000, 'x')}, false));
    const TaskState state = desk.rest(id);
    CHECK(state.status == TaskStatus::completed);
    CHECK(state.reply->text.find("tokens") != std::string::npos);
}

TEST_CASE("a question that a call had asked before a crash is closed, and asked anew")
{
    Counter desk;
    const Id id = desk.begin("call@1", {.agent = "worker"});
    desk.wait(sleep_for(1s));
    const std::string before = desk.wait(desk.queries->task(kAnn, id))->questions.at(0).request.id;
    desk.restart();
    desk.wait(desk.host->wake(id));
    desk.wait(sleep_for(1s));
    const TaskState state = *desk.wait(desk.queries->task(kAnn, id));
    REQUIRE(state.questions.size() == 1);
    CHECK(state.questions[0].request.id != before);
    desk.wait(desk.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve, .message = "red"}, false));
    CHECK(desk.rest(id).reply->text == "red: ok About red\n");
    CHECK(desk.wait(desk.commands->replay(kAnn, id)).diverged == "");
}
