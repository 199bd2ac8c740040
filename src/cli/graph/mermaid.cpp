#include "cli/graph/mermaid.hpp"

#include "base/visible.hpp"
#include "cli/graph/text_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::cli {
namespace {

using engine::NodeStatus;

bool is_harmless(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' ||
           static_cast<unsigned char>(c) >= 0x80;
}

std::string node_line(const DrawnNode& node, std::size_t number)
{
    std::string text = mermaid_text(node.name);
    if (!node.about.empty()) text += "<br/>" + mermaid_text(node.about);
    for (const std::string& note : node.notes) text += "<br/>" + mermaid_text("(" + note + ")");
    if (!node.state) return fmt::format("n{}[\"{}\"]\n", number, text);
    text += "<br/>" + mermaid_text(state_text(*node.state, {.utf8 = true}, false));
    if (const std::string counts = counts_of(node); !counts.empty()) text += "<br/>" + mermaid_text(counts);
    return fmt::format("n{}[\"{}\"]:::{}\n", number, text, engine::name_of(node.state->status));
}

std::string class_lines(const Drawing& drawing)
{
    constexpr std::string_view kStyles[] = {
        "fill:#fff,stroke:#888,color:#333",                           // pending
        "fill:#e8f0fe,stroke:#1a56db,color:#111,stroke-width:2px",    // running
        "fill:#fff6d6,stroke:#a16207,color:#111,stroke-width:2px",    // waiting
        "fill:#e6f4ea,stroke:#18794e,color:#111",                     // done
        "fill:#fdecea,stroke:#b42318,color:#111,stroke-width:2px",    // failed
        "fill:#f4f4f4,stroke:#aaa,color:#555,stroke-dasharray:4",     // skipped
        "fill:#fdecea,stroke:#b42318,color:#555,stroke-dasharray:4",  // cancelled
    };
    std::string text;
    for (std::size_t i = 0; i < std::size(kStyles); ++i) {
        const auto status = static_cast<NodeStatus>(i);
        const bool used = std::ranges::any_of(
            drawing.nodes, [&](const DrawnNode& node) { return node.state && node.state->status == status; });
        if (used) text += fmt::format("    classDef {} {}\n", engine::name_of(status), kStyles[i]);
    }
    return text;
}

}  // namespace

std::string mermaid_text(std::string_view text)
{
    std::string safe;
    for (const char c : visible(text)) {
        if (is_harmless(c)) safe += c;
        else safe += fmt::format("#{};", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return safe;
}

std::string mermaid(const Drawing& drawing)
{
    std::string text = "flowchart TD\n";
    std::vector<bool> is_grouped(drawing.nodes.size());
    for (std::size_t i = 0; i < drawing.groups.size(); ++i) {
        const DrawnGroup& group = drawing.groups[i];
        text += fmt::format("    subgraph g{}[\"{}\"]\n", i, mermaid_text(group.name + " (" + group.about + ")"));
        for (const std::size_t node : group.nodes) {
            if (is_grouped[node]) continue;  // a node stands in one place
            is_grouped[node] = true;
            text += "        " + node_line(drawing.nodes[node], node);
        }
        text += "    end\n";
    }
    for (std::size_t i = 0; i < drawing.nodes.size(); ++i)
        if (!is_grouped[i]) text += "    " + node_line(drawing.nodes[i], i);
    for (const DrawnEdge& edge : drawing.edges) {
        const std::string label = edge.label.empty() ? "" : fmt::format("|\"{}\"|", mermaid_text(edge.label));
        text += fmt::format("    n{} -->{} n{}\n", edge.from, label, edge.to);
    }
    return text + class_lines(drawing);
}

}  // namespace cadre::cli
