// Which parallel nodes of a workflow replace the same field of its state.
#include "base/error.hpp"
#include "model/graph.hpp"
#include "model/graph_check.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace cadre::model {

namespace {

/// More of one field than anyone mends in one go.
constexpr std::size_t kMostMeetings = 60;
constexpr std::size_t kMostNamed = 5;
/// Of nodes that are held against each other, in all; what runs into the rest fails then, and says the same.
constexpr std::size_t kMostPairs = 1'000'000, kMostPairsOfMeeting = 50'000;

/// The graph with a point between two nodes wherever an edge need not be taken, so that what lies behind it is known by who dominates
/// it. Points are numbered so that all ways lead upwards.
class Points {
public:
    static constexpr std::size_t kNone = SIZE_MAX;

    struct Point {
        const std::string* node = nullptr;  // null: an edge that need not be taken
        std::size_t edge = kNone;           // which
        std::vector<std::size_t> before{};
        std::size_t dominator = kNone;
        std::size_t depth = 0;
        std::size_t choices = 0;     // edges on every way to it that need not be taken
        std::size_t conditions = 0;  // those of them that are not mappings
        std::size_t jump = kNone;    // some dominator further up
    };

    explicit Points(const Graph& graph) : graph_(graph)
    {
        std::vector<Point> points;
        std::map<std::string_view, std::size_t> of;
        for (const auto& [name, node] : graph.nodes) of[name] = points.size(), points.push_back({.node = &name});
        std::set<std::string_view> may_fail;  // nodes that another way follows then
        for (const EdgeDef& edge : graph.edges)
            if (edge.on == EdgeOn::error) may_fail.insert(edge.from);
        for (std::size_t i = 0; i < graph.edges.size(); ++i) {
            const EdgeDef& edge = graph.edges[i];
            const auto all = targets(edge);
            for (const std::string_view to : std::set<std::string_view>(all.begin(), all.end())) {
                std::size_t from = of.at(edge.from);
                if (edge.condition || edge.to.is_object() || may_fail.contains(edge.from)) {
                    points.push_back({.edge = i, .before = {from}});
                    from = points.size() - 1;
                }
                points[of.at(to)].before.push_back(from);
            }
        }
        sort(points);
        for (std::size_t i = 0; i < all_.size(); ++i) find_dominator(i);
    }

    const std::vector<Point>& all() const { return all_; }

    enum class Both { never, perhaps, always };
    /// Whether both of them can run.
    Both run_both(std::size_t a, std::size_t b) const
    {
        const std::size_t above = common(a, b);
        const std::size_t to_a = below(a, above), to_b = below(b, above);
        if (to_a != kNone && to_b != kNone && are_exclusive(all_[to_a], all_[to_b])) return Both::never;
        // a mapping takes one of its ways, and each of them may be it
        const bool always = (count(a, above, &Point::choices) == 0 && count(b, above, &Point::conditions) == 0) ||
                            (count(b, above, &Point::choices) == 0 && count(a, above, &Point::conditions) == 0);
        return always ? Both::always : Both::perhaps;
    }

private:
    void sort(std::vector<Point>& points)
    {
        std::vector<std::vector<std::size_t>> after(points.size());
        std::vector<std::size_t> open(points.size()), ready, place(points.size(), kNone);
        for (std::size_t i = 0; i < points.size(); ++i) {
            open[i] = points[i].before.size();
            for (const std::size_t before : points[i].before) after[before].push_back(i);
            if (open[i] == 0) ready.push_back(i);
        }
        while (!ready.empty()) {
            const std::size_t at = ready.back();
            ready.pop_back();
            place[at] = all_.size();
            all_.push_back(std::move(points[at]));
            for (const std::size_t next : after[at])
                if (--open[next] == 0) ready.push_back(next);
        }
        for (Point& point : all_)
            for (std::size_t& before : point.before) before = place[before];
    }

