#include "cli/graph/text_drawing.hpp"

#include "base/visible.hpp"
#include "cli/graph/layers.hpp"
#include "cli/graph/plane.hpp"
#include "cli/graph/sheet.hpp"
#include "cli/graph/short_names.hpp"
#include "cli/layout.hpp"
#include "cli/task_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::cli {
namespace {

using engine::NodeStatus;

constexpr std::size_t kMostItems = 3'000;
constexpr int kMostRows = 2'000;
/// Columns of names, the widest that fits is taken.
constexpr std::size_t kNameWidths[] = {36, 24, 16, 11, 8};
/// Of the widest word for a state, with its mark: boxes do not change their size while a task runs.
constexpr std::size_t kStateWidth = 11;
constexpr std::size_t kNarrowestPage = 20;
/// Boxes become no wider for more lines than that.
constexpr std::size_t kMostArrivals = 12;

enum class Direction : std::uint8_t { down, right };

struct BoxLines {
    std::vector<std::string> text{};
    std::optional<Tone> tone{};
    std::size_t width = 0;
    std::size_t arrivals = 0;  // lines that end here

    /// With its frame. Each line that comes from the left has a row of its own.
    std::size_t height(Direction way) const
    {
        return std::max(text.size(), way == Direction::right ? std::min(arrivals, kMostArrivals) : 0) + 2;
    }
};

/// What stands in the boxes and on the lines, at one width of names.
struct DrawingWords {
    std::vector<std::string> names{};
    std::vector<std::string> labels{};  // of the edges
    std::vector<BoxLines> boxes{};
};

DrawingWords drawing_words_of(const Drawing& drawing, const TextLook& look, std::size_t most)
{
    DrawingWords words;
    std::vector<std::string> names, labels;
    for (const DrawnNode& node : drawing.nodes) names.push_back(node.name);
    for (const DrawnEdge& edge : drawing.edges) labels.push_back(edge.label);
    words.names = short_names(names, most, look.utf8);
    words.labels = short_names(labels, most, look.utf8);
    const auto short_text = [&](const std::string& text) {
        return short_names(std::vector{text}, most, look.utf8).front();
    };
    std::vector<std::size_t> arrivals(drawing.nodes.size());
    for (const DrawnEdge& edge : drawing.edges) ++arrivals[edge.to];
    for (std::size_t i = 0; i < drawing.nodes.size(); ++i) {
        const DrawnNode& node = drawing.nodes[i];
        BoxLines box{.text = {words.names[i]}, .arrivals = arrivals[i]};
        if (arrivals[i] > 1) box.width = 2 * std::min(arrivals[i], kMostArrivals) - 3;  // each line has its own end
        if (!node.about.empty()) box.text.push_back(short_text(node.about));
        for (const std::string& note : node.notes) box.text.push_back(short_text("(" + note + ")"));
        for (const std::string& line : box.text) box.width = std::max(box.width, columns(line));
        if (node.state) {
            box.width = std::max(box.width, kStateWidth);
            std::string line = state_text(*node.state, look, true);
            if (columns(line) > box.width) line = state_text(*node.state, look, false);
            box.text.push_back(std::move(line));
            const std::string counts = counts_of(node);
            if (node.most || node.type == "map" || (drawing.kind == "team" && !counts.empty()))
                box.text.push_back(one_line(counts, box.width, look.utf8));
            box.tone = node_tone(node.state->status);
        }
        words.boxes.push_back(std::move(box));
    }
    return words;
}

std::vector<Extent> sizes_of(const Layered& graph, const DrawingWords& words, Direction way)
{
    std::vector<Extent> sizes;
    for (const LayerItem& item : graph.items) {
        int width = 1, height = 1;
        if (item.node) {
            width = static_cast<int>(words.boxes[*item.node].width) + 4;
            height = static_cast<int>(words.boxes[*item.node].height(way));
        } else if (item.label) {
            width = static_cast<int>(columns(words.labels[*item.label])) + (way == Direction::right ? 2 : 0);
        } else if (way == Direction::right) {
            width = 0;  // as wide as its layer
        } else {
            height = 0;
        }
        sizes.push_back(way == Direction::down ? Extent{.main = height, .cross = width}
                                               : Extent{.main = width, .cross = height});
    }
    return sizes;
}

/// Puts the plane on a sheet.
class Painter {
public:
    Painter(const Layered& graph, const Plane& plane, const DrawingWords& words, Direction way, bool utf8)
        : graph_(graph),
          plane_(plane),
          words_(words),
          way_(way),
          sheet_(static_cast<std::size_t>(way == Direction::down ? plane.size.cross : plane.size.main),
                 static_cast<std::size_t>(way == Direction::down ? plane.size.main : plane.size.cross), utf8)
    {}

