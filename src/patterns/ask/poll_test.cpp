// Tools that answer "not yet" and are polled, and the plain rules of domains' tools.
#include "patterns/ask/ask_fixture.hpp"
#include "patterns/ask/domain_tool.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;
using namespace std::chrono_literals;
using patterns::DomainTool;
using patterns::ToolProgress;

namespace {

model::domains::Domain with_tools(std::vector<std::string> tools, boost::json::object ext = {})
{
    return {.name = "d", .mcp_tools = std::move(tools), .ext = std::move(ext)};
}

std::string pairs_in(const model::domains::Domain& domain)
{
    std::string all;
    for (const DomainTool& tool : patterns::tools_of(domain)) all += tool.name + ">" + tool.poll + " ";
    return all;
}

/// `inventory` has a tool that is done after so many polls.
struct Polling : Asking {
    explicit Polling(int polls, std::string word = "COMPLETED") : Asking(with_poll())
    {
        decides = [](const llm::Request&) { return decision_text("inventory"); };
        tools["query_inventory"]->answer = [](const cadre::tools::Call&) {
            return cadre::tools::Result{
                .text = R"({"status":"EXECUTING","conversation_id":"c1","message_id":"m1","rows":5})"};
        };
        tools["poll_inventory"]->answer = [this, polls, word](const cadre::tools::Call& call) {
            asked.push_back(call.arguments);
            const bool is_done = static_cast<int>(asked.size()) >= polls;
            return cadre::tools::Result{.text = R"({"status":")" + (is_done ? word : "running") +
                                                R"(","answer":"12","conversation_id":"c1","message_id":"m1"})"};
        };
    }
    static model::AskSetup with_poll()
    {
        model::AskSetup setup = shop();
        setup.domains[1].mcp_tools.push_back("poll_inventory");
        return setup;
    }
    std::vector<boost::json::object> asked;
};

}  // namespace

TEST_CASE("a tool that polls belongs to the one whose name ends like its own, and is not asked by itself")
{
    CHECK(pairs_in(with_tools({"query_space_01f", "poll_response_01f"})) == "query_space_01f>poll_response_01f ");
    CHECK(pairs_in(with_tools({"poll_b", "query_a", "poll_a", "query_b"})) == "query_a>poll_a query_b>poll_b ");
    CHECK(pairs_in(with_tools({"s.query_a", "s.poll_it"})) == "s.query_a>s.poll_it ");
    CHECK(pairs_in(with_tools({"start", "watch"}, {{"poll", "watch"}})) == "start>watch ");
    CHECK(pairs_in(with_tools({"search"})) == "search> ");
    CHECK_FALSE(patterns::can_be_asked(with_tools({"poll_a"})));
    CHECK(patterns::source_of(with_tools({})) == "d.genie");
    CHECK(patterns::source_of(with_tools({}, {{"source", "warehouse"}})) == "d.warehouse");
}

TEST_CASE("the question goes where the tool wants it, and the conversation only to one that takes it")
{
    const auto arguments = [](const char* schema) {
        model::Tool tool{.name = "t"};
        tool.input_schema = parse_json(schema).as_object();
        return to_text(boost::json::value(patterns::query_arguments(&tool, "Q", "c1")));
    };
    CHECK(arguments(R"({"properties":{"question":{"type":"string"}}})") == R"({"question":"Q"})");
    CHECK(arguments(R"({"properties":{"sql":{"type":"string"}},"required":["sql"]})") == R"({"sql":"Q"})");
    CHECK(arguments(R"({"properties":{"query":{},"conversation_id":{}}})") ==
          R"({"query":"Q","conversation_id":"c1"})");
    CHECK(to_text(boost::json::value(patterns::query_arguments(nullptr, "Q", ""))) == R"({"query":"Q"})");
    model::Tool demanding{.name = "t"};
    demanding.input_schema = parse_json(R"({"properties":{"query":{}},"required":["query","table"]})").as_object();
    CHECK_FALSE(patterns::takes_question(demanding));
}

