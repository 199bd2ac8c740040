#include "config/check.hpp"

#include "config/contents.hpp"
#include "config/near_misses.hpp"
#include "config/project.hpp"
#include "config/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

namespace cadre::config {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDotenv = ".env";

/// One project and what of it was asked about.
struct Round {
    fs::path project;
    std::vector<fs::path> files;
    std::set<fs::path> asked;
    std::vector<fs::path> folders{};  // that were asked about
    bool variables = false;           // whether .env was asked about
};

class Check {
public:
    explicit Check(const CheckOptions& options) : options_(options)
    {
        std::vector<fs::path> paths = options.paths;
        if (paths.empty()) paths.push_back(find_project(options.current));
        for (const fs::path& path : paths) add((options.current / path).lexically_normal());
    }

    CheckResult run()
    {
        for (const Round& round : rounds_) look_at(round);
        result_.findings.sort();
        return std::move(result_);
    }

private:
    void add(const fs::path& path)
    {
        std::error_code error;
        const bool folder = fs::is_directory(path, error);
        const fs::path start = folder ? (path.has_filename() ? path : path.parent_path()) : path.parent_path();
        if (!folder) {
            if (!is_read(path)) return;
            Round& round = round_of(project_around(start));
            round.variables = true;
            if (path.filename() == kDotenv) return;  // looked at in any case
            // what does not exist is asked about too, and is then reported
            if (std::ranges::find(round.files, path) == round.files.end()) round.files.push_back(path);
            round.asked.insert(path);
            return;
        }
        add_folder(start);
    }

    /// What lies below the folder, in the light of the whole project around it.
    void add_folder(const fs::path& start)
    {
        const bool any_below = add_projects_below(start);
        const fs::path project = project_for(start);
        Round& round = round_of(project);
        round.folders.push_back(start);
        round.variables |= is_below(project, start);
        bool any = any_below;
        for (const fs::path& file : round.files)
            if (is_below(file, start)) round.asked.insert(file), any = true;
        if (!any) result_.findings.error(shown(start), kNowhere, "holds no configuration", instead_of(start, project));
    }

    /// The project that has something in the folder: the one around it, else the folder itself.
    static fs::path project_for(const fs::path& start)
    {
        fs::path around = project_around(start);
        const auto is_inside = [&](const fs::path& file) { return is_below(file, start); };
        return std::ranges::any_of(files_of(around), is_inside) || files_of(start).empty() ? around : start;
    }

    Hint instead_of(const fs::path& start, const fs::path& project) const
    {
        if (project == start || !find_project_file(project)) return {"to make a project to begin with", "init"};
        const bool is_here = find_project(options_.current) == project;
        return {"to check the project around it", is_here ? "check" : "check " + shown(project)};
    }

    bool is_read(const fs::path& file)
    {
        const std::string name = file.filename().string();
        if (name == kDotenv || is_configuration(name)) return true;
        result_.findings.error(
            shown(file), kNowhere,
            fmt::format("is not a configuration file: its name must end in {}", fmt::join(kExtensions, " or ")));
        return false;
    }

    /// Such as a folder full of examples, be it a project itself.
    bool add_projects_below(const fs::path& start)
    {
        const ProjectsBelow below = projects_below(start);
        for (const fs::path& project : below.projects) {
            Round& round = round_of(project);
            round.asked.insert(round.files.begin(), round.files.end());
            round.folders.push_back(project);
            round.variables = true;
            if (std::ranges::find(result_.projects, shown(project)) == result_.projects.end())
                result_.projects.push_back(shown(project));
        }
        if (!below.complete)
            result_.findings.warn(shown(start), kNowhere,
                                  fmt::format("has more than {} folders, and projects were not looked for in the "
                                              "deepest; check those by their names",
                                              kMaxFoldersBelow));
        return !below.projects.empty();
    }

    Round& round_of(const fs::path& project)
    {
        const auto found = std::ranges::find(rounds_, project, &Round::project);
        if (found != rounds_.end()) return *found;
        return rounds_.emplace_back(Round{project, files_of(project), {}});
    }

    std::string shown(const fs::path& path) const
    {
        const fs::path relative = path.lexically_relative(options_.current);
        return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
    }

    void look_at(const Round& round)
    {
        Findings findings;
        Variables variables(options_.environment, options_.environment_names);
        std::error_code error;
        const fs::path dotenv = round.project / kDotenv;
        std::set<std::string> asked{std::string(kEnvironment)};
        check_environment(options_.environment, options_.environment_names, findings);
        if (fs::is_regular_file(dotenv, error)) {
            if (round.variables) asked.insert(shown(dotenv));
            if (const auto text = read_file(dotenv, shown(dotenv), findings))
                variables.add_dotenv(shown(dotenv), *text, findings);
        }
        Contents contents;
        for (const fs::path& file : round.files) {
            add_file(contents, {.path = file, .root = round.project, .shown = shown(file)}, variables, findings);
            if (!round.asked.contains(file)) continue;
            asked.insert(shown(file));
            result_.files.push_back(shown(file));
            const auto kind = contents.files.back()->kind;
            if (kind == FileKind::team || kind == FileKind::agent || kind == FileKind::workflow)
                result_.runnable.push_back({file, round.project, shown(file)});
            if (kind == FileKind::guardrails) result_.guardrails.push_back({file, round.project, shown(file)});
            if (kind == FileKind::test) result_.tests.push_back({file, round.project, shown(file)});
        }
        check_clashes(contents, findings);
        add_home(contents, round.project, findings);
        check_meaning(contents, options_.environment, findings);
        check_provider_references(contents, options_.environment, findings);
        variables.warn_of_slips(findings);
        for (const Finding& finding : findings.list())
            if (asked.contains(finding.file) && !is_weaker(finding, findings)) result_.findings.add(finding);
        for (const std::string& file : asked) result_.findings.add_left_out(findings, file);
        warn_of_near_misses(round);
    }

    void warn_of_near_misses(const Round& round)
    {
        if (round.folders.empty()) return;
        for (const NearMiss& miss : near_misses(round.project))
            if (std::ranges::any_of(round.folders, [&](const fs::path& folder) { return is_below(miss.file, folder); }))
                result_.findings.warn(shown(miss.file), kNowhere, miss.text);
    }

    /// Where something is wrong, a warning about the same place says nothing more.
    static bool is_weaker(const Finding& finding, const Findings& all)
    {
        return finding.severity != Severity::error && finding.at != kNowhere &&
               all.has_error_at(finding.file, finding.at);
    }

    /// Names are looked up in the home after the project. What is wrong there is the home's business: nobody asked about these
    /// files.
    void add_home(Contents& contents, const fs::path& project, Findings& findings) const
    {
        const auto home = find_home(options_.environment);
        if (!home || *home == project) return;
        Variables variables(options_.environment);
        const auto open = contents.open;
        for (const fs::path& file : files_of(*home))
            add_file(contents, {.path = file, .root = *home, .shown = file.string()}, variables, findings);
        contents.open = open;
    }

    const CheckOptions& options_;
    std::vector<Round> rounds_;
    CheckResult result_;
};

}  // namespace

CheckResult check(const CheckOptions& options)
{
    return Check(options).run();
}

}  // namespace cadre::config
