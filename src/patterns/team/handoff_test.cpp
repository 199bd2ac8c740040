// Handoffs that agents call for: allowed, refused, parallel, hierarchical.
#include "engine/projections/chronicle.hpp"
#include "patterns/team/team_fixture.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;

namespace {

/// Results by the id of their call, of a request.
std::multimap<std::string, std::string> results_in(const llm::Request& request)
{
    std::multimap<std::string, std::string> results;
    for (const auto& message : request.messages)
        if (message->role == model::Role::tool) results.emplace(message->call_id, message->text);
    return results;
}

/// Every call of the history has exactly one result in it.
void check_history(const std::vector<storage::Record>& journal)
{
    Chronicle chronicle;
    for (const storage::Record& record : journal) chronicle.apply(record);
    std::map<std::string, int> open;
    for (const model::Step& step : chronicle.history())
        for (const model::Part& part : step.parts) {
            if (const auto* call = std::get_if<model::ToolCallPart>(&part)) open[call->tool_call.id] += 0;
            if (const auto* result = std::get_if<model::ToolResultPart>(&part))
                ++open[result->tool_result.tool_call_id];
        }
    for (const auto& [call, results] : open) {
        CAPTURE(call);
        CHECK(results == 1);
    }
    CHECK(chronicle.first_open_step() == chronicle.history().size());
}

/// The answer of `agent` after its calls of the first step.
bool has_called(const llm::Request& request)
{
    return request.messages.back()->role == model::Role::tool;
}

}  // namespace

TEST_CASE("team case 2: of a tool, an allowed and a refused handoff in one step, each has one result")  // TEAM-16 U
{
    for (const char* type : {"sequential", "parallel", "hierarchical"}) {
        CAPTURE(type);
        Teamwork world(R"({"handoff_rules":[{"from_agent":"worker","to_agent":"writer","handoff_type":")" +
                           std::string(type) +
                           R"("}, {"from_agent":"worker","to_agent":"reviewer","condition":"'ready' in answer"}]})",
                       [](const llm::Request& request) {
                           if (request.agent != "worker") return says("Written.");
                           if (has_called(request)) return says("All done.");
                           return calls_of({{"handoff", R"({"to":"reviewer","reason":"Look."})"},
                                            {"pay", R"({"n":1})"},
                                            {"handoff", R"({"to":"writer","reason":"Write."})"},
                                            {"handoff", R"({"to":"worker","reason":"Me."})"},
                                            {"handoff", R"({"reason":"Whom?"})"}},
                                           "Not yet.");
                       });
        const std::string end = world.play_out();
        const bool ends_turn = std::string_view(type) == "sequential";
        CHECK(end == (ends_turn                              ? "Written."
                      : std::string_view(type) == "parallel" ? "[worker] All done.\n\n[writer] Written."
                                                             : "All done."));
        check_history(world.records(world.last));
        CHECK(world.pay->dispatched.size() == 1);
        CHECK(world.wait(world.commands->replay(kAnn, world.last)).diverged == "");
        if (ends_turn) continue;
        const auto request = std::ranges::find_if(world.model->requests, has_called);
        REQUIRE(request != world.model->requests.end());
        const auto results = results_in(*request);
        std::set<std::string> calls;
        for (const auto& message : request->messages)
            for (const model::ToolCall& call : message->calls) calls.insert(call.id);
        CHECK(calls.size() == 5);
        CHECK(results.size() == 5);
        std::string all;
        for (const auto& [call, text] : results) {
            CHECK(calls.contains(call));
            all += text + "|";
        }
        CAPTURE(all);
        CHECK(all.find("You may ask reviewer only when 'ready' in answer; now you may call handoff for: writer.") !=
              std::string::npos);
        CHECK(all.find("You are worker yourself") != std::string::npos);
        CHECK(all.find("The argument to of handoff is missing.") != std::string::npos);
        CHECK(all.find("paid 1") != std::string::npos);
    }
}

TEST_CASE("team: an agent whom no rule mentions has no tool for handoffs, and a call of it is refused")
{
    Teamwork world(R"({"handoff_rules":[{"from_agent":"writer","to_agent":"worker"}]})",
                   [](const llm::Request& request) {
                       return has_called(request) ? says(request.messages.back()->text) : hands_over("writer");
                   });
    CHECK(world.play_out() == R"(No rule of the team lets you ask "writer"; now you may call handoff for nobody.)");
    for (const llm::ToolSpec& spec : *world.model->requests.front().tools) CHECK(spec.name == "pay");
}

namespace {

constexpr const char* kParallel = R"({"handoff_rules":[
    {"from_agent":"worker","to_agent":"writer","handoff_type":"parallel"},
    {"from_agent":"worker","to_agent":"tester","handoff_type":"parallel"},
    {"from_agent":"worker","to_agent":"reviewer"}]})";

