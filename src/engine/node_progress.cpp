#include "engine/node_progress.hpp"

#include "base/json.hpp"
#include "engine/body.hpp"
#include "engine/effect_path.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

/// `a/b` is `a`, and `rest` becomes `b`.
std::string_view take_part(std::string_view& rest)
{
    const auto slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest = slash == rest.npos ? std::string_view() : rest.substr(slash + 1);
    return part;
}

/// The visit that comes next in the path: `2/x` is the second, everything else the first.
int take_visit(std::string_view& rest)
{
    std::string_view behind = rest;
    const std::string_view part = take_part(behind);
    int visit = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), visit);
    if (error != std::errc{} || end != part.data() + part.size()) return 1;
    rest = behind;
    return visit;
}

bool joins_by_time(const model::NodeDef& node)
{
    return node.join &&
           (node.join->policy == model::JoinPolicy::first || node.join->policy == model::JoinPolicy::quorum);
}

bool has_begun(const NodeState& state)
{
    return state.started.has_value();
}

}  // namespace

std::string_view name_of(NodeStatus status)
{
    constexpr std::string_view kNames[] = {"pending", "running", "waiting", "done", "failed", "skipped", "cancelled"};
    return kNames[static_cast<std::size_t>(status)];
}

NodeProgress::NodeProgress(const model::Graph& graph, std::string scope)
    : graph_(graph),
      scope_(std::move(scope)),
      in_(graph.nodes.size()),
      out_(graph.nodes.size()),
      seen_(graph.nodes.size())
{
    for (const auto& [name, node] : graph.nodes) places_.emplace(name, places_.size());
    for (const model::EdgeDef& edge : graph.edges) {
        const auto from = places_.find(edge.from);
        if (from == places_.end()) continue;
        std::set<std::size_t> known;
        for (const std::string_view target : model::targets(edge)) {
            const auto to = places_.find(target);
            if (to == places_.end() || !known.insert(to->second).second) continue;
            out_[from->second].push_back(ways_.size());
            in_[to->second].push_back(ways_.size());
            ways_.push_back({.from = from->second, .to = to->second, .on = edge.on});
        }
    }
    std::vector<std::size_t> missing(graph.nodes.size());
    for (const Way& way : ways_) ++missing[way.to];
    for (std::size_t i = 0; i < missing.size(); ++i)
        if (missing[i] == 0) order_.push_back(i);
    for (std::size_t at = 0; at < order_.size(); ++at)
        for (const std::size_t way : out_[order_[at]])
            if (--missing[ways_[way].to] == 0) order_.push_back(ways_[way].to);
}

void NodeProgress::take(const Record& record)
{
    apply(task_, record);
    if (!belongs_to_effect(record) || !record.path.starts_with(scope_)) return;
    std::string_view inside = std::string_view(record.path).substr(scope_.size());
    const auto place = places_.find(take_part(inside));
    if (place == places_.end()) return;
    Seen& seen = seen_[place->second];
    if (!seen.state.started) seen.state.started = record.at;
    take_visit(inside);
    if (inside.empty() && record.kind == RecordKind::node_done) {
        seen.done = true;
        seen.open.clear();
        seen.state.ended = record.at;
        take_result(record.body, seen);
        return;
    }
    take_effect(record, seen);
    note_structure(inside, graph_.nodes.item(place->second).second, seen);
}

/// A node that failed and yet led on has a result, which says so.
void NodeProgress::take_result(std::string_view result, Seen& seen) const
{
    seen.state.error.clear();
    boost::system::error_code not_json;
    const boost::json::value value = boost::json::parse(result, not_json);
    const auto* object = not_json ? nullptr : value.if_object();
    if (!object) return;
    if (const auto* error = object->if_contains("error"); error && error->is_string())
        seen.state.error = std::string(error->get_string());
    const auto* next = object->if_contains("next");
    if (!next || !next->is_array()) return;
    seen.next.emplace();
    for (const auto& name : next->get_array())
        if (name.is_string()) seen.next->emplace(name.get_string());
}

void NodeProgress::take_effect(const Record& record, Seen& seen) const
{
    if (seen.done) return;  // what came too late
    seen.state.ended = record.at;
    if (record.kind == RecordKind::intent || record.kind == RecordKind::unknown) seen.open.insert(record.path);
    if (record.kind == RecordKind::answer) seen.open.erase(record.path);
    if (record.kind != RecordKind::outcome) return;
    seen.open.erase(record.path);
    seen.last_cancelled = was_cancelled(record);
    const auto outcome = body_of<OutcomeBody>(record);
    seen.state.error = outcome.error.is_set() ? outcome.error.get().message : "";
}

