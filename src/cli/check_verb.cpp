#include "cli/check_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/visible.hpp"
#include "cli/args.hpp"
#include "cli/check_live.hpp"
#include "cli/environment.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "cli/shell_word.hpp"
#include "config/check.hpp"
#include "config/project.hpp"
#include "config/settings.hpp"
#include "engine/agent.hpp"
#include "home/models.hpp"
#include "home/project/guardrails.hpp"
#include "home/project/project.hpp"
#include "home/project/resolve.hpp"
#include "home/project/trust.hpp"
#include "home/redis_options.hpp"
#include "testing/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

using config::CheckResult;
using config::Severity;

bool all_work(const std::vector<Tried>& tried)
{
    return std::ranges::all_of(tried, &Tried::works);
}

std::size_t notes(const CheckResult& result)
{
    return result.findings.count(Severity::note);
}

std::size_t warnings(const CheckResult& result)
{
    return result.findings.list().size() + result.findings.left_out() - result.findings.errors() - notes(result);
}

std::string verdict(const CheckResult& result)
{
    const std::size_t errors = result.findings.errors();
    std::string text = plural(result.files.size(), "file");
    if (!result.projects.empty())
        text += printable(fmt::format(", with those of {} below: {}", plural(result.projects.size(), "project"),
                                      fmt::join(result.projects, ", ")));
    if (errors == 0 && warnings(result) == 0) text += ", no problems found";
    if (errors > 0) text += ", " + plural(errors, "error");
    if (warnings(result) > 0) text += ", " + plural(warnings(result), "warning");
    if (notes(result) > 0) text += ", " + plural(notes(result), "note");
    return text;
}

Tone tone_of(Severity severity)
{
    switch (severity) {
    case Severity::note: return Tone::bold;
    case Severity::warning: return Tone::yellow;
    case Severity::error: break;
    }
    return Tone::red;
}

std::string page_of(const CheckResult& result, const Output& output)
{
    std::string text;
    for (const config::Finding& finding : result.findings.list()) {
        const auto place = finding.place() + ":";
        text += fmt::format("{} {} {}\n", output.out.paint(Tone::bold, place),
                            output.out.paint(tone_of(finding.severity), fmt::format("{}:", name_of(finding.severity))),
                            with_hint(finding.text, finding.hint));
    }
    if (result.findings.left_out() > 0) text += fmt::format("and {} more\n", result.findings.left_out());
    if (!output.quiet) text += (text.empty() ? "" : "\n") + verdict(result) + "\n";
    return text;
}

std::string json_of(const CheckResult& result, const std::vector<Tried>& tried)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("ok", result.findings.errors() == 0 && all_work(tried));
    json.field("errors", std::uint64_t{result.findings.errors()}).field("warnings", std::uint64_t{warnings(result)});
    json.field("notes", std::uint64_t{notes(result)});
    json.key("files").begin_array();
    for (const std::string& file : result.files) json.value(file);
    json.end_array().key("findings").begin_array();
    for (const config::Finding& finding : result.findings.list()) {
        json.begin_object().field("file", finding.file);
        if (finding.at != config::kNowhere)
            json.field("line", std::uint64_t{finding.at.line}).field("column", std::uint64_t{finding.at.column});
        json.field("severity", name_of(finding.severity));
        json.field("text", with_hint(finding.text, finding.hint)).end_object();
    }
    json.end_array();
    if (!tried.empty()) write(json, tried);
    json.end_object();
    return visible(text) + "\n";  // still the same JSON: all of it is in strings
}

bool has_error(const CheckResult& result, const std::string& file)
{
    return std::ranges::any_of(result.findings.list(), [&](const config::Finding& finding) {
        return finding.severity == Severity::error && finding.file == file;
    });
}

/// What `run` would refuse to copy tasks to.
void check_redis(const home::Project& project, config::Findings& findings)
{
    try {
        home::redis_options(project);
    } catch (const Error& error) {
        const bool is_variable = environment(config::variable_of("redis.url")).has_value();
        findings.error(is_variable ? std::string(config::kEnvironment) : "cadre.yaml", config::kNowhere, error.what());
    }
}

ProjectToTry& add_project(std::vector<ProjectToTry>& projects, const fs::path& folder, config::Findings& findings)
{
    const auto known = std::ranges::find(projects, folder, &ProjectToTry::folder);
    if (known != projects.end()) return *known;
    auto project = std::make_shared<const home::Project>(place_here(), folder);
    check_redis(*project, findings);
    return projects.emplace_back(ProjectToTry{.folder = folder, .project = std::move(project)});
}

