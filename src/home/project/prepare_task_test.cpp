#include "home/project/prepare_task.hpp"

#include "base/json.hpp"
#include "home/project/project.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <fstream>
#include <string>

using namespace cadre;
using namespace cadre::home;
using test::error_of;

namespace {

namespace fs = std::filesystem;

/// A project with one team, whose agents are a, b and c, and whose model is a script.
struct Desk {
    explicit Desk(const std::string& more, const std::string& agents = "abc")
    {
        write("cadre.yaml", "name: desk\n");
        write("s.json", R"([{"text":"x"}])");
        std::string team =
            "name: desk\ndescription: x\ndefault_llm: {provider: script, model: s.json}\ntools: []\nagents:\n";
        for (const char agent : agents) team += std::string("- {name: ") + agent + ", role: x, prompt: y}\n";
        write("team.yaml", team + more);
    }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream(temporary.path() / name) << text;
    }

    /// `pattern input` of the task.
    std::string begins(const RunRequest& wanted) const
    {
        const Place place{.folder = temporary.path(), .environment = [](const std::string&) { return std::nullopt; }};
        Projects projects(place, temporary.path() / "home");
        const auto work = prepare_team(projects.open(temporary.path()), wanted);
        return work.task.pattern + " " + to_text(json::value(work.task.input)) + (work.notes.empty() ? "" : " noted");
    }

    storage::TemporaryFolder temporary;
};

constexpr const char* kBoss = "collaboration_patterns: [{name: boss, type: hierarchical, agents: [a, b]}]\n";

}  // namespace

TEST_CASE("a team of several agents, or one with criteria, runs as a team; one agent alone does not")
{
    const std::string criteria = "execution_config: {success_criteria: ['expr: answer']}\n";
    CHECK(Desk("").begins({}) == "team@1 {}");
    CHECK(Desk("", "a").begins({}) == "react@1 {}");
    CHECK(Desk(criteria, "a").begins({}) == "team@1 {}");
    CHECK(Desk(kBoss).begins({}) == "team@1 {}");
    CHECK(Desk(kBoss).begins({.agent = "b"}) == R"(team@1 {"pattern":""})");
    CHECK(Desk(kBoss).begins({.pattern = "boss"}) == R"(team@1 {"pattern":"boss"})");
    CHECK(Desk("").begins({.agent = "b"}) == "team@1 {}");
}

TEST_CASE("a plan begins where the team or the request says so, and not where an agent is named or criteria are")
{
    const std::string planned = "execution_config: {pattern: plan}\n";
    CHECK(Desk(planned).begins({}) == "plan@1 {}");
    CHECK(Desk("").begins({.pattern = "plan"}) == "plan@1 {}");
    CHECK(Desk(planned).begins({.agent = "b"}) == R"(team@1 {"pattern":""})");
    CHECK(error_of([] { Desk("execution_config: {pattern: plan, failure_criteria: ['expr: true']}\n").begins({}); }) ==
          doctest::Contains("which are not judged in a planned task"));
}

TEST_CASE("a pattern that the team does not have is refused with the nearest")
{
    CHECK(error_of([] { Desk(kBoss).begins({.pattern = "bos"}); }) ==
          doctest::Contains("the team desk has no collaboration pattern called \"bos\"; did you mean boss?"));
}
