#include "home/project/run_source.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/utf8.hpp"
#include "config/project.hpp"
#include "config/references.hpp"
#include "home/project/project.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <system_error>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using config::FileKind;

/// Names of teams or agents that a project or a home has files for.
std::vector<std::string> names_in(const fs::path& folder, const char* kind)
{
    std::vector<std::string> names;
    for (const fs::path& file : config::files_of(folder))
        if (file.parent_path().filename() == kind && config::kind_by_name(file) != FileKind::test)
            names.push_back(file.stem().string());
    return names;
}

[[noreturn]] void unknown(std::string_view what, const std::string& name, const Project& project,
                          const std::vector<const char*>& kinds, Hint hint = {})
{
    throw Error(Code::not_found,
                fmt::format("there is no {} called {}, neither in {} nor in the home{}", what, in_quotes(name),
                            project.folder().string(), hint_for(name, known_in(project, kinds))),
                std::move(hint));
}

/// The file that the project's `team` names, or its team.yaml.
std::optional<fs::path> default_team(const Project& project)
{
    if (const auto& team = project.settings().team) {
        if (auto file = config::find_file(FileKind::team, *team, project.folder(), project.home())) return file;
        config::Findings findings;
        config::check_team_setting(project.contents(), known_in(project, {"teams"}), project.place().environment,
                                   findings);
        findings.raise();
        unknown("team", *team, project, {"teams"});
    }
    std::error_code error;
    for (const char* name : {"team.yaml", "team.yml", "team.json"})
        if (fs::is_regular_file(project.folder() / name, error)) return project.folder() / name;
    return std::nullopt;
}

bool is_path(const std::string& name)
{
    return name.find('/') != std::string::npos || config::is_configuration(name);
}

void expect_names(const RunRequest& wanted)
{
    for (const auto& name : {wanted.file, wanted.workflow, wanted.agent})
        if (name && is_path(*name))
            throw Error(Code::invalid, in_quotes(*name) + " is not the name of a team, an agent or a workflow");
}

}  // namespace

std::vector<std::string> known_in(const Project& project, const std::vector<const char*>& kinds)
{
    std::vector<std::string> known;
    for (const char* kind : kinds)
        for (const fs::path& folder : {project.folder(), project.home()})
            for (std::string& one : names_in(folder, kind)) known.push_back(std::move(one));
    return known;
}

std::string hint_for(const std::string& name, const std::vector<std::string>& known)
{
    if (const auto near = nearest(name, known)) return fmt::format("; did you mean {}?", *near);
    return known.empty() ? "" : fmt::format("; there are: {}", fmt::join(known, ", "));
}

RunSource source_of(const RunRequest& wanted, const std::shared_ptr<const Project>& here)
{
    if (wanted.by_name) expect_names(wanted);
    std::error_code error;
    if (wanted.file && !wanted.by_name) {
        const fs::path file = (here->place().folder / *wanted.file).lexically_normal();
        if (fs::is_regular_file(file, error)) {
            const bool is_ours = config::project_around(file.parent_path()) == here->folder();
            return {file, is_ours ? here : std::make_shared<const Project>(here->place(), file.parent_path())};
        }
    }
    const auto find = [&](FileKind kind, const std::string& name) {
        return config::find_file(kind, name, here->folder(), here->home());
    };
    if (wanted.file) {
        if (is_path(*wanted.file)) throw Error(Code::not_found, *wanted.file + " does not exist");
        for (const FileKind kind : {FileKind::team, FileKind::agent, FileKind::workflow})
            if (const auto file = find(kind, *wanted.file)) return {*file, here};
        if (wanted.more_teams)
            if (const auto file = config::find_file(FileKind::team, *wanted.file, *wanted.more_teams, std::nullopt))
                return {*file, here};
        // two words without quotes
        const Hint quoted{"if both are the prompt",
                          fmt::format("run {}", in_quotes(*wanted.file + " " + wanted.prompt))};
        unknown("team, agent or workflow", *wanted.file, *here, {"teams", "agents", "workflows"},
                wanted.prompt.empty() || wanted.by_name ? Hint{} : quoted);
    }
    if (wanted.workflow) {
        if (const auto file = find(FileKind::workflow, *wanted.workflow)) return {*file, here};
        unknown("workflow", *wanted.workflow, *here, {"workflows"});
    }
    if (wanted.agent)
        if (const auto file = find(FileKind::agent, *wanted.agent)) return {*file, here};
    if (const auto file = default_team(*here)) return {*file, here};
    if (wanted.agent) unknown("agent", *wanted.agent, *here, {"agents"});
    if (wanted.by_name)
        throw Error(Code::invalid,
                    "nothing to run: name a team, an agent or a workflow, or work in a project that has a team");
    // whoever has written some means one of them
    if (const auto known = known_in(*here, {"teams", "agents", "workflows"}); !known.empty() && here->has_file())
        throw Error(Code::invalid, fmt::format("nothing to run: no team is set as `team` in cadre.yaml, and none is "
                                               "named; there are: {}",
                                               fmt::join(known, ", ")));
    return {{}, here};
}

}  // namespace cadre::home
