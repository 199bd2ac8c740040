#include "patterns/team/collab_fixture.hpp"

#include <doctest/doctest.h>

#include <chrono>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns;
using namespace cadre::patterns::testing;
using namespace std::chrono_literals;

namespace {

const std::vector<std::string> kVoters{"a", "b", "c", "chief"};

Async<model::Reply> play_consensus(Run& run, model::CollaborationPattern pattern)
{
    const auto turn = co_await consensus(run, pattern, Floor(run));
    co_return run.reply(turn.agent + ": " + turn.text);
}

std::function<Async<model::Reply>(Run&)> council(std::string_view config, std::string_view voters = R"(["a","b","c"])",
                                                 bool has_chief = false)
{
    std::string text = R"({"name":"vote","type":"consensus","agents":)" + std::string(voters);
    if (has_chief) text += R"(,"coordination_agent":"chief")";
    text += R"(,"config":)" + std::string(config) + "}";
    return [pattern = pattern_from(text)](Run& run) { return play_consensus(run, pattern); };
}

bool is_ballot(const llm::Request& request)
{
    return heard_in(request).find("Vote on it.") != std::string::npos;
}

bool is_tie_break(const llm::Request& request)
{
    return heard_in(request).find("That is a tie") != std::string::npos;
}

/// Votes by agent; proposals are numbered by what was heard before.
Answer voting(std::map<std::string, std::string> votes)
{
    return [votes = std::move(votes)](const llm::Request& request) -> std::string {
        if (is_ballot(request) || is_tie_break(request)) return votes.at(request.agent);
        const bool again = heard_in(request).find("It was not accepted.") != std::string::npos;
        return again ? R"({"decision":"Plan B.","reasoning":"heard"})" : R"({"decision":"Plan A.","reasoning":"new"})";
    };
}

const char* const kYes = R"({"vote":"approve","reasoning":"good"})";
const char* const kNo = R"({"vote":"reject","reasoning":"too risky"})";
const char* const kPass = R"({"vote":"abstain","reasoning":"not my field"})";

/// `proposal vote:a=approve … reached:{…}`, votes by name.
std::string story(const std::vector<storage::Record>& journal)
{
    std::string text;
    std::set<std::string> votes;
    std::string id;
    const auto flush = [&] {
        for (const std::string& vote : votes) text += vote + " ";
        votes.clear();
    };
    for (const json::object& event : pattern_events(journal)) {
        const std::string type(event.at("type").as_string());
        if (type == "event_consensus_proposal") {
            flush();
            id = event.at("proposal_id").as_string();
            CHECK(id.starts_with("prop_"));
            text += std::string(event.at("proposer_agent").as_string()) + " proposes " +
                    std::string(event.at("decision").as_string()) + " ";
        } else if (type == "event_consensus_vote") {
            CHECK(event.at("proposal_id") == json::value(id));
            CHECK(votes
                      .insert(std::string(event.at("voter_agent").as_string()) + "=" +
                              std::string(event.at("vote").as_string()))
                      .second);
        } else {
            CHECK(event.at("proposal_id") == json::value(id));
            std::set<std::string> counted;
            for (const auto& [agent, vote] : event.at("votes").as_object())
                counted.insert(std::string(agent) + "=" + std::string(vote.as_string()));
            CHECK(counted == votes);
            flush();
            text += "reached " + std::string(event.at("final_decision").as_string());
        }
    }
    flush();
    return text;
}

/// How it ends, and what it tells.
std::pair<std::string, std::string> outcome_of(const std::function<Async<model::Reply>(Run&)>& pattern, Answer answer,
                                               Pace pace = {})
{
    Stage world(pattern);
    people(world, kVoters, std::move(answer), std::move(pace));
    const Id id = world.play();
    std::string end = ending(world.finish(id));
    return {std::move(end), story(world.records(id))};
}

using Told = std::pair<std::string, std::string>;

}  // namespace

// TEAM-24 E, EVT-16 W, EVT-17 W, EVT-18 W
TEST_CASE("consensus: three vote, two agree, and the decision has all their votes")
{
    CHECK(outcome_of(council("{}"), voting({{"a", kYes}, {"b", kNo}, {"c", kYes}})) ==
          Told{"a: Plan A.", "a proposes Plan A. a=approve b=reject c=approve reached Plan A."});
}