/// Turns, attempts and branches of the node itself, not of what it runs.
void NodeProgress::note_structure(std::string_view inside, const model::NodeDef& node, Seen& seen) const
{
    std::string_view rest = inside;
    std::string_view part = take_part(rest);
    if (node.retry && part == "try") {
        const int attempt = take_visit(rest);
        if (attempt < seen.state.attempts) return;
        if (attempt > seen.state.attempts) {
            seen.state.turns = seen.state.branches = 0;
            seen.branches.clear();
        }
        seen.state.attempts = attempt;
        part = take_part(rest);
    }
    const bool races = node.timeout && node.type != model::NodeType::human;
    if (races && part.starts_with("branch:")) part = take_part(rest);  // with a clock
    if (node.type == model::NodeType::loop && part == "turn")
        seen.state.turns = std::max(seen.state.turns, take_visit(rest));
    if (node.type != model::NodeType::map || !part.starts_with("branch:")) return;
    const auto length = static_cast<std::size_t>(part.data() - inside.data()) + part.size();
    seen.branches.emplace(inside.substr(0, length));
    seen.state.branches = static_cast<int>(seen.branches.size());
}

/// Nodes of which something must have become, because whoever waits for all that lead to it has begun, or was skipped.
std::vector<bool> NodeProgress::passed() const
{
    std::vector<bool> passed(seen_.size());
    for (auto node = order_.rbegin(); node != order_.rend(); ++node)
        passed[*node] = std::ranges::any_of(out_[*node], [&](std::size_t way) {
            const std::size_t next = ways_[way].to;
            return (has_begun(seen_[next].state) || passed[next]) && !joins_by_time(graph_.nodes.item(next).second);
        });
    return passed;
}

NodeStatus NodeProgress::status_of(std::size_t node, bool passed) const
{
    const Seen& seen = seen_[node];
    if (seen.done) return seen.state.error.empty() ? NodeStatus::done : NodeStatus::failed;
    if (!has_begun(seen.state)) return passed || task_.finished() ? NodeStatus::skipped : NodeStatus::pending;
    if (task_.status == model::TaskStatus::cancelled) return NodeStatus::cancelled;
    const bool stopped = seen.last_cancelled || !seen.open.empty();
    if (task_.finished()) return stopped ? NodeStatus::cancelled : NodeStatus::failed;
    const auto asks = [&](const OpenQuestion& question) { return seen.open.contains(question.path); };
    if (std::ranges::any_of(task_.questions, asks)) return NodeStatus::waiting;
    if (!seen.open.empty()) return NodeStatus::running;
    if (seen.last_cancelled) return NodeStatus::cancelled;
    return passed ? NodeStatus::failed : NodeStatus::running;
}

bool NodeProgress::is_dead(const Way& way, const std::vector<NodeState>& states) const
{
    const Seen& seen = seen_[way.from];
    if (seen.next) return !seen.next->contains(graph_.nodes.item(way.to).first);
    switch (states[way.from].status) {
    case NodeStatus::skipped:
    case NodeStatus::cancelled: return true;
    case NodeStatus::done: return way.on == model::EdgeOn::error;
    case NodeStatus::pending:
    case NodeStatus::running:
    case NodeStatus::waiting:
    case NodeStatus::failed: return false;  // whether its failure is a value is for joins to say
    }
    return false;
}

/// Nodes that can no longer begin, although the task runs.
void NodeProgress::skip_unreached(std::vector<NodeState>& states) const
{
    const auto is_pending = [&](std::size_t node) { return states[node].status == NodeStatus::pending; };
    const auto needs_nothing = [&](std::size_t way) {
        const NodeState& next = states[ways_[way].to];
        return has_begun(next) || next.status == NodeStatus::skipped;
    };
    const auto dead = [&](std::size_t way) { return is_dead(ways_[way], states); };
    for (auto node = order_.rbegin(); node != order_.rend(); ++node)
        if (is_pending(*node) && !out_[*node].empty() && std::ranges::all_of(out_[*node], needs_nothing))
            states[*node].status = NodeStatus::skipped;
    for (const std::size_t node : order_)
        if (is_pending(node) && !in_[node].empty() && std::ranges::all_of(in_[node], dead))
            states[node].status = NodeStatus::skipped;
}

std::vector<NodeState> NodeProgress::states() const
{
    std::vector<NodeState> states;
    for (const Seen& seen : seen_) states.push_back(seen.state);
    const auto passed_by = passed();
    for (std::size_t i = 0; i < states.size(); ++i) {
        NodeState& state = states[i];
        state.status = status_of(i, passed_by[i]);
        if (state.status != NodeStatus::failed) state.error.clear();
        if (state.status == NodeStatus::running || state.status == NodeStatus::waiting) state.ended.reset();
        state.at_work = static_cast<int>(std::ranges::count_if(seen_[i].branches, [&](const std::string& branch) {
            const std::string inside = scope_ + graph_.nodes.item(i).first + "/" + branch + "/";
            const auto open = seen_[i].open.lower_bound(inside);
            return open != seen_[i].open.end() && open->starts_with(inside);
        }));
    }
    if (!task_.finished()) skip_unreached(states);
    return states;
}

std::vector<NodeState> node_states(std::span<const Record> records, const model::Graph& graph, std::string scope)
{
    NodeProgress states(graph, std::move(scope));
    for (const Record& record : records) states.take(record);
    return states.states();
}

}  // namespace cadre::engine
