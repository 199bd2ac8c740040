#include "config/named_files.hpp"

#include "base/error.hpp"
#include "config/project.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"

#include <fmt/core.h>

#include <system_error>
#include <unistd.h>

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

void expect_named(const std::string& named, const File& file, const PathSteps& path, std::string_view what,
                  Findings& findings)
{
    if (const NamedFile found = find_named(named, file.path, file.root); !found.fault.empty())
        report(path, fmt::format("the {} {} {}", what, in_quotes(named), found.fault), *file.document, findings);
}

void expect_template(const model::Agent& agent, const File& file, const PathSteps& path, Findings& findings)
{
    if (!agent.prompt_template) return;
    PathSteps here = joined(path, {"prompt_template"});
    // an agent with the names of document 000 has it there
    if (!find(file.document->value, file.document->root, here).exact) here = joined(path, {"ext", "prompt_template"});
    expect_named(*agent.prompt_template, file, here, "template", findings);
}

void expect_program(const model::Tool& tool, const File& file, const PathSteps& path, Findings& findings)
{
    const NamedFile found = find_named(*tool.path, file.path, file.root);
    const std::string fault = found.fault.empty() ? program_fault(found.path, tool.function.has_value()) : found.fault;
    if (!fault.empty())
        report(path, fmt::format("the program {} {}", in_quotes(*tool.path), fault), *file.document, findings);
}

}  // namespace

NamedFile find_named(const fs::path& named, const fs::path& by, const fs::path& root)
{
    if (named.is_absolute())
        return {.fault = "is an absolute path, and a project names only files inside of it; copy the file into the "
                         "project and write its path from there"};
    bool leads_out = true, is_there = false;
    std::error_code error;
    for (const fs::path& folder : {by.parent_path(), root}) {
        const fs::path path = (folder / named).lexically_normal();
        if (!is_below(path, root)) continue;
        leads_out = false;
        is_there |= fs::exists(path, error);
        if (!fs::is_regular_file(path, error)) continue;
        if (is_really_below(path, root)) return {.path = path};
        return {.fault = "is a link that leads out of the project, and a project names only files inside of it; put "
                         "the file itself there"};
    }
    if (leads_out)
        return {.fault = "leads out of the project, and a project names only files inside of it; copy the file into "
                         "the project and write its path from there"};
    if (is_there) return {.fault = "is not a file"};
    return {.fault = "does not exist, neither beside this file nor in the project", .missing = true};
}

std::string program_fault(const fs::path& program, bool function)
{
    const bool is_python = program.extension() == ".py";
    if (function && !is_python) return "is not a Python file, which `function` needs";
    if (!is_python && ::access(program.c_str(), X_OK) != 0)
        return "is not executable; chmod +x it, or name a Python file";
    return {};
}

void check_named_files(const Contents& contents, Findings& findings)
{
    for (const auto& [agent, file, at] : contents.agents) expect_template(agent, *file, at, findings);
    for (const auto& [team, file, at] : contents.teams) {
        if (!team.templates.empty())
            report({"templates"}, "is not for files: put each template into one, and name that in prompt_template",
                   *file->document, findings);
        for (std::size_t i = 0; i < team.agents.size(); ++i)
            expect_template(team.agents[i], *file, {"agents", i}, findings);
        for (std::size_t i = 0; i < team.tools.size(); ++i) {
            const model::Tool& tool = team.tools[i];
            if (tool.type == model::ToolType::custom && tool.path)
                expect_program(tool, *file, {"tools", i, "path"}, findings);
        }
    }
}

}  // namespace cadre::config