    Sheet paint()
    {
        for (std::size_t i = 0; i < plane_.nets.size(); ++i) line(plane_.nets[i], i + 1);
        for (std::size_t i = 0; i < graph_.items.size(); ++i) item(i);
        for (const Net& net : plane_.nets) ends(net);
        return std::move(sheet_);
    }

private:
    struct Spot {
        std::size_t x, y;
    };
    Spot spot(int main, int cross) const
    {
        const auto at = [](int number) { return static_cast<std::size_t>(std::max(number, 0)); };
        return way_ == Direction::down ? Spot{at(cross), at(main)} : Spot{at(main), at(cross)};
    }
    std::uint8_t ahead() const { return way_ == Direction::down ? kDown : kRight; }
    std::uint8_t behind() const { return way_ == Direction::down ? kUp : kLeft; }
    std::uint8_t lower() const { return way_ == Direction::down ? kLeft : kUp; }
    std::uint8_t higher() const { return way_ == Direction::down ? kRight : kDown; }
    Sheet::Head head() const { return way_ == Direction::down ? Sheet::Head::down : Sheet::Head::right; }

    void add(int main, int cross, int sides, std::size_t number)
    {
        const Spot at = spot(main, cross);
        sheet_.add_line(at.x, at.y, static_cast<std::uint8_t>(sides), number);
    }
    /// Along the way, up to but not including `to`.
    void along(int from, int to, int cross, std::size_t number)
    {
        for (int main = from; main < to; ++main) add(main, cross, ahead() | behind(), number);
    }

    void line(const Net& net, std::size_t number)
    {
        const PlacedItem& source = plane_.items[net.from];
        const int begin = source.main + source.size.main;
        const int track = net.track.value_or(begin);
        along(begin, track, net.exit, number);
        int first = net.exit, last = net.exit;
        for (const Net::Arrival& one : net.arrivals) {
            first = std::min(first, one.at);
            last = std::max(last, one.at);
            along(net.track ? track + 1 : begin, plane_.items[one.to].main, one.at, number);
            if (net.track) add(track, one.at, ahead(), number);
        }
        if (!net.track) return;
        add(track, net.exit, behind(), number);
        for (int cross = first; cross <= last; ++cross)
            add(track, cross, (cross > first ? lower() : 0) | (cross < last ? higher() : 0), number);
    }

    void item(std::size_t number)
    {
        const LayerItem& item = graph_.items[number];
        const PlacedItem& placed = plane_.items[number];
        const Spot at = spot(placed.main, placed.cross);
        if (item.node) {
            const BoxLines& box = words_.boxes[*item.node];
            sheet_.box(at.x, at.y, box.width + 4, box.height(way_), box.tone);
            for (std::size_t i = 0; i < box.text.size(); ++i) {
                const bool is_state = box.tone && i + 1 == box.text.size();
                sheet_.write(at.x + 2, at.y + 1 + i, box.text[i], is_state ? box.tone : std::nullopt);
            }
        } else if (item.label) {
            sheet_.write(way_ == Direction::right ? at.x + 1 : at.x, at.y, words_.labels[*item.label]);
        } else {
            along(placed.main, placed.main + placed.size.main, placed.exit, 0);
        }
    }

    void ends(const Net& net)
    {
        const PlacedItem& source = plane_.items[net.from];
        if (const auto node = graph_.items[net.from].node) {
            const Spot at = spot(source.main + source.size.main - 1, net.exit);
            sheet_.leave(at.x, at.y, head(), words_.boxes[*node].tone);
        }
        for (const Net::Arrival& one : net.arrivals) {
            if (!graph_.items[one.to].node) continue;
            const Spot at = spot(plane_.items[one.to].main - 1, one.at);
            sheet_.arrow(at.x, at.y, head());
        }
    }

