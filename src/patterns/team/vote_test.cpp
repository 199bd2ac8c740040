#include "patterns/team/vote.hpp"

#include <doctest/doctest.h>

using namespace cadre::patterns;

TEST_CASE("a vote is read in odd words, and never as what it does not say")
{
    struct {
        const char* text;
        const char* is;  // empty: it cannot be read
    } const cases[] = {
        {R"({"vote":"approve","reasoning":"fine"})", "approve"},
        {R"({"vote":"Reject","reasoning":"I approve of the style only"})", "reject"},
        {R"({"VOTE": "ABSTAIN"})", "abstain"},
        {"```json\n{\"vote\": \"approve\", \"reasoning\": \"ok\"}\n```", "approve"},
        {"Here is my vote:\n{\"vote\": \"reject\", \"reasoning\": \"no\"}\nThank you.", "reject"},
        {R"({"vote":true})", "approve"},
        {R"({"vote":"yes"})", "approve"},
        {R"({"vote":"maybe"})", ""},
        {R"({"vote":3})", ""},
        {"Yes, I approve", "approve"},
        {"LGTM", "approve"},
        {"lgtm!", "approve"},
        {"**APPROVED**", "approve"},
        {"+1", "approve"},
        {"-1", "reject"},
        {"👍", "approve"},
        {"No objections.", "approve"},
        {"No, I reject this.", "reject"},
        {"no", "reject"},
        {"I do not approve.", "reject"},
        {"I can't fully agree with this.", "reject"},
        {"I don’t agree.", "reject"},
        {"I disagree", "reject"},
        {"I vote no", "reject"},
        {"Vote: approve, though I would reject it in production", "approve"},
        {"I abstain: not my field.", "abstain"},
        {"Let me think.\n\nI approve.", "approve"},
        {"Vote (approve, reject or abstain): reject", ""},
        {"Okay, here is my vote:\n\n**Reject** - it leaks.", "reject"},
        {"Sure, let me look at it.\nI reject it.", "reject"},
        {"Vote: approve/reject? Reject.", "reject"},
        {"I am unable to approve this.", "reject"},
        {"I refuse to approve this.", "reject"},
        {"I approve nothing of this.", ""},
        {"Hardly something I can approve.", ""},
        {"Approve? No.", "reject"},
        {"I would approve it if it had tests.", ""},
        {"I will only approve once the tests exist.", ""},
        {"Not perfect, but approve.", "approve"},
        {"Not bad. I approve.", "approve"},
        {"Why not? Approve.", "approve"},
        {"I don't mind; approved.", "approve"},
        {"There isn't a problem: approve", "approve"},
        {"I see no reason not to approve.", ""},
        {"Couldn't agree more!", ""},
        {"I do not, after all that was said here, approve.", ""},
        {"I approve of the idea.\nStill I reject it.", ""},
        {"ok", "approve"},
        {"Sure!", "approve"},
        {"I do not reject it.", ""},
        {"I would neither approve nor reject", ""},
        {"Approve or reject? Hard to say.", ""},
        {"The weather is nice.", ""},
        {"{braces} but no vote", ""},
        {"", ""},
        {"{", ""},
        {"} {", ""},
    };
    for (const auto& c : cases) {
        const auto vote = read_vote("a", c.text);
        CHECK_MESSAGE((vote ? word_of(vote->choice) : "") == std::string_view(c.is), c.text);
    }
}

TEST_CASE("a vote's reasons are its own, or all its words")
{
    CHECK(read_vote("a", R"({"vote":"approve","reasoning":"It is sound."})")->reasoning == "It is sound.");
    CHECK(read_vote("a", R"({"vote":"approve","Reason":"Short."})")->reasoning == "Short.");
    CHECK(read_vote("a", R"({"vote":"approve"})")->reasoning == "");
    CHECK(read_vote("ann", "Yes, I approve: short.") ==
          Vote{.agent = "ann", .choice = Choice::approve, .reasoning = "Yes, I approve: short."});
}
