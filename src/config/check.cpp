#include "config/check.hpp"

#include "config/contents.hpp"
#include "config/project.hpp"
#include "config/references.hpp"

#include <algorithm>
#include <set>
#include <system_error>

namespace cadre::config {

namespace fs = std::filesystem;

namespace {

/// One project and what of it was asked about.
struct Round {
    fs::path project;
    std::vector<fs::path> files;
    std::set<fs::path> asked;
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
        const fs::path project = folder && !files_of(start).empty() ? start : project_of(start);
        if (!folder) {
            Round& round = round_of(project);
            // what does not exist is asked about too, and is then reported
            if (std::ranges::find(round.files, path) == round.files.end()) round.files.push_back(path);
            round.asked.insert(path);
            return;
        }
        bool any = add_projects_below(start);
        Round& round = round_of(project);
        for (const fs::path& file : files_of(start)) round.asked.insert(file), any = true;
        for (const fs::path& file : round.files)  // `check teams` in a project
            if (file.parent_path() == start) round.asked.insert(file), any = true;
        if (!any)
            result_.findings.error(shown(start), kNowhere,
                                   "holds no configuration; `cadre init` makes a project to begin with");
    }

    /// Of a folder that neither is a project nor lies in one, such as one full of examples.
    bool add_projects_below(const fs::path& start)
    {
        std::error_code error;
        if (fs::exists(find_project(start) / "cadre.yaml", error)) return false;
        const std::vector<fs::path> below = projects_below(start);
        for (const fs::path& project : below) {
            Round& round = round_of(project);
            round.asked.insert(round.files.begin(), round.files.end());
            result_.projects.push_back(shown(project));
        }
        return !below.empty();
    }

    /// Without a cadre.yaml anywhere, the folder around teams/ and its like is the project.
    static fs::path project_of(const fs::path& folder)
    {
        std::error_code error;
        const fs::path project = find_project(folder);
        const bool found = fs::exists(project / "cadre.yaml", error);
        return found || !is_part_of_project(folder) ? project : folder.parent_path();
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
        const fs::path dotenv = round.project / ".env";
        std::set<std::string> asked{std::string(kEnvironment)};
        check_environment(options_.environment, options_.environment_names, findings);
        if (fs::is_regular_file(dotenv, error)) {
            asked.insert(shown(dotenv));
            if (const auto text = read_file(dotenv, shown(dotenv), findings))
                variables.add_dotenv(shown(dotenv), *text, findings);
        }
        Contents contents;
        for (const fs::path& file : round.files) {
            if (round.asked.contains(file)) {
                asked.insert(shown(file));
                result_.files.push_back(shown(file));
            }
            add_file(contents, file, shown(file), variables, findings);
        }
        check_clashes(contents, findings);
        add_home(contents, round.project);
        check_references(contents, options_.built_in_tools, options_.environment, findings);
        check_named_files(contents, round.project, findings);
        check_tool_schemas(contents, findings);
        check_workflows(contents, findings);
        check_fallbacks(contents, findings);
        variables.warn_of_slips(findings);
        for (const Finding& finding : findings.list())
            if (asked.contains(finding.file) && !is_weaker(finding, findings)) result_.findings.add(finding);
        for (const std::string& file : asked) result_.findings.add_left_out(findings, file);
    }

    /// Where something is wrong, a warning about the same place says nothing more.
    static bool is_weaker(const Finding& finding, const Findings& all)
    {
        return finding.severity == Severity::warning && finding.at != kNowhere &&
               all.has_error_at(finding.file, finding.at);
    }

    /// Names are looked up in the home after the project; what is wrong there is the home's business.
    void add_home(Contents& contents, const fs::path& project) const
    {
        const auto home = find_home(options_.environment);
        if (!home || *home == project) return;
        Variables variables(options_.environment);
        Findings ignored;
        const bool complete = contents.complete;
        for (const fs::path& file : files_of(*home)) add_file(contents, file, file.string(), variables, ignored);
        contents.complete = complete;
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