    const Layered& graph_;
    const Plane& plane_;
    const DrawingWords& words_;
    Direction way_;
    Sheet sheet_;
};

struct DrawingAttempt {
    Plane plane{};
    DrawingWords words{};
    Direction way = Direction::down;
    int rows = 0;
};

std::optional<DrawingAttempt> attempt(const Layered& graph, const DrawingWords& words, Direction way,
                                      const TextLook& look)
{
    const PlaneStyle down{.gap = 2, .margin = 0, .port_step = 2, .most_cross = static_cast<int>(look.width)};
    const PlaneStyle right{.gap = 0, .margin = 1, .port_step = 1, .most_cross = kMostRows};
    auto plane = plane_of(graph, sizes_of(graph, words, way), way == Direction::down ? down : right);
    if (!plane) return std::nullopt;
    const int rows = way == Direction::down ? plane->size.main : plane->size.cross;
    const int width = way == Direction::down ? plane->size.cross : plane->size.main;
    if (rows > kMostRows || width > static_cast<int>(look.width)) return std::nullopt;
    return DrawingAttempt{.plane = std::move(*plane), .words = words, .way = way, .rows = rows};
}

std::optional<DrawingAttempt> best_attempt(const Drawing& drawing, const Layered& graph, const TextLook& look)
{
    for (const std::size_t most : kNameWidths) {
        const DrawingWords words = drawing_words_of(drawing, look, most);
        auto down = attempt(graph, words, Direction::down, look);
        auto right = attempt(graph, words, Direction::right, look);
        if (down && right) return right->rows <= down->rows ? std::move(right) : std::move(down);
        if (down || right) return down ? std::move(down) : std::move(right);
    }
    return std::nullopt;
}

// ---- what stands below and above it ----

void add_wrapped(std::vector<std::string>& lines, const std::string& text, const TextLook& look)
{
    bool first = true;
    for (const std::string& line : lines_of(text, look.width - 4)) {
        lines.push_back((first ? "  " : "    ") + line.substr(0, line.find_last_not_of(' ') + 1));
        first = false;
    }
}

std::string shown_name(const std::string& text, const TextLook& look)
{
    return short_names(std::vector{text}, SIZE_MAX, look.utf8).front();
}

std::string edge_text(const Drawing& drawing, const DrawnEdge& edge, const TextLook& look)
{
    const std::string label = edge.label.empty() ? "" : ": " + shown_name(edge.label, look);
    return fmt::format("{} {} {}{}", shown_name(drawing.nodes[edge.from].name, look), look.utf8 ? "→" : "->",
                       shown_name(drawing.nodes[edge.to].name, look), label);
}

void add_groups(std::vector<std::string>& lines, const Drawing& drawing, const TextLook& look)
{
    for (const DrawnGroup& group : drawing.groups) {
        std::string text = fmt::format("{} ({}):", shown_name(group.name, look), shown_name(group.about, look));
        for (std::size_t i = 0; i < group.nodes.size(); ++i)
            text += (i > 0 ? ", " : " ") + shown_name(drawing.nodes[group.nodes[i]].name, look);
        add_wrapped(lines, text, look);
    }
}

/// Names and labels that are not whole in the picture.
void add_whole_texts(std::vector<std::string>& lines, const Drawing& drawing, const DrawingWords& words,
                     const TextLook& look)
{
    std::set<std::string> told;
    const auto add = [&](const std::string& shown, const std::string& text) {
        const std::string whole = shown_name(text, look);
        if (shown != whole && told.insert(shown).second) add_wrapped(lines, shown + " = " + whole, look);
    };
    for (std::size_t i = 0; i < drawing.nodes.size(); ++i) add(words.names[i], drawing.nodes[i].name);
    for (std::size_t i = 0; i < drawing.edges.size(); ++i) add(words.labels[i], drawing.edges[i].label);
}

void add_failures(std::vector<std::string>& lines, const Drawing& drawing, const TextLook& look)
{
    for (const DrawnNode& node : drawing.nodes)
        if (node.state && !node.state->error.empty())
            add_wrapped(lines, fmt::format("{}: {}", shown_name(node.name, look), shown_name(node.state->error, look)),
                        look);
}

// ---- where it cannot be drawn ----

void add_list(std::vector<std::string>& lines, const Drawing& drawing, const std::vector<Arc>& arcs,
              const TextLook& look)
{
    const auto layers = longest_ways(drawing.nodes.size(), arcs, back_arcs(drawing.nodes.size(), arcs));
    std::map<std::size_t, std::vector<std::size_t>> by_layer;
    for (std::size_t i = 0; i < layers.size(); ++i) by_layer[layers[i]].push_back(i);
    std::vector<std::vector<std::size_t>> out(drawing.nodes.size());
    for (std::size_t i = 0; i < arcs.size(); ++i) out[arcs[i].from].push_back(i);
    const std::size_t digits = std::to_string(by_layer.size()).size();
    for (const auto& [layer, nodes] : by_layer)
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const DrawnNode& node = drawing.nodes[nodes[i]];
            const std::string number = i == 0 ? std::to_string(layer + 1) : "";
            std::string text = shown_name(node.name, look);
            if (!node.about.empty()) text += ", " + shown_name(node.about, look);
            for (const std::string& note : node.notes) text += ", " + shown_name(note, look);
            const std::string state = node.state ? state_text(*node.state, look, look.width >= 40) + "  " : "";
            const std::size_t margin = digits + 2;
            const std::size_t room = std::max(look.width, margin + columns(state) + 1) - margin - columns(state);
            lines.push_back(fmt::format("{:>{}}  ", number, digits) +
                            (node.state && node_tone(node.state->status)
                                 ? look.paint(*node_tone(node.state->status), state)
                                 : state) +
                            one_line(text, room, look.utf8));
            for (const std::size_t arc : out[nodes[i]]) {
                const DrawnEdge& edge = drawing.edges[arc];
                std::string way = std::string(look.utf8 ? "→ " : "-> ") + shown_name(drawing.nodes[edge.to].name, look);
                if (!edge.label.empty()) way += ": " + shown_name(edge.label, look);
                lines.push_back(std::string(margin + 2, ' ') + one_line(way, look.width - margin - 2, look.utf8));
            }
        }
}

}  // namespace