/// The worker has two others work beside it, pays, and hands over to the reviewer.
llm::Completion speak_in_parallel(const llm::Request& request)
{
    if (request.agent == "reviewer") {
        std::string all = "reviewed:";
        for (const auto& message : request.messages) all += " " + message->text;
        return says(all);
    }
    if (request.agent != "worker")
        return has_called(request) ? says(request.agent + " done") : calls_of({{"pay", R"({"n":2})"}});
    if (!has_called(request))
        return calls_of(
            {{"handoff", R"({"to":"writer","reason":"Write."})"}, {"handoff", R"({"to":"tester","reason":"Test."})"}});
    if (request.messages.back()->text.find("same time") != std::string::npos) return calls_of({{"pay", R"({"n":1})"}});
    return hands_over("reviewer", "All is there.", "My part.");
}

constexpr const char* kReviewed = "reviewed: Go. [worker] My part. [worker] hands over to you: All is there. "
                                  "[writer] writer done [tester] tester done";

}  // namespace

TEST_CASE(
    "team case 3: agents that work at the same time go on where they were, wherever the process dies")  // TEAM-15 U
{
    Teamwork world(kParallel, speak_in_parallel);
    world.model->delay = Millis(10);
    CHECK(world.play_out() == kReviewed);
    CHECK(world.pay->dispatched.size() == 3);
    check_history(world.records(world.last));
    std::vector<std::string> types;
    for (const storage::Record& record : world.records(world.last))
        for (const model::Event& event : public_events(record, Body(record)))
            if (const auto* handoff = std::get_if<model::AgentHandoffEvent>(&event))
                types.push_back(handoff->to_agent + " " +
                                (handoff->handoff_type == model::HandoffType::parallel ? "parallel" : "alone"));
    CHECK(types == std::vector<std::string>{"writer parallel", "tester parallel", "reviewer alone"});
    const std::string cut = std::string(kReviewed).replace(10, 3, "");  // its task has no words
    check_cuts(patterns::team, cut.c_str(), true, prepared(kParallel, speak_in_parallel));
}

namespace {

constexpr const char* kLead = R"({"handoff_rules":[
    {"from_agent":"worker","to_agent":"writer","handoff_type":"hierarchical"},
    {"from_agent":"worker","to_agent":"reviewer","handoff_type":"hierarchical"},
    {"from_agent":"worker","to_agent":"tester","handoff_type":"hierarchical"}]})";

llm::Completion delegates(const llm::Request& request,
                          const std::function<llm::Completion(const llm::Request&)>& others)
{
    if (request.agent != "worker") return others(request);
    if (!has_called(request))
        return calls_of({{"delegate", R"({"to":"writer","task":"Write."})"},
                         {"delegate", R"({"to":"reviewer","task":"Review."})"},
                         {"delegate", R"({"to":"tester","task":"Test."})"}});
    std::string said;
    for (const auto& message : request.messages)
        if (message->role == model::Role::tool) said += (said.empty() ? "" : " / ") + message->text;
    return says(said);
}

