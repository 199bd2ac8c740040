#include "cli/check_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/visible.hpp"
#include "cli/args.hpp"
#include "cli/check_live.hpp"
#include "cli/environment.hpp"
#include "cli/output.hpp"
#include "config/check.hpp"
#include "config/project.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

using config::CheckResult;
using config::Finding;
using config::Severity;

bool all_work(const std::vector<Tried>& tried)
{
    return std::ranges::all_of(tried, &Tried::works);
}

std::size_t warnings(const CheckResult& result)
{
    return result.findings.list().size() + result.findings.left_out() - result.findings.errors();
}

std::string verdict(const CheckResult& result)
{
    const std::size_t errors = result.findings.errors();
    std::string text = plural(result.files.size(), "file");
    if (!result.projects.empty())
        text += printable(fmt::format(", with those of {} below: {}", plural(result.projects.size(), "project"),
                                      fmt::join(result.projects, ", ")));
    if (result.findings.empty()) return text + ", nothing to complain about";
    if (errors > 0) text += ", " + plural(errors, "error");
    if (warnings(result) > 0) text += ", " + plural(warnings(result), "warning");
    return text;
}

std::string page_of(const CheckResult& result, const Output& output)
{
    std::string text;
    for (const Finding& finding : result.findings.list()) {
        const bool warning = finding.severity == Severity::warning;
        const auto place = finding.place() + ":";
        text += fmt::format("{} {} {}\n", output.out.paint(Tone::bold, place),
                            output.out.paint(warning ? Tone::yellow : Tone::red, warning ? "warning:" : "error:"),
                            finding.text);
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
    json.key("files").begin_array();
    for (const std::string& file : result.files) json.value(file);
    json.end_array().key("findings").begin_array();
    for (const Finding& finding : result.findings.list()) {
        json.begin_object().field("file", finding.file);
        if (finding.at != config::kNowhere)
            json.field("line", std::uint64_t{finding.at.line}).field("column", std::uint64_t{finding.at.column});
        json.field("severity", finding.severity == Severity::warning ? "warning" : "error");
        json.field("text", finding.text).end_object();
    }
    json.end_array();
    if (!tried.empty()) write(json, tried);
    json.end_object();
    return visible(text) + "\n";  // still the same JSON: all of it is in strings
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
    const CheckResult result = config::check(options);
    // what is wrong on paper is mended first
    std::vector<Tried> tried;
    if (args.has("live") && result.findings.errors() == 0) {
        const fs::path folder = options.paths.empty() ? options.current : fs::absolute(options.paths.front());
        std::vector<fs::path> named;
        for (const fs::path& path : options.paths)
            if (fs::is_regular_file(path)) named.push_back(fs::absolute(path).lexically_normal());
        tried = try_project(config::project_around(fs::is_directory(folder) ? folder : folder.parent_path()), named);
    }
    output.print(output.json ? json_of(result, tried) : page_of(result, output) + page_of(tried, output));
    if (result.findings.errors() > 0) return surface(Code::invalid).exit;
    return all_work(tried) ? 0 : surface(Code::upstream).exit;
}

}  // namespace cadre::cli
