#include "cli/graph/svg.hpp"

#include "base/visible.hpp"
#include "cli/char_width.hpp"
#include "cli/graph/short_names.hpp"
#include "cli/graph/text_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cadre::cli {
namespace {

constexpr double kColumn = 7.3;  // of 12 px monospace
constexpr double kLine = 16;
constexpr double kPadding = 10;
constexpr double kSvgMargin = 16;
constexpr double kGroupPadding = 12;
constexpr std::size_t kWidestText = 48;

constexpr std::string_view kStyle =
    "text{font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1f2328;text-anchor:middle}"
    ".name{font-weight:bold}.about{fill:#59636e}.label{fill:#59636e}.halo{fill:#fff;opacity:.85}"
    "rect.node{fill:#fff;stroke:#59636e}path{fill:none;stroke:#59636e}marker path{fill:#59636e;stroke:none}"
    "rect.group{fill:none;stroke:#8c959f;stroke-dasharray:5 4}svg{background:#fff}"
    ".pending rect.node{stroke:#8c959f}"
    ".running rect.node{fill:#e8f0fe;stroke:#1a56db;stroke-width:2}.running .state{fill:#1a56db}"
    ".waiting rect.node{fill:#fff6d6;stroke:#a16207;stroke-width:2}.waiting .state{fill:#8a5300}"
    ".done rect.node{fill:#e6f4ea;stroke:#18794e}.done .state{fill:#116a41}"
    ".failed rect.node{fill:#fdecea;stroke:#b42318;stroke-width:2}.failed .state{fill:#b42318}"
    ".skipped rect.node{fill:#f6f8fa;stroke:#8c959f;stroke-dasharray:4 3}"
    ".cancelled rect.node{fill:#f6f8fa;stroke:#b42318;stroke-dasharray:4 3}.cancelled .state{fill:#b42318}"
    "@media (prefers-color-scheme:dark){svg{background:#0d1117}text{fill:#e6edf3}.about,.label{fill:#9da7b1}"
    ".halo{fill:#0d1117}rect.node{fill:#161b22;stroke:#9da7b1}path{stroke:#9da7b1}marker path{fill:#9da7b1}"
    ".running rect.node{fill:#0c2552;stroke:#6ea8ff}.running .state{fill:#8db9ff}"
    ".waiting rect.node{fill:#3a2a05;stroke:#e3b341}.waiting .state{fill:#e3b341}"
    ".done rect.node{fill:#0f2f1f;stroke:#3fb950}.done .state{fill:#56d364}"
    ".failed rect.node{fill:#3d1412;stroke:#ff7b72}.failed .state{fill:#ff938a}"
    ".skipped rect.node,.cancelled rect.node{fill:#161b22}.cancelled .state{fill:#ff938a}}";

std::string shown_in_svg(const std::string& text)
{
    return short_names(std::vector{text}, kWidestText, true).front();
}

std::string line_of_text(double x, double y, std::string_view style, std::string_view text)
{
    return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", style, x, y, xml_text(text));
}

std::string node_element(const DrawnNode& node, const std::vector<std::string>& words, Point at, BoxSize size)
{
    const std::string_view status = node.state ? engine::name_of(node.state->status) : "plain";
    std::string text = fmt::format("<g class=\"{}\"><title>{}</title>", status, xml_text(node.name));
    text += fmt::format("<rect class=\"node\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"5\"/>",
                        at.x - size.width / 2, at.y - size.height / 2, size.width, size.height);
    double y = at.y - size.height / 2 + kPadding + 8;
    for (std::size_t i = 0; i < words.size(); ++i, y += kLine) {
        const bool is_state = node.state && i + 1 == words.size();
        text += line_of_text(at.x, y, i == 0 ? "name" : is_state ? "state" : "about", words[i]);
    }
    return text + "</g>\n";
}

std::string edge_element(const std::vector<Point>& points)
{
    if (points.empty()) return "";
    std::string path = fmt::format("M{:.1f} {:.1f}", points[0].x, points[0].y);
    for (std::size_t i = 1; i + 2 < points.size(); i += 3)
        path += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", points[i].x, points[i].y, points[i + 1].x,
                            points[i + 1].y, points[i + 2].x, points[i + 2].y);
    return fmt::format("<path d=\"{}\" marker-end=\"url(#end)\"/>\n", path);
}

/// What lies in a frame.
struct Around {
    double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;

    void add(Point middle, double width, double height)
    {
        left = std::min(left, middle.x - width / 2);
        right = std::max(right, middle.x + width / 2);
        top = std::min(top, middle.y - height / 2);
        bottom = std::max(bottom, middle.y + height / 2);
    }
};