    void find_dominator(std::size_t at)
    {
        Point& point = all_[at];
        bool first = true;
        for (const std::size_t before : point.before) {
            point.dominator = first ? before : common(point.dominator, before);
            first = false;
        }
        point.choices = point.node ? 0 : 1;
        point.conditions = point.node || graph_.edges[point.edge].to.is_object() ? 0 : 1;
        if (point.dominator == kNone) return;
        const Point& up = all_[point.dominator];
        point.depth = up.depth + 1;
        point.choices += up.choices;
        point.conditions += up.conditions;
        const bool twice = up.jump != kNone && all_[up.jump].jump != kNone &&
                           up.depth - all_[up.jump].depth == all_[up.jump].depth - all_[all_[up.jump].jump].depth;
        point.jump = twice ? all_[up.jump].jump : point.dominator;
    }

    /// The dominator of `at` at that depth.
    std::size_t climb(std::size_t at, std::size_t depth) const
    {
        while (all_[at].depth > depth)
            at = all_[at].jump != kNone && all_[all_[at].jump].depth >= depth ? all_[at].jump : all_[at].dominator;
        return at;
    }

    /// The nearest point that both lie behind on every way; kNone: they have different beginnings.
    std::size_t common(std::size_t a, std::size_t b) const
    {
        if (a == kNone || b == kNone) return kNone;
        const std::size_t depth = std::min(all_[a].depth, all_[b].depth);
        a = climb(a, depth);
        b = climb(b, depth);
        while (a != b) {
            if (all_[a].dominator == kNone || all_[b].dominator == kNone) return kNone;
            const bool far = all_[a].jump != all_[b].jump && all_[all_[a].jump].depth == all_[all_[b].jump].depth;
            a = far ? all_[a].jump : all_[a].dominator;
            b = far ? all_[b].jump : all_[b].dominator;
        }
        return a;
    }

    /// The dominator of `at` right below `above`; kNone where they are the same, or `above` is none.
    std::size_t below(std::size_t at, std::size_t above) const
    {
        if (above == kNone || at == above) return kNone;
        return climb(at, all_[above].depth + 1);
    }

    bool are_exclusive(const Point& a, const Point& b) const
    {
        if (a.node || b.node) return false;
        const EdgeDef &in_a = graph_.edges[a.edge], &in_b = graph_.edges[b.edge];
        return a.edge == b.edge || (in_a.from == in_b.from && in_a.on != in_b.on);
    }

    /// How many of these lie between the two.
    std::size_t count(std::size_t at, std::size_t above, std::size_t Point::* what) const
    {
        return all_[at].*what - (above == kNone ? 0 : all_[above].*what);
    }

    const Graph& graph_;
    std::vector<Point> all_;
};

using Bits = std::vector<std::uint64_t>;

void set_bit(Bits& bits, std::size_t i)
{
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
}

/// One field and the nodes that replace it.
class Writes {
public:
    Writes(const Graph& graph, const Points& points, std::string_view field, std::size_t& pairs, Problems& errors,
           Problems& warnings)
        : graph_(graph), points_(points), field_(field), errors_(errors), warnings_(warnings), pairs_(pairs)
    {}

    void check(const std::vector<std::size_t>& writers)
    {
        writers_ = writers;                                 // in the order of their points
        const std::size_t words = writers.size() / 64 + 2;  // a word more for meetings
        const auto& all = points_.all();
        std::vector<Bits> behind(all.size(), Bits(words));  // who has written before: writers, then meetings
        own_.assign(writers.size(), Bits(words));
        std::size_t next = 0;
        for (std::size_t at = 0; at < all.size() && meetings_ < kMostMeetings; ++at) {
            Bits& here = behind[at];
            for (const std::size_t before : all[at].before)
                for (std::size_t w = 0; w < words; ++w) here[w] |= behind[before][w];
            if (all[at].node && all[at].before.size() > 1) meet(at, here);
            if (next < writers.size() && writers[next] == at) {
                own_[next] = here;
                set_bit(here, next++);
            }
        }
    }

private:
    /// Where ways meet, those count that nobody has written after; of what met before, that meeting does. More than one of them were
    /// at it at the same time.
    void meet(std::size_t at, Bits& here)
    {
        Bits open = here;
        for (std::size_t m = 0; m < settled_.size(); ++m)
            if (has(here, writers_.size() + m)) remove(settled_[m], open);
        std::vector<std::size_t> last;
        for (std::size_t i = writers_.size(); i-- > 0;) {
            if (!has(open, i)) continue;
            last.push_back(i);
            remove(own_[i], open);
        }
        if (last.size() < 2) return;
        report(at, last);
        settled_.push_back(here);
        set_bit(here, writers_.size() + meetings_++);
    }

