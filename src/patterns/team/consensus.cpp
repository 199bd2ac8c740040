// consensus: a proposal, votes, a decision.
#include "base/json.hpp"
#include "base/mutant.hpp"
#include "base/utf8.hpp"
#include "engine/run.hpp"
#include "engine/step_id.hpp"
#include "model/pattern_config.hpp"
#include "model/read.hpp"
#include "patterns/react.hpp"
#include "patterns/team/collaborate.hpp"
#include "patterns/team/proposal.hpp"

#include <boost/json.hpp>

namespace cadre::patterns {

using engine::Agent;
using engine::Fact;
using engine::Run;

namespace {

constexpr std::size_t kLongestReasoning = 2000;

/// The agent has heard the floor and `request`, and answers in that form.
Async<json::value> answer_to(Run& run, const Agent& agent, const Floor& floor, std::string request, std::string schema,
                             std::string asked_for)
{
    run.take_seat(agent, agent.max_parallel_tasks);
    floor.tell(run, agent);
    run.tell(std::move(request));
    return answer_as(run, agent, std::move(schema), std::move(asked_for));
}

Async<Proposal> propose(Run& run, const Agent& agent, const Floor& floor, std::string request, std::string asked_for)
{
    Proposal proposal{.id = "prop_" + engine::step_id_of(run.task(), run.scope()).substr(5)};
    const json::value answer =
        co_await answer_to(run, agent, floor, std::move(request), kProposalSchema, std::move(asked_for));
    proposal.decision = answer.at("decision").as_string();
    proposal.reasoning = answer.at("reasoning").as_string();
    co_return proposal;
}

/// Whether the coordinator accepts what the votes leave open.
Async<Ruling> rule_on(Run& run, const Agent& agent, const Floor& floor, std::string votes)
{
    const json::value answer = co_await answer_to(
        run, agent, floor,
        std::move(votes) + "\n\nThat is a tie, and you decide. Answer with JSON alone: {\"vote\": \"approve\" or "
                           "\"reject\", \"reasoning\": \"why\"}",
        kRulingSchema, "a decision on a tie");
    co_return Ruling{.approves = answer.at("vote") == "approve",
                     .reasoning = std::string(answer.at("reasoning").as_string())};
}

/// What cannot be read is asked for once more, then it is an abstention.
Async<Vote> vote_on(Run& run, Agent agent, const Floor& floor, const Proposal& proposal)
{
    agent.options.output_schema.clear();  // a vote has a form of its own, and is read whatever form it has
    run.take_seat(agent, agent.max_parallel_tasks);
    floor.tell(run, agent);
    run.tell(ballot_text(proposal));
    std::string said = (co_await react_to_what_was_told(run, agent)).text;
    if (auto vote = read_vote(agent.name, said)) co_return std::move(*vote);
    run.tell("That cannot be read as a vote. Answer with JSON alone: {\"vote\": \"approve\", \"reject\" or "
             "\"abstain\", \"reasoning\": \"why\"}");
    said = (co_await react_to_what_was_told(run, agent)).text;
    if (auto vote = read_vote(agent.name, said)) co_return std::move(*vote);
    co_return Vote{.agent = agent.name, .reasoning = "its words are not a vote: " + said};
}

/// Comes to a vote in any case, in time.
Async<Vote> cast_vote(Run& run, std::string name, const Floor& floor, const Proposal& proposal, int seconds)
{
    const Agent& agent = run.agent(name);
    Vote vote{.agent = name, .reasoning = "no answer within " + std::to_string(seconds) + " s"};
    try {
        const auto voting = [&agent, &floor, &proposal](Run& inner) { return vote_on(inner, agent, floor, proposal); };
        auto in_time = co_await run.within(Millis(std::int64_t{1000} * seconds), voting);
        if (in_time) vote = std::move(*in_time);
    } catch (const Error& error) {
        if (is_limit_of_run(error)) throw;  // an abstention would change what the others decide
        vote.reasoning = std::string("it failed: ") + error.what();
    }
    if (vote.reasoning.size() > kLongestReasoning)
        vote.reasoning = std::string(utf8_prefix(vote.reasoning, kLongestReasoning)) + "…";
    Fact fact{.what = "consensus_vote", .agent = name, .key = proposal.id};
    fact.events.emplace_back(model::ConsensusVoteEvent{.proposal_id = proposal.id,
                                                       .voter_agent = name,
                                                       .vote = std::string(word_of(vote.choice)),
                                                       .reasoning = vote.reasoning});
    co_await run.announce(std::move(fact));
    co_return vote;
}

Fact proposed(const Proposal& proposal, const std::string& proposer, const model::CollaborationPattern& pattern)
{
    Fact fact{.what = "consensus_proposal", .agent = proposer, .key = proposal.id};
    fact.fact["reasoning"] = proposal.reasoning;
    fact.events.emplace_back(model::ConsensusProposalEvent{.proposal_id = proposal.id,
                                                           .proposer_agent = proposer,
                                                           .decision = proposal.decision,
                                                           .stakeholders = pattern.agents});
    return fact;
}

Fact reached(const Proposal& proposal, const std::string& proposer, const std::vector<Vote>& votes)
{
    Fact fact{.what = "consensus_reached", .agent = proposer, .key = proposal.id};
    model::ConsensusReachedEvent event{.proposal_id = proposal.id, .final_decision = proposal.decision};
    for (const Vote& vote : votes) event.votes[vote.agent] = word_of(vote.choice);
    fact.events.emplace_back(std::move(event));
    return fact;
}

std::string proposal_request(int round)
{
    return std::string(round > 1 ? "Propose another decision, one that can be accepted"
                                 : "Propose a decision; others will vote on it") +
           ". Answer with JSON alone: {\"decision\": \"the whole of what is to be decided\", \"reasoning\": \"why\"}";
}

/// Who decides, and how.
struct Council {
    const model::CollaborationPattern& pattern;
    model::ConsensusConfig terms;
    const Agent& leader;  // proposes, and decides where the others do not
};

struct Round {
    Proposal proposal{};
    std::vector<Vote> votes{};
    VoteResult outcome = VoteResult::no_quorum;
    std::string ruling{};  // of the coordinator, where it was a tie
};

Async<Round> hold_round(Run& run, const Council& council, const Floor& floor, int number)
{
    const model::CollaborationPattern& pattern = council.pattern;
    Round round;
    round.proposal = co_await run.node("propose", [&council, &floor, number](Run& inner) {
        return propose(inner, council.leader, floor, proposal_request(number), "a proposal");
    });
    co_await run.announce(proposed(round.proposal, council.leader.name, pattern));
    const auto voting = [&council, &floor, &round](Run& branch, std::string name) {
        return cast_vote(branch, std::move(name), floor, round.proposal, council.terms.timeout);
    };
    const engine::MapOptions<std::string> by_name{.key = [](const std::string& name) { return name; }};
    round.votes = co_await run.map(pattern.agents, by_name, voting);
    if (is_mutant(Mutant::vote_counted_twice)) round.votes.push_back(round.votes.front());
    round.outcome = tally(council.terms, round.votes);
    if (round.outcome != VoteResult::tie || !pattern.coordination_agent) co_return round;
    const Ruling ruling = co_await run.node("decide", [&council, &floor, &round](Run& inner) {
        return rule_on(inner, council.leader, floor, votes_text(round.proposal, round.votes));
    });
    round.outcome = ruling.approves ? VoteResult::accepted : VoteResult::rejected;
    round.ruling = "[" + council.leader.name + "] decides the tie: " + (ruling.approves ? "approve" : "reject") +
                   (ruling.reasoning.empty() ? "" : ": " + ruling.reasoning);
    co_return round;
}

std::string objections(const Round& round)
{
    return votes_text(round.proposal, round.votes) + (round.ruling.empty() ? "" : "\n" + round.ruling) +
           "\n\nIt was not accepted.";
}

}  // namespace

Async<Turn> consensus(Run& run, const model::CollaborationPattern& pattern, Floor floor)
{
    const Council council{.pattern = pattern,
                          .terms = model::from_json<model::ConsensusConfig>(pattern.config),
                          .leader = run.agent(pattern.coordination_agent.value_or(pattern.agents.at(0)))};
    Round round;
    for (int i = 1; i <= council.terms.rounds; ++i) {
        round = co_await hold_round(run, council, floor, i);
        if (round.outcome == VoteResult::accepted) {
            co_await run.announce(reached(round.proposal, council.leader.name, round.votes));
            co_return Turn{.agent = council.leader.name, .text = round.proposal.decision};
        }
        floor.note(objections(round));
    }
    if (council.terms.otherwise == model::Undecided::coordinator && pattern.coordination_agent) {
        const Proposal decision = co_await run.node("decide", [&council, &floor](Run& inner) {
            return propose(inner, council.leader, floor,
                           "No proposal was accepted, and you decide now. Answer with JSON alone: {\"decision\": \"the "
                           "whole of what is decided\", \"reasoning\": \"why\"}",
                           "a decision, as no proposal was accepted");
        });
        co_return Turn{.agent = council.leader.name, .text = decision.decision};
    }
    std::string text = in_quotes(pattern.name) + " came to no decision: " + undecided_text(round.outcome, round.votes);
    throw engine::Failed(Code::conflict, text, run.reply(text));
}

}  // namespace cadre::patterns
