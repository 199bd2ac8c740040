// Guardrails as tasks ask for them: those of a team, and those of whoever runs the home, which change meanwhile.
#include "home/team_guards.hpp"

#include "base/error.hpp"
#include "base/pool.hpp"
#include "base/sim_loop.hpp"
#include "guardrails/policy_set.hpp"
#include "home/project/guardrails.hpp"
#include "model/read.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace cadre;
using namespace cadre::home;
using engine::GuardAction;
using At = engine::Place;

namespace {

namespace fs = std::filesystem;

constexpr const char* kTeam = R"({"name":"t","description":"d","default_llm":{},"tools":[],
"agents":[{"name":"a","role":"r","prompt":"p"},{"name":"b","role":"r","prompt":"p"}],
"guardrail_policies":[{"name":"words","type":"content_filter","action":"log","everywhere":true,
"rules":[{"kind":"keywords","value":["hunter2"]}]}]})";

struct Lines final : LogSink {
    void write(Level, std::string_view line) override { text += line; }
    std::string text;
};

/// A home whose operator writes and changes a file.
struct House {
    explicit House(const std::string& text = "")
    {
        if (!text.empty()) write(text);
        file.emplace(place, root, clock, Log(lines, Level::error));
        guards.emplace(clock, pool, EncoderSource(), &*file);
    }

    void write(const std::string& text)
    {
        const fs::path path = root / "config/guardrails.yaml";
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        fs::last_write_time(path, fs::file_time_type() + std::chrono::hours(++changes));  // file systems count in steps
    }
    GuardAction on(At at, const std::string& text)
    {
        const auto set = policies_of(*team, "a", guards->of_operator());
        return verdict_on(*set, at, text).action;
    }

    storage::TemporaryFolder temporary;
    fs::path root = temporary.path();
    Place place{.folder = root, .environment = [](const std::string&) { return std::nullopt; }};
    ManualClock clock;
    ThreadPool pool{1};
    int changes = 0;
    std::shared_ptr<Lines> lines = std::make_shared<Lines>();
    std::optional<OperatorFile> file;
    std::optional<TeamGuards> guards;
    std::shared_ptr<const model::Team> team = std::make_shared<const model::Team>(model::from_text<model::Team>(kTeam));
};

std::string policy(const std::string& name, const std::string& action, const std::string& word)
{
    return "policies: [{name: " + name + ", type: compliance, action: " + action +
           ", rules: [{kind: keywords, value: [" + word + "]}]}]\n";
}

}  // namespace

TEST_CASE("guardrails case 9: the operator's policy holds whatever a team calls its own")
{
    House house(policy("words", "block", "hunter2"));
    CHECK(house.on(At::output, "hunter2") == GuardAction::block);
    const auto set = policies_of(*house.team, "b", house.guards->of_operator());
    REQUIRE(set->policies().size() == 2);
    CHECK(set->policies()[1].name == "operator/words");
    CHECK(house.guards->watches(house.team, "nobody", At::send));
}

TEST_CASE("the operator's file: others hold a second later, and a faulty one changes nothing")
{
    House house;
    std::size_t told = 0;
    house.file->set_watcher([&](const auto&, const auto& now) { told = now.size(); });
    CHECK(house.on(At::output, "tea") == GuardAction::pass);
    house.write(policy("drinks", "block", "tea"));
    house.guards->watches(house.team, "a", At::output);
    CHECK(house.on(At::output, "tea") == GuardAction::pass);  // it was looked at just now
    house.clock.advance(std::chrono::seconds(1));
    house.guards->watches(house.team, "a", At::output);
    CHECK(house.on(At::output, "tea") == GuardAction::block);
    CHECK(told == 1);

    house.write("policies: [{\n");
    house.file->refresh(true);
    CHECK(house.on(At::output, "tea") == GuardAction::block);
    CHECK(house.lines->text.find("stay as they were") != std::string::npos);
    fs::remove(house.root / "config/guardrails.yaml");
    house.file->refresh(true);
    CHECK(house.on(At::output, "tea") == GuardAction::pass);
    CHECK(told == 0);
}

TEST_CASE("the operator's file: nothing begins with one that is faulty")
{
    const auto says = test::error_of([] { House house(policy("x", "rewrite", "[]")); });
    CHECK(says == doctest::Contains("config/guardrails.yaml"));
    CHECK(test::error_of([] {
              House house("policies: [{name: x, type: compliance, rules: [{kind: regex, value: '('}]}]\n");
          }) == doctest::Contains("is not a pattern"));
}

TEST_CASE("guardrails case 4: what is being written is judged by the policies that hold now")
{
    House house;
    house.guards->watches(house.team, "a", At::output);
    const auto stream = house.guards->stream({.team = house.team, .agent = "a", .place = At::output});
    CHECK(stream->feed("one te") == "one te");
    house.write(policy("drinks", "block", "tea"));
    house.clock.advance(std::chrono::seconds(1));
    CHECK(stream->feed("x, tea") == "x, ");
    CHECK(stream->feed(" is fine") == "");
    CHECK(stream->finish() == "");
    CHECK(stream->verdict().action == GuardAction::block);
    CHECK(stream->verdict().checks.back().policy_violated == "operator/drinks");
}

TEST_CASE("guardrails: a word that JSON escapes is seen in a call and in a handoff")
{
    House house(policy("words", "block", "a\xC3\xA4"));
    const std::string hidden = R"({"reason":"a\u00e4"})";
    CHECK(house.on(At::tool_call, hidden) == GuardAction::block);
    CHECK(house.on(At::handoff, hidden) == GuardAction::block);
    CHECK(house.on(At::output, hidden) == GuardAction::pass);
}

TEST_CASE("guardrails: without weights, what is alike has the same words")
{
    House house("policies: [{name: x, type: compliance, action: block, rules: [{kind: similar, value: {phrases: "
                "[delete every file of the customer], at: 0.7}}]}]\n");
    CHECK(house.on(At::output, "Delete every file of the customer!") == GuardAction::block);
    CHECK(house.on(At::output, "Make tea.") == GuardAction::pass);
}