    static void remove(const Bits& some, Bits& from)
    {
        for (std::size_t w = 0; w < from.size(); ++w) from[w] &= ~some[w];
    }
    static bool has(const Bits& bits, std::size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }

    void report(std::size_t at, const std::vector<std::size_t>& last)
    {
        const std::string& where = *points_.all()[at].node;
        const NodeDef& node = *graph_.nodes.find(where);
        if (node.join && (node.join->policy == JoinPolicy::first || node.join->winner.find(field_))) return;
        std::set<std::string> certain, perhaps;
        std::size_t pairs = std::min(pairs_, kMostPairsOfMeeting);
        pairs_ -= pairs;
        for (std::size_t i = 0; i < last.size(); ++i)
            for (std::size_t j = i + 1; j < last.size() && pairs > 0; ++j, --pairs) {
                const auto both = points_.run_both(writers_[last[i]], writers_[last[j]]);
                if (both == Points::Both::never) continue;
                (both == Points::Both::always ? certain : perhaps).insert({name(last[i]), name(last[j])});
            }
        pairs_ += pairs;  // that were not needed
        const Path root;
        const Path nodes(root, "nodes");
        const Path path(nodes, where);
        if (!certain.empty())
            errors_.add(path,
                        fmt::format("{} replace the field {} of the state at the same time, and meet here; say under "
                                    "join.winner whose value counts, or declare another reducer",
                                    named(certain), in_quotes(field_)));
        else if (!perhaps.empty())
            warnings_.add(
                path, fmt::format("{} replace the field {} of the state, and meet here; if more than one of them runs, "
                                  "the workflow fails: say under join.winner whose value counts",
                                  named(perhaps), in_quotes(field_)));
    }

    const std::string& name(std::size_t writer) const { return *points_.all()[writers_[writer]].node; }

    static std::string named(const std::set<std::string>& names)
    {
        const std::vector<std::string> all(names.begin(), names.end());
        const std::size_t shown = std::min(all.size(), kMostNamed);
        std::string text =
            fmt::format("{}", fmt::join(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
        return shown == all.size() ? text : fmt::format("{} and {} more", text, all.size() - shown);
    }

    const Graph& graph_;
    const Points& points_;
    std::string_view field_;
    Problems &errors_, &warnings_;
    std::vector<std::size_t> writers_;
    std::vector<Bits> own_;      // who had written before each of them
    std::vector<Bits> settled_;  // who had written before each meeting that was looked at
    std::size_t meetings_ = 0;
    std::size_t& pairs_;
};

bool is_replaced(const Graph& graph, std::string_view field)
{
    const StateField* declared = graph.state.find(field);
    return !declared || declared->reducer == Reducer::replace;
}

}  // namespace

void check_writes(const Graph& graph, Problems& errors, Problems& warnings)
{
    std::map<std::string_view, std::set<std::string_view>> writers;  // by field
    for (const auto& [name, node] : graph.nodes) {
        if (node.output) writers[*node.output].insert(name);
        for (const auto& [field, expression] : node.set) writers[field].insert(name);
        if (node.map && node.map->into) writers[*node.map->into].insert(name);
    }
    std::erase_if(writers, [&](const auto& one) { return one.second.size() < 2 || !is_replaced(graph, one.first); });
    if (writers.empty()) return;
    const Points points(graph);
    std::size_t pairs = kMostPairs;
    std::map<std::string_view, std::size_t> place;
    for (std::size_t i = 0; i < points.all().size(); ++i)
        if (const std::string* node = points.all()[i].node) place[*node] = i;
    for (const auto& [field, names] : writers) {
        std::vector<std::size_t> all;
        for (const std::string_view name : names) all.push_back(place.at(name));
        std::ranges::sort(all);
        Writes(graph, points, field, pairs, errors, warnings).check(all);
    }
}

}  // namespace cadre::model
