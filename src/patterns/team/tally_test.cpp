#include "patterns/team/tally.hpp"

#include "model/pattern_config.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::patterns;
using model::VoteRule;

namespace {

/// `+-0` is an approval of a, a rejection of b, an abstention of c.
std::vector<Vote> votes_from(std::string_view signs)
{
    std::vector<Vote> votes;
    for (const char sign : signs)
        votes.push_back({.agent = std::string(1, static_cast<char>('a' + votes.size())),
                         .choice = sign == '+'   ? Choice::approve
                                   : sign == '-' ? Choice::reject
                                                 : Choice::abstain});
    return votes;
}

/// `+` accepted, `-` rejected, `=` a tie, `?` no quorum.
char came_to(const model::ConsensusConfig& terms, std::string_view signs)
{
    return "+-=?"[static_cast<int>(tally(terms, votes_from(signs)))];
}

}  // namespace

TEST_CASE("tally: every way in which three can vote, by every rule")
{
    struct {
        const char* votes;
        char majority, unanimous, weighted;  // a counts 2
    } const cases[] = {
        {"+++", '+', '+', '+'}, {"++-", '+', '-', '+'}, {"++0", '+', '+', '+'}, {"+-+", '+', '-', '+'},
        {"+--", '-', '-', '='}, {"+-0", '=', '-', '+'}, {"+0+", '+', '+', '+'}, {"+0-", '=', '-', '+'},
        {"+00", '?', '?', '?'}, {"-++", '+', '-', '='}, {"-+-", '-', '-', '-'}, {"-+0", '=', '-', '-'},
        {"--+", '-', '-', '-'}, {"---", '-', '-', '-'}, {"--0", '-', '-', '-'}, {"-0+", '=', '-', '-'},
        {"-0-", '-', '-', '-'}, {"-00", '?', '?', '?'}, {"0++", '+', '+', '?'}, {"0+-", '=', '-', '?'},
        {"0+0", '?', '?', '?'}, {"0-+", '=', '-', '?'}, {"0--", '-', '-', '?'}, {"0-0", '?', '?', '?'},
        {"00+", '?', '?', '?'}, {"00-", '?', '?', '?'}, {"000", '?', '?', '?'},
    };
    CHECK(std::size(cases) == 27);
    const model::ConsensusConfig majority, unanimous{.rule = VoteRule::unanimous};
    model::ConsensusConfig weighted{.rule = VoteRule::weighted};
    weighted.weights["a"] = 2;
    for (const auto& c : cases) {
        CAPTURE(c.votes);
        CHECK(came_to(majority, c.votes) == c.majority);
        CHECK(came_to(unanimous, c.votes) == c.unanimous);
        CHECK(came_to(weighted, c.votes) == c.weighted);
    }
}

TEST_CASE("tally: a quorum is what the votes that are cast count at least")
{
    const model::ConsensusConfig one{.quorum = 1}, two{.quorum = 2}, three{.quorum = 3};
    CHECK(came_to(one, "+00") == '+');
    CHECK(came_to(one, "000") == '?');
    CHECK(came_to(two, "+00") == '?');
    CHECK(came_to(two, "+0+") == '+');
    CHECK(came_to(three, "++0") == '?');
    CHECK(came_to(three, "++-") == '+');
}

TEST_CASE("tally: weights that have no exact sum still tie, and one of 0 decides nothing")
{
    model::ConsensusConfig terms{.rule = VoteRule::weighted};
    terms.weights["a"] = 0.1;
    terms.weights["b"] = 0.2;
    terms.weights["c"] = 0.3;
    CHECK(came_to(terms, "++-") == '=');
    CHECK(came_to(terms, "00+") == '?');  // exactly half of all is not more than half
    terms.weights["c"] = 0;
    CHECK(came_to(terms, "-+-") == '+');
    CHECK(came_to({}, "+-") == '=');  // 1:1
    CHECK(came_to({}, "+") == '+');
}