TEST_CASE("consensus: undecided says who voted what, and nothing was reached")
{
    const auto told = outcome_of(council("{}"), voting({{"a", kNo}, {"b", kNo}, {"c", kPass}}));
    CHECK(told.first == "\"vote\" came to no decision: rejected; a: reject (too risky); b: reject (too risky); "
                        "c: abstain (not my field)");
    CHECK(told.second == "a proposes Plan A. a=reject b=reject c=abstain ");
    CHECK(outcome_of(council(R"({"rule":"unanimous"})"), voting({{"a", kYes}, {"b", kNo}, {"c", kYes}}))
              .first.find("rejected; a: approve") != std::string::npos);
}

TEST_CASE("consensus: a limit of the run ends it, and is nobody's abstention")
{
    Stage world(council(R"({"rule":"unanimous"})"));
    people(world, kVoters, voting({{"a", kYes}, {"b", kYes}, {"c", kNo}}));
    const Id id = world.begin("play@1", {.agent = "worker", .budget = {.steps = 3}});  // a proposal and two votes
    const std::string end = ending(world.finish(id));
    CHECK(end.find("max_steps (3) reached") != std::string::npos);
    CHECK(story(world.records(id)).find("reached Plan") == std::string::npos);
}

TEST_CASE("team case 5: weights 2, 1 and 1 where the 2 abstains have no quorum")
{
    const auto told = outcome_of(council(R"({"rule":"weighted","weights":{"a":2}})"),
                                 voting({{"a", kPass}, {"b", kYes}, {"c", kYes}}));
    CHECK(told.first.find("too few votes for a quorum; a: abstain") != std::string::npos);
    CHECK(told.second.find("reached") == std::string::npos);
}

TEST_CASE("team case 5: one to one, and the coordinator breaks the tie")
{
    const auto pair = council("{}", R"(["a","b"])", true);
    CHECK(outcome_of(pair, voting({{"a", kYes}, {"b", kNo}, {"chief", kYes}})) ==
          Told{"chief: Plan A.", "chief proposes Plan A. a=approve b=reject reached Plan A."});
    const auto refused = outcome_of(pair, voting({{"a", kYes}, {"b", kNo}, {"chief", kNo}}));
    CHECK(refused.first.find("rejected; a: approve") != std::string::npos);
    CHECK(refused.second == "chief proposes Plan A. a=approve b=reject ");
    const auto alone = outcome_of(council("{}", R"(["a","b"])"), voting({{"a", kYes}, {"b", kNo}}));
    CHECK(alone.first.find("a tie; a: approve") != std::string::npos);
}

TEST_CASE("consensus: the next proposal hears the objections")
{
    const auto answer = [](const llm::Request& request) -> std::string {
        const std::string heard = heard_in(request);
        if (!is_ballot(request))
            return heard.find("[b] reject: too risky") != heard.npos ? R"({"decision":"Plan B.","reasoning":""})"
                                                                     : R"({"decision":"Plan A.","reasoning":""})";
        return heard.find("This is proposed:\nPlan B.") != heard.npos ? kYes : request.agent == "c" ? kPass : kNo;
    };
    CHECK(outcome_of(council(R"({"rounds":3})"), answer) ==
          Told{"a: Plan B.",
               "a proposes Plan A. a=reject b=reject c=abstain a proposes Plan B. a=approve b=approve c=approve "
               "reached Plan B."});
}

TEST_CASE("consensus: otherwise the coordinator decides, and that is not called reached")
{
    const auto told = outcome_of(council(R"({"otherwise":"coordinator"})", R"(["a","b","c"])", true),
                                 voting({{"a", kNo}, {"b", kNo}, {"c", kNo}}));
    CHECK(told == Told{"chief: Plan B.", "chief proposes Plan A. a=reject b=reject c=reject "});
}

TEST_CASE("consensus: votes in odd words count, and what cannot be read is asked for once more")
{
    int asked = 0;
    const auto answer = [&asked](const llm::Request& request) -> std::string {
        if (!is_ballot(request)) return R"({"decision":"Plan A.","reasoning":""})";
        if (request.agent == "a") return "LGTM";
        if (request.agent == "b") return "```json\n{\"Vote\": \"Approved\"}\n```";
        ++asked;
        return "What a lovely day.";
    };
    Stage world(council("{}"));
    people(world, kVoters, answer);
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "a: Plan A.");
    CHECK(asked == 2);
    const auto journal = world.records(id);
    CHECK(story(journal) == "a proposes Plan A. a=approve b=approve c=abstain reached Plan A.");
    for (const json::object& event : pattern_events(journal))
        if (const auto* voter = event.if_contains("voter_agent"); voter && *voter == "c")
            CHECK(event.at("reasoning") == "its words are not a vote: What a lovely day.");
}

