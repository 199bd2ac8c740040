#include "cli/check_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/environment.hpp"
#include "cli/output.hpp"
#include "config/check.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <string>

namespace cadre::cli {
namespace {

using config::CheckResult;
using config::Finding;
using config::Severity;

std::size_t warnings(const CheckResult& result)
{
    return result.findings.list().size() + result.findings.left_out() - result.findings.errors();
}

std::string counted(std::size_t number, std::string_view thing)
{
    return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string verdict(const CheckResult& result)
{
    const std::size_t errors = result.findings.errors();
    std::string text = counted(result.files.size(), "file");
    if (result.findings.empty()) return text + ", nothing to complain about";
    if (errors > 0) text += ", " + counted(errors, "error");
    if (warnings(result) > 0) text += ", " + counted(warnings(result), "warning");
    return text;
}

std::string to_text(const CheckResult& result, const Output& output)
{
    std::string text;
    for (const Finding& finding : result.findings.list()) {
        const bool warning = finding.severity == Severity::warning;
        const auto place = fmt::format("{}:{}:{}:", finding.file, finding.at.line, finding.at.column);
        text += fmt::format("{} {} {}\n", output.out.paint(Tone::bold, printable(place)),
                            output.out.paint(warning ? Tone::yellow : Tone::red, warning ? "warning:" : "error:"),
                            printable(finding.text));
    }
    if (result.findings.left_out() > 0) text += fmt::format("and {} more\n", result.findings.left_out());
    if (!output.quiet) text += (text.empty() ? "" : "\n") + verdict(result) + "\n";
    return text;
}

std::string to_json(const CheckResult& result)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("ok", result.findings.errors() == 0);
    json.field("errors", std::uint64_t{result.findings.errors()}).field("warnings", std::uint64_t{warnings(result)});
    json.key("files").begin_array();
    for (const std::string& file : result.files) json.value(file);
    json.end_array().key("findings").begin_array();
    for (const Finding& finding : result.findings.list()) {
        json.begin_object().field("file", finding.file).field("line", std::uint64_t{finding.at.line});
        json.field("column", std::uint64_t{finding.at.column});
        json.field("severity", finding.severity == Severity::warning ? "warning" : "error");
        json.field("text", finding.text).end_object();
    }
    json.end_array().end_object();
    return text + "\n";
}

}  // namespace

int check(const Args& args, Output& output)
{
    config::CheckOptions options{.current = std::filesystem::current_path(),
                                 .environment = [](const std::string& name) { return environment(name.c_str()); }};
    for (const std::string& path : args.all("path")) options.paths.emplace_back(path);
    const CheckResult result = config::check(options);
    output.print(output.json ? to_json(result) : to_text(result, output));
    return result.findings.errors() == 0 ? 0 : surface(Code::invalid).exit;
}

}  // namespace cadre::cli