std::string state_text(const engine::NodeState& state, const TextLook& look, bool with_time)
{
    constexpr std::string_view kMarks[] = {"○", "▶", "?", "✓", "✗", "–", "■"};
    constexpr std::string_view kPlainMarks[] = {".", ">", "?", "*", "x", "-", "!"};
    const auto place = static_cast<std::size_t>(state.status);
    std::string text =
        fmt::format("{} {}", look.utf8 ? kMarks[place] : kPlainMarks[place], engine::name_of(state.status));
    const bool is_open = state.status == NodeStatus::running || state.status == NodeStatus::waiting;
    if (!with_time || !state.started || (!is_open && !state.ended)) return text;
    const Millis took = (is_open ? std::max(look.now, *state.started) : *state.ended) - *state.started;
    if (is_open && took < std::chrono::seconds(1)) return text;
    return text + " " + cadre::to_text(is_open ? took / 1000 * 1000 : took);
}

std::optional<Tone> node_tone(NodeStatus status)
{
    switch (status) {
    case NodeStatus::pending:
    case NodeStatus::skipped: return std::nullopt;
    case NodeStatus::running: return Tone::bold;
    case NodeStatus::waiting: return Tone::yellow;
    case NodeStatus::done: return Tone::green;
    case NodeStatus::failed:
    case NodeStatus::cancelled: return Tone::red;
    }
    return std::nullopt;
}

std::vector<std::string> text_drawing(const Drawing& drawing, const TextLook& given)
{
    TextLook look = given;
    look.width = std::max(look.width, kNarrowestPage);
    const std::string head =
        fmt::format("{} {}, {}", drawing.kind, shown_name(drawing.name, look), summary_of(drawing));
    std::vector<std::string> lines;
    for (const std::string& line : lines_of(head, look.width)) lines.push_back(look.paint(Tone::bold, line));
    std::vector<Arc> arcs;
    for (const DrawnEdge& edge : drawing.edges) arcs.push_back({edge.from, edge.to, !edge.label.empty()});

    const bool small = drawing.nodes.size() <= kMostNodes && drawing.edges.size() <= kMostEdges;
    const auto graph = small ? layered(drawing.nodes.size(), arcs, kMostItems) : std::nullopt;
    const auto best = graph ? best_attempt(drawing, *graph, look) : std::nullopt;
    if (!best) {
        add_wrapped(
            lines,
            graph ? fmt::format("It does not fit into {} columns: a list by layers, each after those that lead to it.",
                                look.width)
                  : "Too large to draw: a list by layers, each after those that lead to it.",
            look);
        add_list(lines, drawing, arcs, look);
        add_groups(lines, drawing, look);
        add_failures(lines, drawing, look);
        return lines;
    }
    for (std::string& line : Painter(*graph, best->plane, best->words, best->way, look.utf8).paint().lines(look.paint))
        lines.push_back(std::move(line));
    if (!graph->back.empty()) lines.emplace_back("Ways back:");
    for (const std::size_t arc : graph->back) add_wrapped(lines, edge_text(drawing, drawing.edges[arc], look), look);
    if (!drawing.groups.empty()) lines.emplace_back("Patterns:");
    add_groups(lines, drawing, look);
    add_failures(lines, drawing, look);
    add_whole_texts(lines, drawing, best->words, look);
    return lines;
}

}  // namespace cadre::cli
