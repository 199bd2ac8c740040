#include "patterns/ask/ask_fixture.hpp"

#include "engine/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;
using namespace std::chrono_literals;
using model::Confidence;
using model::TaskStatus;

TEST_CASE("a question to one domain: its source, its call, an answer and suggestions")
{
    Asking world;
    world.decides = [](const llm::Request&) { return decision_text("customer_behavior", 0.92); };
    world.tools["query_customer_behavior"]->takes = 7000ms;
    const model::Reply reply = world.ask_out("What products are frequently abandoned in carts?");
    CHECK(reply.text == "All is well.");
    CHECK(reply.sources == std::vector<std::string>{"customer_behavior.genie"});
    CHECK(Asking::statuses(reply) == "customer_behavior completed");
    CHECK(model::duration_ms(reply.calls[0]) == 7000);
    CHECK(reply.calls[0].args == boost::json::object{{"query", "What products are frequently abandoned in carts?"}});
    CHECK(reply.confidence == Confidence::high);
    CHECK_FALSE(reply.partial);
    CHECK(reply.suggestions == std::vector<std::string>{"Shall I look at prices?"});
    // what a domain can do is what the router hears
    CHECK(world.model->requests[0].messages.back()->text.find("pricing analysis") != std::string::npos);
}

TEST_CASE("domains are asked at once, and stand in the answer in the order of the decision")  // DOM-29 U
{
    Asking world;
    world.tools["query_customer_behavior"]->takes = 400ms;
    world.tools["query_inventory"]->takes = 300ms;
    model::Reply reply = world.ask_out();
    CHECK(Asking::statuses(reply) == "customer_behavior completed, inventory completed");
    CHECK(reply.sources == std::vector<std::string>{"customer_behavior.genie", "inventory.genie"});
    CHECK(reply.elapsed_ms < 500);

    world.setup.options.max_parallel = 1;
    reply = world.ask_out();
    CHECK(reply.elapsed_ms >= 700);
}

TEST_CASE("a question that is not clear is asked back with two domains, and no tool is called")  // DOM-17 U
{
    Asking world;
    world.decides = [](const llm::Request&) { return decision_text("marketing pricing", 0.4, true); };
    const model::Reply reply = world.ask_out("Show me performance");
    CHECK(reply.text == "I am not sure what you mean. Is it about The marketing, or about The pricing?");
    CHECK(reply.calls.empty());
    CHECK(reply.sources.empty());
    CHECK(world.asked_as("analyst") == 0);
    for (const auto& [name, tool] : world.tools) CHECK(tool->dispatched.empty());

    world.decides = [](const llm::Request&) { return decision_text("marketing", 0.69); };
    CHECK(world.ask_out("Show me performance").calls.empty());
    world.setup.options.confidence_threshold = 0.5;
    CHECK(Asking::statuses(world.ask_out("Show me performance")) == "marketing completed");
}

TEST_CASE("a decision that breaks a rule is tried again with the exact problem, and given up after the last attempt")
{
    struct {
        const char* said;
        const char* told;
    } const cases[] = {
        {"I think: inventory", "there is text before the JSON"},
        {R"({"identified_domains":["inventory"],"reasoning":"","confidence":"high"})", "confidence"},
        {R"({"identified_domains":["inventory"],"reasoning":"","confidence":-0.1})", "confidence"},
        {R"({"identified_domains":["inventory"],"reasoning":"","confidence":1.2})", "confidence"},
        {R"({"identified_domains":["inventory"],"reasoning":"","confidence":NaN})", "JSON"},
        {R"({"identified_domains":["weather"],"reasoning":"","confidence":0.9})", "identified_domains/0"},
        {R"({"identified_domains":[],"reasoning":"","confidence":0.9})", "must not be empty"},
        {R"({"identified_domains":["inventory"],"reasoning":"","confidence":0.9,"ambiguity_detected":true})",
         "must explain the alternatives"},
        {"", "empty"},
    };
    for (const auto& one : cases) {
        const std::string said = one.said;
        CAPTURE(said);
        Asking world;
        world.decides = [&](const llm::Request&) {
            return world.asked_as("router") < 3 ? said : decision_text("inventory");
        };
        CHECK(Asking::statuses(world.ask_out()) == "inventory completed");
        REQUIRE(world.asked_as("router") == 3);
        CHECK(world.model->requests[1].messages.back()->text.find(one.told) != std::string::npos);

        world.model->requests.clear();
        world.decides = [&](const llm::Request&) { return said; };
        const model::Reply reply = world.ask_out();
        CHECK(world.asked_as("router") == 3);
        CHECK(reply.calls.empty());
        CHECK(reply.text.find("Is it about") != std::string::npos);
    }
}

