#include "patterns/team/collaborate.hpp"

#include "patterns/team/team_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;

namespace {

llm::Completion votes_and_says(const llm::Request& request)
{
    const std::string& last = request.messages.back()->text;
    if (last.find("Propose a decision") != std::string::npos)
        return says(R"({"decision":"Tea.","reasoning":"It is good."})");
    if (last.find("vote") != std::string::npos)
        return says(request.agent == "tester" ? R"({"vote":"reject","reasoning":"No."})"
                                              : R"({"vote":"approve","reasoning":"Yes."})");
    return says(request.agent + " says so");
}

}  // namespace

TEST_CASE("collaborate: a task begins with the pattern that its type says, and its answers are one")
{
    const struct {
        const char* pattern;
        const char* end;
    } cases[] = {
        {R"({"name":"all","type":"parallel","agents":["writer","tester"]})",
         "[writer] writer says so\n\n[tester] tester says so"},
        {R"({"name":"all","type":"parallel","agents":["writer","tester"],"coordination_agent":"reviewer"})",
         "reviewer says so"},
        {R"({"name":"all","type":"consensus","agents":["writer","reviewer","tester"]})", "Tea."},
        {R"({"name":"all","type":"hierarchical","agents":["writer","tester"],"coordination_agent":"reviewer"})",
         "reviewer says so"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.pattern);
        const std::string team = std::string(R"({"collaboration_patterns":[)") + c.pattern + "]}";
        Teamwork world(team, votes_and_says);
        CHECK(world.play_out() == c.end);
        CHECK(world.wait(world.commands->replay(kAnn, world.last)).diverged == "");
        check_cuts(patterns::team, c.end, true, prepared(team, votes_and_says));
    }
}

TEST_CASE("collaborate: a pattern that comes to nothing is a failed call for the agent that began it")
{
    Teamwork world(R"({"of_worker":["all"], "handoff_rules":[{"from_agent":"tester","to_agent":"worker"}],
        "collaboration_patterns":[{"name":"all","type":"consensus","agents":["tester"]}]})",
                   [](const llm::Request& request) {
                       if (request.agent != "worker") return votes_and_says(request);
                       const llm::Message& last = *request.messages.back();
                       if (last.role != model::Role::tool)
                           return calls_of({{"collaborate", R"({"pattern":"all","task":"Tea?"})"}});
                       return says((last.is_error ? "failed: " : "done: ") + last.text);
                   });
    CHECK(world.play_out().find("failed: \"all\" came to no decision") == 0);
}