TEST_CASE("what an answer says about how far it is")
{
    using What = ToolProgress::What;
    CHECK(patterns::progress_in("plain words", true).what == What::done);
    CHECK(patterns::progress_in(R"({"answer":1})", true).what == What::done);
    CHECK(patterns::progress_in(R"({"status":"queued"})", true).what == What::pending);
    CHECK(patterns::progress_in(R"({"status":"IN_PROGRESS"})", false).what == What::pending);
    CHECK(patterns::progress_in(R"({"status":"Succeeded"})", true).what == What::done);
    CHECK(patterns::progress_in(R"({"status":"CANCELLED"})", true).what == What::failed);
    CHECK(patterns::progress_in(R"({"status":"ok"})", false).what == What::done);  // a field like any other
    CHECK(patterns::progress_in(R"({"status":200})", true).what == What::done);
    CHECK(patterns::pause_before_poll(1) == 1s);
    CHECK(patterns::pause_before_poll(3) == 4s);
    CHECK(patterns::pause_before_poll(4) == 5s);
}

TEST_CASE("a tool that is not ready is polled with the ids of its answer, without a model, in one call")  // TOOL-47 U
{
    Polling world(3);
    const model::Reply reply = world.ask_out();
    CHECK(Asking::statuses(reply) == "inventory completed");
    CHECK(world.asked.size() == 3);
    CHECK(to_text(boost::json::value(world.asked[0])) == R"({"conversation_id":"c1","message_id":"m1"})");
    REQUIRE(reply.calls.size() == 1);
    CHECK(reply.calls[0].attempts == 4);
    CHECK(reply.calls[0].tool == "query_inventory");
    CHECK(model::duration_ms(reply.calls[0]) == 1000 + 2000 + 4000);
    CHECK(reply.calls[0].result->at("answer") == "12");
    CHECK(world.asked_as("router") == 1);
    CHECK(world.asked_as("analyst") == 1);
}

TEST_CASE("case 6: an unknown status word is a failure with that word")
{
    Polling world(1, "EXPLODED");
    const model::Reply reply = world.ask_out();
    CHECK(Asking::statuses(reply) == "inventory failed");
    CHECK(reply.calls[0].error == R"(its status is "EXPLODED")");
}

TEST_CASE("a tool that never gets ready is a timeout at its limit")  // TOOL-48 U
{
    Polling world(1000);
    const model::Reply reply = world.ask_out();
    CHECK(Asking::statuses(reply) == "inventory timeout");
    CHECK(model::duration_ms(reply.calls[0]) == 50'000);
    CHECK(reply.elapsed_ms >= 50'000);
    CHECK(reply.elapsed_ms < 51'000);
    CHECK(world.asked.size() == 11);  // after 1, 3, 7, 12 … 47 s
}

TEST_CASE("a tool that is not ready, of a domain that cannot poll, is a failure that says so")
{
    Asking world;
    world.decides = [](const llm::Request&) { return decision_text("pricing"); };
    world.tools["query_pricing"]->answer = [](const cadre::tools::Call&) {
        return cadre::tools::Result{.text = R"({"status":"running"})"};
    };
    CHECK(world.ask_out().calls[0].error == R"(its status is "running", and the domain has no tool to ask again)");
}

TEST_CASE("a question that is polled comes to the same end after a crash at any of its records")
{
    Polling world(2);
    const Id id = world.begin_ask();
    const TaskState state = world.finish(id);
    REQUIRE(state.reply);
    const auto journal = world.records(id);
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        CAPTURE(journal[length - 1].path);
        Polling other(1);
        TaskSpec pinned;
        other.pin(pinned);
        other.adopt(journal, length);
        const TaskState end = other.finish(id);
        REQUIRE(end.reply);
        CHECK(end.reply->text == state.reply->text);
        CHECK(end.reply->calls[0].status == model::CallStatus::completed);
        CHECK(other.wait(other.commands->replay(kAnn, id)).diverged == "");
    }
}
