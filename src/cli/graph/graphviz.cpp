#include "cli/graph/graphviz.hpp"

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/write_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kPointsPerInch = 72;
constexpr Millis kPatience{30'000};
constexpr std::size_t kMostForDot = 2'000;  // nodes, and edges

/// A folder of our own that goes when we do.
class ScratchFolder {
public:
    ScratchFolder()
    {
        std::string name = (fs::temp_directory_path() / "cadre-graph-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            throw Error(Code::unavailable, "cannot make a folder in " + fs::temp_directory_path().string());
        path_ = name;
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder()
    {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// The words of a line of `dot -Tplain`.
class PlainLine {
public:
    explicit PlainLine(std::string_view line) : rest_(line) {}

    std::string_view word()
    {
        const auto from = rest_.find_first_not_of(' ');
        if (from == rest_.npos) return "";
        rest_.remove_prefix(from);
        const std::string_view word = rest_.substr(0, rest_.find(' '));
        rest_.remove_prefix(word.size());
        return word;
    }
    double number()
    {
        const std::string_view text = word();
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || text.empty())
            throw Error(Code::upstream, fmt::format("dot wrote {} where a number belongs", in_quotes(text)));
        return value;
    }
    /// `n12`
    std::size_t node(std::size_t most)
    {
        const std::string_view text = word();
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(text.data() + !text.empty(), text.data() + text.size(), number);
        if (!text.starts_with('n') || error != std::errc{} || end != text.data() + text.size() || number >= most)
            throw Error(Code::upstream, fmt::format("dot wrote {} where a node belongs", in_quotes(text)));
        return number;
    }

private:
    std::string_view rest_;
};

}  // namespace

std::string dot_text(const Drawing& drawing, const TextSizes& sizes)
{
    std::string text = "digraph {\n"
                       "graph [nodesep=0.35 ranksep=0.4 fontname=\"Courier\" fontsize=12]\n"
                       "node [shape=box fixedsize=true label=\"\"]\n"
                       "edge [fontname=\"Courier\" fontsize=12]\n";
    for (std::size_t i = 0; i < drawing.nodes.size(); ++i)
        text += fmt::format("n{} [width={:.4f} height={:.4f}]\n", i, sizes.nodes[i].width / kPointsPerInch,
                            sizes.nodes[i].height / kPointsPerInch);
    std::vector<bool> is_grouped(drawing.nodes.size());
    for (std::size_t i = 0; i < drawing.groups.size(); ++i) {
        text += fmt::format("subgraph cluster_{} {{ margin=16 label=\"{}\" ", i, std::string(sizes.groups[i] + 2, 'x'));
        for (const std::size_t node : drawing.groups[i].nodes)
            if (!is_grouped[node]) {
                is_grouped[node] = true;
                text += fmt::format("n{}; ", node);
            }
        text += "}\n";
    }
    for (std::size_t i = 0; i < drawing.edges.size(); ++i) {
        text += fmt::format("n{} -> n{}", drawing.edges[i].from, drawing.edges[i].to);
        if (sizes.labels[i] > 0) text += fmt::format(" [label=\"{}\"]", std::string(sizes.labels[i] + 1, 'x'));
        text += "\n";
    }
    return text + "}\n";
}

LaidOut laid_out(std::string_view plain, const Drawing& drawing)
{
    LaidOut result{.nodes = std::vector<Point>(drawing.nodes.size()),
                   .edges = std::vector<std::vector<Point>>(drawing.edges.size()),
                   .labels = std::vector<Point>(drawing.edges.size())};
    std::map<std::pair<std::size_t, std::size_t>, std::deque<std::size_t>>
        edges;  // those between the same two, in order
    for (std::size_t i = 0; i < drawing.edges.size(); ++i)
        edges[{drawing.edges[i].from, drawing.edges[i].to}].push_back(i);
    const auto point = [&](PlainLine& line) {
        const double x = line.number() * kPointsPerInch;
        return Point{x, result.size.height - line.number() * kPointsPerInch};
    };
    while (!plain.empty()) {
        PlainLine line(plain.substr(0, plain.find('\n')));
        plain.remove_prefix(std::min(plain.find('\n'), plain.size() - 1) + 1);
        const std::string_view kind = line.word();
        if (kind == "graph") {
            line.number();
            result.size.width = line.number() * kPointsPerInch;
            result.size.height = line.number() * kPointsPerInch;
        } else if (kind == "node") {
            const std::size_t node = line.node(drawing.nodes.size());
            result.nodes[node] = point(line);
        } else if (kind == "edge") {
            const std::size_t from = line.node(drawing.nodes.size());
            auto& known = edges[{from, line.node(drawing.nodes.size())}];
            if (known.empty()) throw Error(Code::upstream, "dot wrote an edge that it was not given");
            const std::size_t edge = known.front();
            known.pop_front();
            const auto count = static_cast<std::size_t>(line.number());
            for (std::size_t i = 0; i < count && i < 10'000; ++i) result.edges[edge].push_back(point(line));
            if (line.word().starts_with('x')) result.labels[edge] = point(line);
        }
    }
    return result;
}

LaidOut lay_out(const Drawing& drawing, const TextSizes& sizes)
{
    if (drawing.nodes.size() > kMostForDot || drawing.edges.size() > kMostForDot)
        throw Error(Code::limit, fmt::format("more than {} nodes or edges are not drawn as SVG; --json has all of them",
                                             kMostForDot));
    const ScratchFolder folder;
    const fs::path in = folder.path() / "in.gv", out = folder.path() / "out.txt";
    write_file(in, dot_text(drawing, sizes));
    const Outcome outcome = run_command({"dot", "-Tplain", "-o", out.string(), in.string()}, kPatience);
    if (!outcome.ran())
        throw Error(Code::unavailable,
                    "SVG needs the program dot of Graphviz, which is not here; to install it: apt-get "
                    "install graphviz (a terminal and --mermaid need no Graphviz)");
    if (outcome.timed_out)
        throw Error(Code::limit, fmt::format("dot did not end within {}: the drawing is too large for it",
                                             cadre::to_text(kPatience)));
    std::ifstream file(out);
    const std::string plain{std::istreambuf_iterator<char>(file), {}};
    if (outcome.exit != 0 || plain.empty()) throw Error(Code::upstream, "dot failed: " + printable(outcome.output));
    return laid_out(plain, drawing);
}

}  // namespace cadre::cli