TEST_CASE("consensus: a vote that never comes and one that fails abstain, with the reason")
{
    const auto answer = [](const llm::Request& request) -> std::string {
        if (is_ballot(request) && request.agent == "b") return "!b is ill";
        return is_ballot(request) ? kYes : R"({"decision":"Plan A.","reasoning":""})";
    };
    const auto pace = [](const llm::Request& request) {
        return Millis(is_ballot(request) && request.agent == "c" ? 3'600'000 : 10);
    };
    Stage world(council(R"({"timeout":30})"));
    people(world, kVoters, answer, pace);
    const Time begin = world.loop.clock().now();
    const Id id = world.play();
    const std::string end = ending(world.finish(id));
    CHECK(world.loop.clock().now() - begin < 31s);
    CHECK(end.find("a: approve (good); b: abstain (it failed: ") != std::string::npos);
    CHECK(end.find("b is ill); c: abstain (no answer within 30 s)") != std::string::npos);
}

TEST_CASE("team case 6: time that passes while the process is down counts, and the vote abstains once, at the start")
{
    const auto pace = [](const llm::Request& request) { return Millis(request.agent == "c" ? 100'000 : 10); };
    Stage world(council("{}"));
    people(world, kVoters, voting({{"a", kYes}, {"b", kYes}, {"c", kNo}}), pace);
    const Id id = world.play();
    world.wait(sleep_for(30s));
    world.crash();
    world.wait(sleep_for(600s));
    world.start();
    const Time begin = world.loop.clock().now();
    world.wait(world.host->wake(id));
    CHECK(ending(world.finish(id)) == "a: Plan A.");
    CHECK(world.loop.clock().now() - begin < 1s);
    CHECK(story(world.records(id)) == "a proposes Plan A. a=approve b=approve c=abstain reached Plan A.");
}

TEST_CASE("consensus: a kill after any record ends as if there had been none, and each votes once")
{
    const auto pace = [](const llm::Request& request) {
        return Millis(request.agent == "a" ? 300 : request.agent == "b" ? 100 : 200);
    };
    const Prepare prepare = [&](Stage& stage) {
        people(stage, kVoters, voting({{"a", kYes}, {"b", kNo}, {"chief", kNo}}), pace);
    };
    const auto pattern = council(R"({"rounds":2,"otherwise":"coordinator"})", R"(["a","b"])", true);
    check_cuts(pattern, "chief: Plan B.", true, prepare);

    Stage first(pattern);
    prepare(first);
    const Id id = first.play();
    first.finish(id);
    const auto journal = first.records(id);
    const std::string told = story(journal);
    CHECK(told == "chief proposes Plan A. a=approve b=reject chief proposes Plan B. a=approve b=reject ");
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        Stage world(pattern);
        prepare(world);
        world.adopt(journal, length);
        world.finish(id);
        CHECK(story(world.records(id)) == told);
    }
}

TEST_CASE("consensus: a failed proposal, tie or last word names who failed and what was asked for")
{
    const struct {
        const char* fails_at;  // what is heard
        const char* config;
        const char* says;
    } cases[] = {
        {"Propose a decision", "{}", "chief, asked for a proposal, failed: "},
        {"That is a tie", "{}", "chief, asked for a decision on a tie, failed: "},
        {"you decide now", R"({"rule":"unanimous","otherwise":"coordinator"})",
         "chief, asked for a decision, as no proposal was accepted, failed: "},
    };
    for (const auto& c : cases) {
        CAPTURE(c.fails_at);
        const Answer votes = voting({{"a", kYes}, {"b", kNo}, {"chief", kNo}});
        const auto answer = [&](const llm::Request& request) -> std::string {
            return heard_in(request).find(c.fails_at) != std::string::npos ? "!the line is dead" : votes(request);
        };
        const std::string end = outcome_of(council(c.config, R"(["a","b"])", true), answer).first;
        CHECK(end.find(c.says) != std::string::npos);
        CHECK(end.find("the line is dead") != std::string::npos);
    }
}
