#include "cli/event_text.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::cli;

TEST_CASE("what becomes of files is said in words")
{
    const std::string uri = "file://artifacts/notes/a.md";
    CHECK(words_of(model::ArtifactCreatedEvent{.artifact = {.uri = uri}}) == "made notes/a.md");
    CHECK(words_of(model::ArtifactModifiedEvent{.artifact_uri = uri, .version = "2"}) ==
          "changed notes/a.md: version 2");
    model::ArtifactModifiedEvent removed{.artifact_uri = uri, .version = "2"};
    removed.changes["deleted"] = true;
    CHECK(words_of(removed) == "removed notes/a.md");
    CHECK(words_of(model::ArtifactVersionedEvent{.artifact_uri = uri, .old_version = "1"}) ==
          "kept version 1 of notes/a.md");
}

TEST_CASE("what agents do together is said in words")
{
    using model::HandoffType;
    CHECK(words_of(model::AgentHandoffEvent{.from_agent = "ann", .to_agent = "bob", .reason = "it is done"}) ==
          "ann hands over to bob: it is done");
    CHECK(words_of(model::AgentHandoffEvent{.from_agent = "ann",
                                            .to_agent = "bob",
                                            .handoff_type = HandoffType::parallel}) == "ann has bob work beside it");
    CHECK(words_of(model::AgentHandoffEvent{
              .from_agent = "ann", .to_agent = "bob", .reason = "prices", .handoff_type = HandoffType::hierarchical}) ==
          "ann has bob do a part: prices");

    CHECK(words_of(model::ParallelExecutionStartEvent{
              .agents = {"ann", "bob"}, .coordination_agent = "cal", .sync_points = {"facts", "end"}}) ==
          "2 agents at the same time: ann, bob; they meet at facts, end; cal merges");
    CHECK(words_of(model::ParallelExecutionSyncEvent{
              .sync_point = "facts", .completed_agents = {"ann"}, .waiting_agents = {"bob", "cal"}}) ==
          "facts: 1 of 3 is there, waiting for bob, cal");
    CHECK(words_of(model::ParallelExecutionSyncEvent{.sync_point = "facts", .completed_agents = {"ann", "bob"}}) ==
          "facts: all 2 are there");
}

TEST_CASE("a vote is said in words, whatever word was voted")
{
    CHECK(words_of(model::ConsensusProposalEvent{.proposer_agent = "ann", .decision = "ship it"}) ==
          "ann proposes: ship it");
    const auto vote = [](const char* word, const char* why) {
        return words_of(model::ConsensusVoteEvent{.voter_agent = "bob", .vote = word, .reasoning = why});
    };
    CHECK(vote("approve", "it is good") == "bob approves: it is good");
    CHECK(vote("reject", "") == "bob rejects");
    CHECK(vote("abstain", "no answer within 60 s") == "bob abstains: no answer within 60 s");
    CHECK(vote("perhaps", "") == "bob votes perhaps");

    model::ConsensusReachedEvent reached{.final_decision = "ship it"};
    reached.votes["ann"] = "approve";
    reached.votes["bob"] = "approve";
    reached.votes["cal"] = "reject";
    CHECK(words_of(reached) == "decided, 2 of 3 votes for it: ship it");
}

TEST_CASE("what agents do together is progress, and has a sign of its own, in ASCII too")
{
    const model::Event events[] = {model::AgentHandoffEvent{},
                                   model::ParallelExecutionStartEvent{},
                                   model::ParallelExecutionSyncEvent{},
                                   model::ConsensusProposalEvent{},
                                   model::ConsensusVoteEvent{},
                                   model::ConsensusReachedEvent{},
                                   model::ErrorEvent{.context = {{"agent", "bob"}}, .recoverable = true}};
    for (const model::Event& event : events) {
        CAPTURE(model::type_of(event));
        CHECK(is_progress(event));
        REQUIRE(team_mark(event, false));
        CHECK(team_mark(event, false)->sign.size() == 1);
    }
    CHECK_FALSE(team_mark(model::TaskStartEvent{}, true));
    CHECK_FALSE(team_mark(model::ErrorEvent{.recoverable = true}, true));  // of a call, which is tried again
}

TEST_CASE("a node is named with its agent, unless it is the agent's own turn")
{
    CHECK(node_title("review", "ann", true) == "▸ review (ann)");
    CHECK(node_title("ann", "ann", true) == "ann");
    CHECK(node_title("", "ann", true) == "ann");
}
