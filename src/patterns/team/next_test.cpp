#include "patterns/team/next.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::patterns;

namespace {

/// `a>b`, `a>b?expression`; `a=b` is a parallel rule, `a^b` a hierarchical one.
std::vector<HandoffWay> ways(std::vector<std::string> rules)
{
    model::Team team;
    for (const std::string& rule : rules) {
        const std::size_t sign = rule.find_first_of(">=^");
        const std::size_t when = std::min(rule.find('?'), rule.size());
        model::HandoffRule made{.from_agent = rule.substr(0, sign), .to_agent = rule.substr(sign + 1, when - sign - 1)};
        if (rule[sign] == '=') made.handoff_type = model::HandoffType::parallel;
        if (rule[sign] == '^') made.handoff_type = model::HandoffType::hierarchical;
        if (when < rule.size()) made.condition = rule.substr(when + 1);
        team.handoff_rules.push_back(std::move(made));
    }
    return ways_of(team);
}

std::string next(std::vector<std::string> rules, const Turn& turn)
{
    const auto names = [&] {
        text::Scope scope;
        scope.set("answer", turn.text);
        return scope;
    };
    const auto found = next_after(ways(std::move(rules)), turn, names);
    return found ? found->to : "-";
}

}  // namespace

TEST_CASE(
    "who is next: a call, then a true condition in the order of the file, then the only rule without one")  // TEAM-14 U
{
    const Turn said{.agent = "a", .text = "go on"};
    Turn called = said;
    called.handoff = Handoff{.call = "c", .to = "d"};
    const struct {
        const char* name;
        std::vector<std::string> rules;
        const Turn& turn;
        const char* to;
    } cases[] = {
        {"no rules", {}, said, "-"},
        {"a rule of another agent", {"b>c"}, said, "-"},
        {"a call wins over everything", {"a>b?true", "a>c"}, called, "d"},
        {"a true condition", {"a>b?'go' in answer"}, said, "b"},
        {"a false condition", {"a>b?'stop' in answer"}, said, "-"},
        {"the first true condition", {"a>b?false", "a>c?true", "a>d?true"}, said, "c"},
        {"a condition before a rule without one", {"a>b", "a>c?true"}, said, "c"},
        {"the only rule without a condition", {"a>b?false", "a>c"}, said, "c"},
        {"two rules without a condition", {"a>b", "a>c"}, said, "-"},
        {"a circle", {"a>b", "b>a"}, said, "-"},
        {"a longer circle", {"a>b", "b>c", "c>a"}, said, "-"},
        {"a circle elsewhere", {"a>b", "b>c", "c>b"}, said, "b"},
        {"a way back with a condition is not a circle", {"a>b", "b>a?true"}, said, "b"},
        {"itself", {"a>a", "a>b"}, said, "b"},
        {"parallel rules wait for a call", {"a=b", "a=c?true"}, said, "-"},
        {"hierarchical rules wait for a call", {"a^b", "a^c?true"}, said, "-"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(next(c.rules, c.turn) == c.to);
    }
}

TEST_CASE("who is next: a condition that cannot be evaluated is named by its place")
{
    try {
        next({"a>b?false", "a>b?nobody > 1"}, {.agent = "a"});
        FAIL("it must fail");
    } catch (const Error& error) {
        CHECK(error.code() == Code::invalid);
        CHECK(std::string(error.what()).find("handoff_rules[1].condition: ") == 0);
    }
}
