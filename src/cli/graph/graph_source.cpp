#include "cli/graph/graph_source.hpp"

#include "base/error.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "config/contents.hpp"
#include "config/project.hpp"
#include "home/project/project.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <system_error>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;
using config::FileKind;

constexpr std::size_t kMostNestedFiles = 50;

struct FoundFile {
    fs::path path{};
    std::shared_ptr<const home::Project> project{};
};

std::optional<FoundFile> find_source(const std::string& what)
{
    std::error_code ignored;
    const fs::path file = (place_here().folder / what).lexically_normal();
    if (fs::is_regular_file(file, ignored)) {
        const fs::path folder = config::project_around(file.parent_path());
        return FoundFile{file, std::make_shared<const home::Project>(place_here(), folder)};
    }
    if (what.find('/') != std::string::npos || config::is_configuration(what))
        throw Error(Code::not_found, what + " does not exist");
    const auto here = project_here();
    for (const FileKind kind : {FileKind::workflow, FileKind::team})
        if (auto found = config::find_file(kind, what, here->folder(), here->home())) return FoundFile{*found, here};
    return std::nullopt;
}

/// Those that nodes of `graph` run, and that nodes of those run, each once.
void add_nested(Drawings& drawings, const model::Graph& graph, const home::Project& project,
                std::set<std::string>& seen)
{
    for (const auto& [name, node] : graph.nodes) {
        const auto inner = inner_workflow(node);
        if (!inner || drawings.nested.size() >= kMostNestedFiles || !seen.insert(inner->name).second) continue;
        const auto file = config::find_file(FileKind::workflow, inner->name, project.folder(), project.home());
        if (!file) continue;  // `cadre check` says so
        const config::Contents contents = project.read(*file);
        if (contents.workflows.empty()) continue;
        drawings.nested.push_back(drawing_of(contents.workflows.front().value));
        add_nested(drawings, contents.workflows.front().value, project, seen);
    }
}

}  // namespace

std::optional<Drawings> find_drawings(const std::string& what)
{
    const auto source = find_source(what);
    if (!source) return std::nullopt;
    const config::Contents contents = source->project->read(source->path);
    if (!contents.workflows.empty()) {
        const model::Graph& graph = contents.workflows.front().value;
        Drawings drawings{.main = drawing_of(graph)};
        std::set<std::string> seen{graph.name};
        add_nested(drawings, graph, *source->project, seen);
        return drawings;
    }
    if (!contents.teams.empty()) return Drawings{.main = drawing_of(contents.teams.front().value)};
    throw Error(Code::invalid, fmt::format("{} is not a workflow or a team: only these can be drawn",
                                           printable(source->path.string())));
}

}  // namespace cadre::cli