/// The model that wins over all that files say must be there too.
void expect_variable(const std::string& spec, CheckResult& result)
{
    const std::string file(config::kEnvironment);
    if (has_error(result, file)) return;
    try {
        const home::Place place = place_here();
        const home::Project project(place, result.runnable.front().project);
        home::expect_model(project, engine::llm_from_spec(home::whole_spec(spec, place.folder)));
    } catch (const Error& error) {
        const Severity severity = error.code() == Code::unauthorized ? Severity::note : Severity::error;
        result.findings.add({.file = file,
                             .at = config::kNowhere,
                             .severity = severity,
                             .text = "CADRE_MODEL: " + std::string(error.what())});
    }
}

/// What `run` would ask a person about first.
void note_wants(const home::Project& project, const home::Resolution& found, const config::RunnableFile& file,
                const std::string& model, config::Findings& findings)
{
    if (found.findings.errors() > 0) return;
    auto wants = home::wants_of(project, found.team, file.path, model);
    for (home::Want& want : home::not_trusted(project, std::move(wants)))
        findings.add({.file = want.file.empty() ? file.shown : want.file,
                      .at = config::kNowhere,
                      .severity = Severity::note,
                      .text = "it " + want.text + ", and you have not trusted it with that",
                      .hint = {"to look at it and trust it", "trust " + shell_word(project.folder().string())}});
}

/// What `run` would make of each team and agent; what it would refuse is an error here.
std::vector<ProjectToTry> resolve_all(CheckResult& result)
{
    std::vector<ProjectToTry> projects;
    const std::string model = environment("CADRE_MODEL").value_or("");
    if (!model.empty() && !result.runnable.empty()) expect_variable(model, result);
    for (const config::RunnableFile& file : std::vector(result.runnable)) {
        const bool is_faulty = has_error(result, file.shown);  // which was told; not of its templates
        try {
            ProjectToTry& project = add_project(projects, file.project, result.findings);
            home::Resolution found = home::resolve(*project.project, file.path, model, false);
            if (is_faulty) {
                for (const config::Finding& finding : found.findings.list())
                    if (finding.file != file.shown) result.findings.add(finding);
                continue;
            }
            for (const config::Finding& finding : found.findings.list()) result.findings.add(finding);
            note_wants(*project.project, found, file, model, result.findings);
            if (found.no_model && !std::exchange(project.lacks_model, true)) result.findings.add(*found.no_model);
            project.teams.push_back(
                {std::move(found.team), found.kind == config::FileKind::agent, std::move(found.workflow)});
        } catch (const Error& error) {
            // of a file that was looked at, this was told already
            if (result.findings.errors() == 0) result.findings.error(file.shown, config::kNowhere, error.what());
        }
    }
    return projects;
}

/// What a home would not begin with.
void check_guardrails(CheckResult& result)
{
    for (const config::RunnableFile& file : result.guardrails)
        if (!has_error(result, file.shown))
            home::check_operator_file(home::Project(place_here(), file.project), file.path, result.findings);
}

/// What `test` would refuse.
void read_tests(CheckResult& result)
{
    const bool begins = result.findings.errors() == 0;
    for (const config::RunnableFile& file : result.tests)
        testing::read_suite(place_here(), file.path, result.findings, begins);
}

fs::path existing(const std::string& path)
{
    if (path == "-")
        throw Error(Code::invalid, "check reads files and folders, not its standard input; name a file (./- if it is "
                                   "called so)");
    std::error_code error;
    if (fs::symlink_status(path, error).type() == fs::file_type::not_found)
        throw Error(Code::not_found, path + " does not exist");
    return path;
}

}  // namespace

int check(const Args& args, Output& output)
{
    config::CheckOptions options{
        .current = fs::current_path(), .environment = environment, .environment_names = environment_names()};
    for (const std::string& path : args.all("path")) options.paths.push_back(existing(path));
    CheckResult result = config::check(options);
    std::vector<ProjectToTry> projects = resolve_all(result);
    check_guardrails(result);
    read_tests(result);
    result.findings.sort();
    // what is wrong on paper is mended first
    std::vector<Tried> tried;
    if (args.has("live") && result.findings.errors() == 0) {
        const fs::path named = options.paths.empty() ? options.current : fs::absolute(options.paths.front());
        add_project(projects, config::project_around(fs::is_directory(named) ? named : named.parent_path()),
                    result.findings);
        for (const ProjectToTry& project : projects)
            for (Tried& one : try_project(project)) tried.push_back(std::move(one));
    }
    output.print(output.json ? json_of(result, tried) : page_of(result, output) + page_of(tried, output));
    if (result.findings.errors() > 0) return surface(Code::invalid).exit;
    return all_work(tried) ? 0 : surface(Code::upstream).exit;
}

}  // namespace cadre::cli
