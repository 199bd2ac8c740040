#include "patterns/team/proposal.hpp"

#include "base/utf8.hpp"
#include "model/describe.hpp"

namespace cadre::patterns {

using model::field;

const char* const kProposalSchema =
    R"({"type":"object","properties":{"decision":{"type":"string","minLength":1},"reasoning":{"type":"string"}},)"
    R"("required":["decision","reasoning"],"additionalProperties":false})";
const char* const kRulingSchema =
    R"({"type":"object","properties":{"vote":{"enum":["approve","reject"]},"reasoning":{"type":"string"}},)"
    R"("required":["vote","reasoning"],"additionalProperties":false})";

const model::Entity& describe(const Proposal*)
{
    static const model::Entity entity{.name = "proposal",
                                      .doc = "What the agents of a consensus vote on.",
                                      .fields = {field("id", &Proposal::id, "The proposal."),
                                                 field("decision", &Proposal::decision, "What.", {.required = true}),
                                                 field("reasoning", &Proposal::reasoning, "Why.")},
                                      .example =
                                          R"({"id":"prop_1","decision":"Publish it.","reasoning":"It is done."})"};
    return entity;
}

const model::Entity& describe(const Ruling*)
{
    static const model::Entity entity{.name = "ruling",
                                      .doc = "How a coordinator breaks a tie.",
                                      .fields = {field("approves", &Ruling::approves, "Whether it is accepted."),
                                                 field("reasoning", &Ruling::reasoning, "Why.")},
                                      .example = R"({"approves":true,"reasoning":"The risk is small."})"};
    return entity;
}

std::string ballot_text(const Proposal& proposal)
{
    return "This is proposed:\n" + proposal.decision +
           (proposal.reasoning.empty() ? "" : "\n\nReasons:\n" + proposal.reasoning) +
           "\n\nVote on it. Answer with JSON alone: {\"vote\": \"approve\", \"reject\" or \"abstain\", "
           "\"reasoning\": \"why, in a sentence or two\"}";
}

std::string votes_text(const Proposal& proposal, const std::vector<Vote>& votes)
{
    std::string text = "This was proposed:\n" + proposal.decision + "\n\nThe votes:";
    for (const Vote& vote : votes) {
        text += "\n[" + vote.agent + "] " + std::string(word_of(vote.choice));
        if (!vote.reasoning.empty()) text += ": " + vote.reasoning;
    }
    return text;
}

std::string undecided_text(Outcome outcome, const std::vector<Vote>& votes)
{
    constexpr std::size_t kLongestReason = 200;
    constexpr std::string_view reasons[] = {"", "rejected", "a tie", "too few votes for a quorum"};
    std::string text(reasons[static_cast<std::size_t>(outcome)]);
    for (const Vote& vote : votes) {
        text += "; " + vote.agent + ": " + std::string(word_of(vote.choice));
        if (vote.reasoning.empty()) continue;
        const bool is_long = vote.reasoning.size() > kLongestReason;
        text += " (" + std::string(utf8_prefix(vote.reasoning, kLongestReason)) + (is_long ? "…)" : ")");
    }
    return text;
}

}  // namespace cadre::patterns