/// The child that is left when the others have ended.
Id waiting_child(Teamwork& world, Id id)
{
    world.wait(sleep_for(Millis(60'000)));
    const TaskState state = world.state(id);
    REQUIRE(state.children.size() == 1);
    return state.children.begin()->second;
}

}  // namespace

TEST_CASE("team case 7: of three children one fails and one waits for a person; their results come in order, and "
          "cancelling ends all")
{
    const auto others = [](const llm::Request& request) {
        CHECK(request.messages.front()->text.size() < 10);  // the task alone: nothing of what was said above
        if (request.agent == "writer")
            return has_called(request) ? says("Written.") : calls("ask_human", {{"question", "Which?"}});
        if (request.agent == "reviewer") throw llm::ModelError(Code::upstream, "broken", false);
        return says("Tested.");
    };
    const auto lead = [&](const llm::Request& request) { return delegates(request, others); };
    const auto ask_people = [](Teamwork& world) {
        for (model::Agent& agent : world.team->agents) agent.tools.push_back("ask_human");
    };
    {
        Teamwork world(kLead, lead);
        ask_people(world);
        const Id id = world.begin_team();
        const Id child = waiting_child(world, id);
        const TaskState below = world.rest(child);
        REQUIRE(below.questions.size() == 1);
        CHECK(below.spec.parent_step.has_value());
        world.wait(world.commands->answer(kAnn, child, below.questions[0].request.id, {.message = "This."}));
        const std::string end = ending(world.rest(id));
        CHECK(end.find("Written. / reviewer has failed: ") == 0);
        CHECK(end.find(" / Tested.") != std::string::npos);
        check_history(world.records(id));
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    }
    Teamwork world(kLead, lead);
    ask_people(world);
    const Id id = world.begin_team();
    const Id child = waiting_child(world, id);
    world.wait(world.commands->cancel(kAnn, id, "enough"));
    CHECK(world.rest(id).status == model::TaskStatus::cancelled);
    CHECK(world.rest(child).status == model::TaskStatus::cancelled);
}

TEST_CASE("team: what a child answers is heard whole, however long it is")
{
    std::string longer;
    for (int i = 0; i < 40'001; ++i) longer += "ö";
    Teamwork world(kLead, [&longer](const llm::Request& request) {
        if (request.agent == "worker" && has_called(request)) return says(request.messages.back()->text);
        return request.agent == "worker" ? calls_of({{"delegate", R"({"to":"writer","task":"Write."})"}})
                                         : says(longer);
    });
    CHECK(world.play_out() == longer);
}

TEST_CASE("team: one that works for another agent delegates in turn, and its steps say for which step")  // STEP-06 U
{
    const char* kTeam = R"({"handoff_rules":[{"from_agent":"worker","to_agent":"writer","handoff_type":"hierarchical"},
        {"from_agent":"writer","to_agent":"tester","handoff_type":"hierarchical"},
        {"from_agent":"writer","to_agent":"reviewer"}]})";
    const auto speak = [](const llm::Request& request) {
        if (has_called(request)) return says(request.agent + " < " + request.messages.back()->text);
        if (request.agent == "worker") return calls_of({{"delegate", R"({"to":"writer","task":"Write."})"}});
        if (request.agent != "writer") return says("tested");
        for (const llm::ToolSpec& spec : *request.tools) CHECK(spec.name != "handoff");
        return calls_of({{"delegate", R"({"to":"tester","task":"Test."})"}});
    };
    Teamwork world(kTeam, speak);
    CHECK(world.play_out() == "worker < writer < tested");
    CHECK(world.speakers() == "worker writer tester writer worker");
    Chronicle above;
    for (const storage::Record& record : world.records(world.last)) above.apply(record);
    REQUIRE(above.children().size() == 1);
    Chronicle below;
    for (const storage::Record& record : world.records(above.children().front())) below.apply(record);
    const auto wanted = std::ranges::find(above.history(), model::Role::assistant, &model::Step::role);
    REQUIRE(wanted != above.history().end());
    for (const model::Step& step : below.history())
        if (step.role == model::Role::assistant) CHECK(step.parent == wanted->id);
    check_cuts(patterns::team, "worker < writer < tested", true, prepared(kTeam, speak));
}

TEST_CASE(
    "hierarchical: the coordinator delegates to the agents of the pattern, also as what the task begins with")  // TEAM-23 U
{
    const auto speak = [](const llm::Request& request) {
        if (request.agent != "reviewer") return says(request.agent + ": " + request.messages.front()->text);
        return has_called(request) ? says("merged " + request.messages.back()->text)
                                   : calls_of({{"delegate", R"({"to":"writer","task":"Write."})"}});
    };
    Teamwork world(R"({"collaboration_patterns":[{"name":"boss","type":"hierarchical","agents":["writer","tester"],
        "coordination_agent":"reviewer"}]})",
                   speak);
    CHECK(world.play_out() == "merged writer: Write.");
    CHECK(world.speakers() == "reviewer writer reviewer");
    CHECK(world.wait(world.commands->replay(kAnn, world.last)).diverged == "");
    CHECK(world.play_out({{"pattern", ""}}) == "worker: Go.");
}

TEST_CASE("collaborate: an agent begins a pattern that it is allowed, and hears what came of it")  // AGENT-21 U
{
    const char* kTeam = R"({"of_worker":["boss"], "handoff_rules":[{"from_agent":"worker","to_agent":"tester"}],
        "collaboration_patterns":[{"name":"boss","type":"hierarchical","agents":["writer","reviewer"]},
                                  {"name":"other","type":"hierarchical","agents":["writer"]}]})";
    const auto speak = [](const llm::Request& request) {
        if (request.agent == "writer") return says("We say " + request.messages.front()->text);
        if (request.agent == "tester") return says(request.messages[1]->text);
        if (has_called(request)) {
            std::string all;
            for (const auto& [call, text] : results_in(request)) all += text + ". ";
            return says(all.find("We say Think.") != std::string::npos &&
                                all.find("you may begin: boss") != std::string::npos
                            ? "Both."
                            : all);
        }
        return calls_of({{"collaborate", R"({"pattern":"boss","task":"Think."})"},
                         {"collaborate", R"({"pattern":"other","task":"Think."})"}});
    };
    Teamwork world(kTeam, speak);
    CHECK(world.play_out() == "[worker] Both.");
    check_history(world.records(world.last));
    check_cuts(patterns::team, "[worker] Both.", true, prepared(kTeam, speak));
}
