#include "cli/graph/text_drawing.hpp"

#include "cli/environment.hpp"
#include "cli/layout.hpp"
#include "cli/write_file.hpp"
#include "support/golden.hpp"
#include "support/source.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre;
using namespace cadre::cli;
using engine::NodeStatus;

namespace {

std::string drawn(const Drawing& drawing, std::size_t width, bool utf8 = true)
{
    std::string text;
    const TextLook look{.utf8 = utf8, .width = width, .now = Time(Millis(65'000))};
    for (const std::string& line : text_drawing(drawing, look)) text += line + "\n";
    return text;
}

/// Like the golden file; `scripts/check --approve cli_test` writes it.
void check_golden_drawing(const std::string& file, const std::string& text)
{
    if (environment("CADRE_APPROVE")) write_file(test::source_folder() / "tests/golden" / file, text);
    CHECK("\n" + text == "\n" + test::golden(file));
}

/// Nodes by the letters of `names`, edges like `ab`, with their labels behind.
Drawing letters(std::string_view names, std::initializer_list<std::string_view> edges)
{
    Drawing drawing{.kind = "workflow", .name = "letters"};
    for (const char name : names) drawing.nodes.push_back({.name = std::string(1, name)});
    for (const std::string_view edge : edges)
        drawing.edges.push_back({names.find(edge[0]), names.find(edge[1]), std::string(edge.substr(2))});
    return drawing;
}

engine::NodeState state_of(NodeStatus status, int began = -1, int ended = -1)
{
    engine::NodeState state{.status = status};
    if (began >= 0) state.started = Time(Millis(began));
    if (ended >= 0) state.ended = Time(Millis(ended));
    return state;
}

/// A task in the middle of its way: every kind of node, every state.
Drawing article()
{
    model::Graph graph{.name = "article", .entry = "research"};
    graph.nodes["research"].agent = "researcher";
    graph.nodes["gather"] = {
        .type = model::NodeType::map, .agent = "reader", .map = model::MapDef{.over = "state.sources"}};
    graph.nodes["figures"] = {.type = model::NodeType::tool, .tool = "query_sales"};
    graph.nodes["draft"] = {.type = model::NodeType::loop,
                            .agent = "writer",
                            .join = model::Join{.policy = model::JoinPolicy::collect},
                            .loop = model::LoopDef{.max = 3}};
    graph.nodes["route"] = {.type = model::NodeType::condition};
    graph.nodes["review"] = {.type = model::NodeType::human};
    graph.nodes["publish_to_all_channels_at_once"] = {.type = model::NodeType::workflow, .workflow = "publish"};
    graph.nodes["drop"] = {.type = model::NodeType::team, .pattern = "vote"};
    graph.hitl_nodes = {"publish_to_all_channels_at_once"};
    const auto edge = [&](const char* from, const char* to) {
        graph.edges.push_back({.from = from, .to = boost::json::value(to)});
    };
    edge("research", "gather");
    edge("research", "figures");
    edge("gather", "draft");
    edge("figures", "draft");
    edge("draft", "route");
    graph.edges.push_back(
        {.from = "route", .to = boost::json::parse(R"({"ok":"publish_to_all_channels_at_once","*":"review"})")});
    graph.edges.push_back({.from = "review", .to = boost::json::value("drop"), .condition = "state.rounds > 2"});
    graph.edges.push_back({.from = "figures", .to = boost::json::value("drop"), .on = model::EdgeOn::error});
    Drawing drawing = drawing_of(graph);
    std::vector<engine::NodeState> states{state_of(NodeStatus::done, 0, 1'200),
                                          state_of(NodeStatus::cancelled, 1'200, 9'000),
                                          state_of(NodeStatus::failed, 1'200, 1'900),
                                          state_of(NodeStatus::running, 9'000),
                                          state_of(NodeStatus::pending),
                                          state_of(NodeStatus::waiting, 60'000),
                                          state_of(NodeStatus::pending),
                                          state_of(NodeStatus::skipped)};
    states[1].branches = 8;
    states[2].error = "no such table: sales";
    states[3].turns = 2;
    set_states(drawing, states);
    return drawing;
}

Drawing desk()
{
    model::Team team{.name = "desk"};
    for (const char* name : {"front", "billing", "legal"}) {
        team.agents.emplace_back();
        team.agents.back().name = name;
        team.agents.back().role = std::string("The ") + name + " desk.";
    }
    team.handoff_rules = {{"front", "billing", "about money", model::HandoffType::sequential},
                          {"front", "legal", "a threat", model::HandoffType::parallel},
                          {"billing", "front", std::nullopt, model::HandoffType::sequential},
                          {"legal", "legal", "not sure", model::HandoffType::sequential}};
    team.collaboration_patterns = {{"refunds", model::PatternType::consensus, {"front", "billing"}, "billing"},
                                   {"all", model::PatternType::parallel, {"front", "billing", "legal"}}};
    return drawing_of(team);
}

}  // namespace

TEST_CASE("text drawings: goldens at 80 and 40 columns")
{
    struct {
        const char* file;
        Drawing drawing;
    } const cases[] = {
        {"graph/chain.txt", letters("abc", {"ab", "bc"})},
        {"graph/diamond.txt", letters("abcd", {"ab", "ac", "bd", "cd"})},
        {"graph/labels.txt", letters("abcd", {"abgood", "acbad", "bd", "cd", "ad"})},
        {"graph/crossing.txt",
         letters("abcdefgh", {"ab", "ac", "ad", "ae", "bf", "cf", "df", "ef", "fg", "ah", "gh", "cg"})},
        {"graph/swap.txt", letters("abcd", {"ad", "bc", "ac", "bd"})},
        {"graph/article.txt", article()},
        {"graph/desk.txt", desk()},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.file));
        check_golden_drawing(c.file, drawn(c.drawing, 80) + "\n" + drawn(c.drawing, 40));
    }
    check_golden_drawing("graph/article_ascii.txt", drawn(article(), 80, false));
}

TEST_CASE("text drawings: every state has a word and a mark of its own, with or without colours")
{
    std::vector<std::string> words;
    for (int i = 0; i < 7; ++i)
        for (const bool utf8 : {true, false})
            words.push_back(state_text(state_of(static_cast<NodeStatus>(i)), {.utf8 = utf8}, true));
    for (std::size_t i = 0; i < words.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if ((i - j) % 2 == 0)
                CHECK(words[i].substr(0, words[i].find(' ')) != words[j].substr(0, words[j].find(' ')));
    CHECK(words[6] == "✓ done");
    CHECK(words[5] == "? waiting");
}

TEST_CASE("text drawings: colours change no column")
{
    const auto plain = text_drawing(article(), {.utf8 = true});
    auto coloured = text_drawing(article(), {.paint = {.on = true}, .utf8 = true});
    REQUIRE(plain.size() == coloured.size());
    std::size_t painted = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        std::string& line = coloured[i];
        for (std::size_t at = line.find('\x1b'); at != line.npos; at = line.find('\x1b'), ++painted)
            line.erase(at, line.find('m', at) - at + 1);
        CHECK(line == plain[i]);
    }
    CHECK(painted > 20);
}

TEST_CASE("text drawings: a box does not change its size while its node runs")
{
    Drawing drawing = article();
    const std::string before = drawn(drawing, 80);
    for (DrawnNode& node : drawing.nodes) node.state = state_of(NodeStatus::cancelled, 0, 3'600'000);
    const std::string after = drawn(drawing, 80);
    const auto frame = [](const std::string& text) {
        std::string lines;
        for (const std::string_view corner : {"┌", "┐", "└", "┘", "▼"})
            for (std::size_t at = text.find(corner); at != text.npos; at = text.find(corner, at + 1)) lines += corner;
        return lines;
    };
    CHECK(frame(before.substr(0, before.find("no such table"))) == frame(after));
}

TEST_CASE("text drawings: names that are cut stand in full below, and differ")
{
    Drawing drawing = letters("abcd", {"ab", "ac", "ad"});
    for (std::size_t i = 1; i < 4; ++i)
        drawing.nodes[i].name = "a_name_that_is_far_too_long_for_this_" + std::to_string(i);
    const std::string text = drawn(drawing, 60);
    for (std::size_t i = 1; i < 4; ++i) CHECK(text.find(drawing.nodes[i].name) != text.npos);
}

TEST_CASE("text drawings: what is too large or too wide is a list, and says so")
{
    Drawing wide = letters("a", {}), large = letters("a", {});
    for (std::size_t i = 1; i <= 10'000; ++i) {
        large.nodes.push_back({.name = "n" + std::to_string(i)});
        large.edges.push_back({i - 1, i});
    }
    const std::string list = drawn(large, 80);
    CHECK(list.find("Too large to draw") != list.npos);
    CHECK(std::ranges::count(list, '\n') == 2 + 10'001 + 10'000);
    for (std::size_t i = 1; i <= 20; ++i) {
        wide.nodes.push_back({.name = "node_" + std::to_string(i)});
        wide.edges.push_back({i - 1, i});
        if (i > 1) wide.edges.push_back({0, i});
    }
    const std::string narrow = drawn(wide, 20);
    CHECK(narrow.find("does not") != narrow.npos);
    CHECK(narrow.find("node_20") != narrow.npos);
}