TEST_CASE("case 10: a router that names one domain twice is told so")
{
    Asking world;
    world.decides = [&](const llm::Request&) {
        return decision_text(world.asked_as("router") == 1 ? "inventory inventory" : "inventory");
    };
    CHECK(Asking::statuses(world.ask_out()) == "inventory completed");
    CHECK(world.asked_as("router") == 2);
    CHECK(world.tools["query_inventory"]->dispatched.size() == 1);
}

TEST_CASE("one fence around a decision is taken off, and a failed model call is an attempt")
{
    Asking world;
    world.decides = [&](const llm::Request&) {
        if (world.asked_as("router") == 1) throw llm::ModelError(Code::upstream, "overloaded", false);
        return "```json\n" + decision_text("inventory") + "\n```";
    };
    CHECK(Asking::statuses(world.ask_out()) == "inventory completed");
    CHECK(world.asked_as("router") == 2);
}

TEST_CASE("case 1: eight domains, two at a time, 20 s each: four answer, four are too late, and the answer is in time")
{
    Asking world(shop({"a", "b", "c", "d", "e", "f", "g", "h"}));
    world.setup.options.max_parallel = 2;
    world.decides = [](const llm::Request&) { return decision_text("a b c d e f g h"); };
    for (const auto& [name, tool] : world.tools) tool->takes = 20s;
    const model::Reply reply = world.ask_out();
    CHECK(Asking::statuses(reply) == "a completed, b completed, c completed, d completed, e timeout, f timeout, "
                                     "g timeout, h timeout");
    CHECK(reply.calls[7].error == "it could not begin in time");
    CHECK(world.tools["query_h"]->dispatched.empty());
    CHECK(reply.confidence == Confidence::medium);
    CHECK(reply.partial);
    CHECK(reply.elapsed_ms < 60'000);
    CHECK(reply.text.find("Missing from this answer: The e (no answer within 18") != std::string::npos);
}

TEST_CASE("case 2: a model that stalls while it answers: what was found is told, and no half sentence")
{
    Asking world;
    world.decides = [&](const llm::Request&) {
        world.model->delay = 100s;  // from the next call on
        return decision_text("inventory");
    };
    const model::Reply reply = world.ask_out();
    CHECK(reply.text == "The inventory: inventory is fine");
    CHECK(reply.suggestions.front() == "Would you like to know about customer_behavior analysis?");
    CHECK(reply.suggestions.size() == 3);
    CHECK(reply.elapsed_ms > 59'000);
    CHECK(reply.elapsed_ms < 60'000);
}

TEST_CASE("case 3: a question whose process dies, and that is resumed past its time, answers with what it has")
{
    Asking world(shop(), model::Effect::once);
    world.tools["query_customer_behavior"]->takes = 30s;
    world.tools["query_inventory"]->takes = 500s;
    const Id id = world.begin_ask();
    world.wait(sleep_for(40s));
    world.crash();
    world.wait(sleep_for(30s));
    world.start();
    world.wait(world.host->wake(id));
    const TaskState state = world.finish(id);
    REQUIRE(state.reply);
    CHECK(Asking::statuses(*state.reply) == "customer_behavior completed, inventory timeout");
    CHECK(state.reply->text.starts_with("The customer_behavior: customer_behavior is fine"));
    CHECK(world.asked_as("analyst") == 0);
    CHECK(state.reply->elapsed_ms >= 70'000);
    CHECK(state.reply->elapsed_ms < 71'000);
    CHECK(model::domains::view(*state.reply).total_execution_time_ms == 59'999);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE(
    "case 4: a domain that is disabled after the decision is asked all the same, and is no choice of the next question")
{
    Asking world;
    world.decides = [&](const llm::Request&) {
        world.setup.domains[1].enabled = false;  // the file changes while the router thinks
        return decision_text("inventory");
    };
    CHECK(Asking::statuses(world.ask_out()) == "inventory completed");
    world.model->requests.clear();
    const model::Reply next = world.ask_out();
    CHECK(next.calls.empty());
    CHECK(world.asked_as("router") == 3);
    CHECK(world.model->requests[0].messages[0]->text.find("- inventory") == std::string::npos);
}

TEST_CASE("case 5: a tool that answers 5 MB of rows costs neither the model nor the journal that much")
{
    Asking world;
    world.decides = [](const llm::Request&) { return decision_text("inventory"); };
    std::string rows = "[0";
    while (rows.size() < 5'000'000) rows += ",{\"row\":123456789}";
    world.tools["query_inventory"]->answer = [&](const tools::Call&) { return tools::Result{.text = rows + "]"}; };
    const model::Reply reply = world.ask_out();
    CHECK(Asking::statuses(reply) == "inventory completed");
    for (const llm::Request& request : world.model->requests)
        for (const auto& message : request.messages) CHECK(message->text.size() < 100'000);
    for (const storage::Record& record : world.records(world.last)) CHECK(record.body.size() < 2'000'000);
}

TEST_CASE(
    "case 8: a follow-up continues the conversations at the domains, after a restart and an hour too")  // TOOL-50 U
{
    Asking world;
    const model::Reply first = world.ask_out();
    const auto input = patterns::next_input({}, &first);
    CHECK(boost::json::serialize(input) ==
          R"({"context":{"conversations":{"customer_behavior":"c_customer_behavior","inventory":"c_inventory"},)"
          R"("domains_accessed":["customer_behavior","inventory"]}})");
    world.restart();
    world.wait(sleep_for(2h));
    world.decides = [](const llm::Request&) { return decision_text("inventory pricing"); };
    const model::Reply second = world.ask_out("and for last month?", input);
    CHECK(second.calls[0].args.at("conversation_id") == "c_inventory");
    CHECK_FALSE(second.calls[1].args.contains("conversation_id"));
    const auto next = patterns::next_input(input, &second);
    CHECK(next.at("context").at("conversations").as_object().size() == 3);
    CHECK(next.at("context").at("domains_accessed").as_array().size() == 3);
    CHECK(patterns::next_input(next, nullptr) == next);  // a turn that failed has added nothing
}

TEST_CASE("case 9: suggestions are about related domains that can be asked, at most three, none twice")  // DOM-30 U
{
    Asking world(shop({"a", "b", "c", "d", "e", "f"}));
    world.setup.domains[5].enabled = false;
    world.decides = [](const llm::Request&) { return decision_text("a"); };
    world.answers = [](const llm::Request&) {
        return std::string(R"({"answer":"Fine.","suggestions":[
            {"domain":"f","text":"What about f?"},{"domain":"b","text":"how are WE doing"},
            {"domain":"b","text":"What of b?"},{"domain":"c","text":"What, of b!"},{"domain":"x","text":"What of x?"},
            {"domain":"c","text":"Is c well?"},{"domain":"d","text":"Tell me about d."},{"domain":"e","text":"And e?"}]})");
    };
    CHECK(world.ask_out().suggestions == std::vector<std::string>{"What of b?", "Is c well?", "Tell me about d."});
}

TEST_CASE("both tools hang: a valid answer between their limit and that of all")
{
    Asking world;
    world.setup.options.tool_ms = 500;
    world.setup.options.total_ms = 600;
    for (const auto& [name, tool] : world.tools) tool->takes = 100s;
    const model::Reply reply = world.ask_out();
    CHECK(Asking::statuses(reply) == "customer_behavior timeout, inventory timeout");
    CHECK(reply.elapsed_ms >= 500);
    CHECK(reply.elapsed_ms <= 600);
    CHECK(reply.confidence == Confidence::low);
    CHECK(reply.suggestions.empty());
    CHECK(reply.text.starts_with("None of the data"));
    CHECK_FALSE(reply.ok);
}

TEST_CASE("one domain of two fails: the answer is partial, and says what is missing")  // DOM-26 U
{
    Asking world;
    world.tools["query_inventory"]->answer = [](const tools::Call&) {
        return tools::Result{.text = "permission denied", .is_error = true};
    };
    const model::Reply reply = world.ask_out();
    CHECK(Asking::statuses(reply) == "customer_behavior completed, inventory failed");
    CHECK(reply.partial);
    CHECK(reply.confidence == Confidence::medium);
    CHECK(reply.sources == std::vector<std::string>{"customer_behavior.genie"});
    CHECK(reply.text == "All is well.\n\nMissing from this answer: The inventory (permission denied).");
}

TEST_CASE("without a model, domains are chosen and answers are made here")
{
    Asking world;
    world.setup.router = model::RouterKind::local;
    world.setup.has_model = false;
    CHECK(world.ask_out().text.find("Is it about") != std::string::npos);  // nobody can compare
    CHECK(world.model->requests.empty());
}

TEST_CASE("a question comes to the same end after a crash at any of its records")
{
    const auto prepare = [](Asking& world) {
        world.tools["query_customer_behavior"]->takes = 30ms;
        world.decides = [&](const llm::Request& request) {
            return request.messages.size() == 1 ? "no JSON" : decision_text("customer_behavior inventory");
        };
    };
    Asking world;
    prepare(world);
    const Id id = world.begin_ask();
    const TaskState state = world.finish(id);
    REQUIRE(state.reply);
    CHECK(Asking::statuses(*state.reply) == "customer_behavior completed, inventory completed");
    const auto journal = world.records(id);
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        CAPTURE(journal[length - 1].path);
        Asking other;
        prepare(other);
        TaskSpec pinned;
        other.pin(pinned);
        other.adopt(journal, length);
        const TaskState end = other.finish(id);
        REQUIRE(end.reply);
        CHECK(end.reply->text == state.reply->text);
        CHECK(Asking::statuses(*end.reply) == Asking::statuses(*state.reply));
        CHECK(end.reply->suggestions == state.reply->suggestions);
        CHECK(other.wait(other.commands->replay(kAnn, id)).diverged == "");
    }
}
