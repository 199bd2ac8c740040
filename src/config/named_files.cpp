// Files that the configuration names: whether they are there, and inside of the project.
#include "base/error.hpp"
#include "config/project.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"

#include <fmt/core.h>

#include <system_error>

namespace cadre::config {

namespace fs = std::filesystem;

namespace {

/// Wherever links lead.
bool is_really_below(const fs::path& path, const fs::path& folder)
{
    std::error_code error;
    const fs::path real = fs::canonical(path, error), real_folder = fs::canonical(folder, error);
    return !error && is_below(real, real_folder);
}

/// What is wrong with a path that the file names; empty when nothing is. A project is moved, shared and run by others as a
/// whole, and must not read what else is on their machines.
std::string fault_of(const fs::path& named, const File& file)
{
    if (named.is_absolute())
        return "is an absolute path, and a project names only files inside of it; copy the file into the project and "
               "write "
               "its path from there";
    bool leads_out = true;
    std::error_code error;
    for (const fs::path& folder : {file.path.parent_path(), file.root}) {
        const fs::path path = (folder / named).lexically_normal();
        if (!is_below(path, file.root)) continue;
        leads_out = false;
        if (!fs::is_regular_file(path, error)) continue;
        if (is_really_below(path, file.root)) return {};
        return "is a link that leads out of the project, and a project names only files inside of it; put the file "
               "itself "
               "there";
    }
    if (leads_out)
        return "leads out of the project, and a project names only files inside of it; copy the file into the project "
               "and "
               "write its path from there";
    return "does not exist, neither beside this file nor in the project";
}

void expect_file(const std::string& named, const File& file, const PathSteps& path, std::string_view what,
                 Findings& findings)
{
    if (const std::string fault = fault_of(named, file); !fault.empty())
        report(path, fmt::format("the {} {} {}", what, in_quotes(named), fault), *file.document, findings);
}

void expect_template(const model::Agent& agent, const File& file, const PathSteps& path, Findings& findings)
{
    if (!agent.prompt_template) return;
    PathSteps here = joined(path, {"prompt_template"});
    // an agent with the names of document 000 has it there
    if (!find(file.document->value, file.document->root, here).exact) here = joined(path, {"ext", "prompt_template"});
    expect_file(*agent.prompt_template, file, here, "template", findings);
}

}  // namespace

void check_named_files(const Contents& contents, Findings& findings)
{
    for (const auto& [agent, file, at] : contents.agents) expect_template(agent, *file, at, findings);
    for (const auto& [team, file, at] : contents.teams) {
        for (std::size_t i = 0; i < team.agents.size(); ++i)
            expect_template(team.agents[i], *file, {"agents", i}, findings);
        for (std::size_t i = 0; i < team.tools.size(); ++i) {
            const model::Tool& tool = team.tools[i];
            // a program without a slash is looked for in PATH, which is not ours to search here
            if (tool.type == model::ToolType::custom && tool.path && tool.path->find('/') != std::string::npos)
                expect_file(*tool.path, *file, {"tools", i, "path"}, "program", findings);
        }
    }
}

}  // namespace cadre::config
