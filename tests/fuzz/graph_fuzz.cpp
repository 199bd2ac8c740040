// The first byte says how nodes end, the rest is a workflow: any text is one or is refused. One that is read has an order, can be written
// and read back, is looked through, and, made ready, every node of it begins or is skipped once those before it have settled.
#include "base/error.hpp"
#include "base/json.hpp"
#include "expect.hpp"
#include "model/graph.hpp"
#include "model/graph_check.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "patterns/graph/walk.hpp"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace cadre;
using engine::Entry;
using engine::Fate;

namespace {

bool reads(const json::value& value, model::Graph& graph)
{
    model::Problems problems;
    model::read(value, &graph, describe(&graph), {}, problems, {});
    EXPECT(problems.list().size() <= model::kMaxProblems);
    return problems.empty();
}

void expect_order(const model::Graph& graph, const model::GraphOrder& order)
{
    EXPECT(order.size() <= graph.nodes.size() && order.names[0] == graph.entry);
    for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT(order.find(order.names[i]) == i);
        EXPECT(i == 0 || !order.inputs[i].empty());
        for (const std::size_t input : order.inputs[i]) EXPECT(input < i);
    }
}

/// One way through it; a node fails where the rhythm says so.
void walk_through(const patterns::Board& board, unsigned rhythm)
{
    patterns::Setting setting;
    patterns::Results results(board.size());
    std::vector<Fate> fates(board.size(), Fate::open);
    const patterns::Walk walk(board, setting, results);
    for (std::size_t node = 0; node < board.size(); ++node) {
        Entry entry;
        try {
            entry = walk.enter(node, fates);
        } catch (const Error& error) {  // a quorum that cannot be reached ends the workflow, or is a value
            EXPECT(error.code() == Code::upstream);
            if (!walk.tolerates(node)) return;
            fates[node] = results[node].fate = Fate::failed;
            results[node].error = error;
            continue;
        }
        EXPECT(entry.what != Entry::What::wait);
        const bool fails = rhythm > 0 && node % 8 == rhythm % 8;
        fates[node] = entry.what == Entry::What::skip ? Fate::skipped : fails ? Fate::failed : Fate::done;
        results[node].fate = fates[node];
        if (fates[node] == Fate::failed) {
            results[node].error = Error(Code::upstream, "no");
            if (!walk.tolerates(node)) return;
        }
        if (fates[node] != Fate::done) continue;
        for (const std::size_t input : entry.counted) EXPECT(fates[input] == Fate::done);
        EXPECT(walk.state_at(node, entry.counted) != nullptr);
        model::NodeResult& result = results[node].value.emplace();
        for (const std::size_t next : board.order().followers[node]) result.next.push_back(board.node(next).name);
        for (const std::size_t input : entry.counted) result.after.push_back(board.node(input).name);
        result.work.said.push_back({.text = "x"});
    }
    walk.reply();
    walk.update_for(board.graph().state);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    if (size == 0) return 0;
    json::value value;
    try {
        value = parse_json(fuzz::text_of(data + 1, size - 1), {.bytes = 1 << 16, .depth = 32, .nodes = 5'000});
    } catch (const Error&) {
        return 0;  // json_fuzz is about these
    }
    model::Graph graph;
    if (!reads(value, graph)) return 0;
    model::Graph again;
    EXPECT(reads(parse_json(model::to_json_text(graph)), again) && again == graph);
    expect_order(graph, model::order_of(graph));
    model::Problems errors, warnings;
    model::check_workflow(graph, errors, warnings);
    EXPECT(errors.list().size() <= model::kMaxProblems && warnings.list().size() <= model::kMaxProblems);
    if (!errors.empty()) return 0;  // is never run
    std::unique_ptr<patterns::Board> board;
    try {
        board = std::make_unique<patterns::Board>(graph);
    } catch (const Error& error) {
        EXPECT(*error.what() != '\0' && error.code() != Code::internal);
        return 0;
    }
    walk_through(*board, data[0]);
    return 0;
}