/// A frame around the nodes of the group, and the lines between these. A node stands in one frame.
std::string group_element(const Drawing& drawing, std::size_t group, std::vector<bool>& is_grouped,
                          const LaidOut& places, const SvgWords& words)
{
    Around around;
    const TextSizes sizes = words.sizes();
    std::set<std::size_t> members;
    for (const std::size_t node : drawing.groups[group].nodes) {
        if (is_grouped[node]) continue;
        is_grouped[node] = true;
        members.insert(node);
        around.add(places.nodes[node], sizes.nodes[node].width, sizes.nodes[node].height);
    }
    if (members.empty()) return "";
    for (std::size_t i = 0; i < drawing.edges.size(); ++i) {
        if (!members.contains(drawing.edges[i].from) || !members.contains(drawing.edges[i].to)) continue;
        for (const Point& point : places.edges[i]) around.add(point, 0, 0);
        if (sizes.labels[i] > 0) around.add(places.labels[i], static_cast<double>(sizes.labels[i]) * kColumn, 0);
    }
    const Point middle{(around.left + around.right) / 2, around.top};
    around.add(middle, static_cast<double>(sizes.groups[group]) * kColumn, 0);
    return fmt::format("<g><title>{}</title><rect class=\"group\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                       "height=\"{:.1f}\" rx=\"8\"/>{}</g>\n",
                       xml_text(drawing.groups[group].name), around.left - kGroupPadding,
                       around.top - kGroupPadding - 14, around.right - around.left + 2 * kGroupPadding,
                       around.bottom - around.top + 2 * kGroupPadding + 14,
                       line_of_text(middle.x, middle.y - kGroupPadding, "about", words.groups[group]));
}

}  // namespace

std::string xml_text(std::string_view text)
{
    std::string safe;
    const std::string seen = visible(text);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        switch (seen[i]) {
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '&': safe += "&amp;"; break;
        case '"': safe += "&quot;"; break;
        case '\'': safe += "&#39;"; break;
        default:
            if (seen.compare(i, 2, "\xEF\xBF") == 0 && i + 2 < seen.size() &&
                (seen[i + 2] == '\xBE' || seen[i + 2] == '\xBF')) {
                safe += seen[i + 2] == '\xBE' ? "\\ufffe" : "\\uffff";
                i += 2;
            } else {
                safe += seen[i];
            }
        }
    }
    return safe;
}

SvgWords svg_words(const Drawing& drawing)
{
    SvgWords words;
    std::vector<std::string> names, labels;
    for (const DrawnNode& node : drawing.nodes) names.push_back(node.name);
    for (const DrawnEdge& edge : drawing.edges) labels.push_back(edge.label);
    names = short_names(names, kWidestText, true);
    words.labels = short_names(labels, kWidestText, true);
    for (std::size_t i = 0; i < drawing.nodes.size(); ++i) {
        const DrawnNode& node = drawing.nodes[i];
        std::vector<std::string> lines{names[i]};
        if (!node.about.empty()) lines.push_back(shown_in_svg(node.about));
        for (const std::string& note : node.notes) lines.push_back(shown_in_svg("(" + note + ")"));
        if (const std::string counts = counts_of(node); !counts.empty()) lines.push_back(counts);
        if (node.state) {
            // a picture does not move on: how long something has been running is not in it
            const bool is_over = node.state->ended.has_value();
            lines.push_back(state_text(*node.state, {.utf8 = true}, is_over));
        }
        words.nodes.push_back(std::move(lines));
    }
    for (const DrawnGroup& group : drawing.groups)
        words.groups.push_back(shown_in_svg(group.name + " (" + group.about + ")"));
    return words;
}

TextSizes SvgWords::sizes() const
{
    TextSizes sizes;
    for (const auto& lines : nodes) {
        std::size_t widest = 6;
        for (const std::string& line : lines) widest = std::max(widest, columns(line));
        sizes.nodes.push_back({.width = static_cast<double>(widest) * kColumn + 2 * kPadding,
                               .height = static_cast<double>(lines.size()) * kLine + kPadding + 4});
    }
    for (const std::string& label : labels) sizes.labels.push_back(columns(label));
    for (const std::string& title : groups) sizes.groups.push_back(columns(title));
    return sizes;
}

std::string svg(const Drawing& drawing, const SvgWords& words, const LaidOut& places)
{
    const TextSizes sizes = words.sizes();
    const double width = places.size.width + 2 * kSvgMargin, height = places.size.height + 2 * kSvgMargin;
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"{2:.0f} "
        "{2:.0f} {0:.0f} {1:.0f}\">\n<title>{3}</title>\n<style>{4}</style>\n",
        width, height, -kSvgMargin,
        xml_text(drawing.kind + " " + shown_in_svg(drawing.name) + ", " + summary_of(drawing)), kStyle);
    text += "<marker id=\"end\" viewBox=\"0 0 10 10\" refX=\"0\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" "
            "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 1 L10 5 L0 9 z\"/></marker>\n";
    std::vector<bool> is_grouped(drawing.nodes.size());
    for (std::size_t i = 0; i < drawing.groups.size(); ++i)
        text += group_element(drawing, i, is_grouped, places, words);
    for (const auto& points : places.edges) text += edge_element(points);
    for (std::size_t i = 0; i < drawing.nodes.size(); ++i)
        text += node_element(drawing.nodes[i], words.nodes[i], places.nodes[i], sizes.nodes[i]);
    for (std::size_t i = 0; i < drawing.edges.size(); ++i) {
        if (words.labels[i].empty()) continue;
        const double wide = static_cast<double>(columns(words.labels[i])) * kColumn;
        text += fmt::format("<rect class=\"halo\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"14\"/>",
                            places.labels[i].x - wide / 2, places.labels[i].y - 8, wide);
        text += line_of_text(places.labels[i].x, places.labels[i].y + 3, "label", words.labels[i]) + "\n";
    }
    return text + "</svg>\n";
}

}  // namespace cadre::cli
