#include "cli/test_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "base/plural.hpp"
#include "base/race.hpp"
#include "base/redact.hpp"
#include "base/suggest.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/save_case.hpp"
#include "cli/shell_word.hpp"
#include "cli/task_text.hpp"
#include "cli/verb_context.hpp"
#include "cli/write_file.hpp"
#include "config/project.hpp"
#include "testing/junit.hpp"
#include "testing/run_case.hpp"
#include "testing/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <unistd.h>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;
using testing::CaseResult;
using testing::ChosenCase;
using testing::Suite;

constexpr std::size_t kNameWidth = 60;
constexpr std::size_t kCaseIndent = 8;

// ---- which tests ----

std::vector<fs::path> files_for(const std::vector<std::string>& paths)
{
    const fs::path here = fs::current_path();
    std::vector<fs::path> files;
    const auto add = [&](fs::path file) {
        if (std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
    };
    for (const std::string& given : paths) {
        const fs::path path = (here / given).lexically_normal();
        std::error_code error;
        if (!fs::exists(path, error)) throw Error(Code::not_found, given + " does not exist");
        if (!fs::is_directory(path, error)) add(path);
        else
            for (fs::path& file : testing::find_test_files(path)) add(std::move(file));
    }
    if (paths.empty())
        for (fs::path& file : testing::find_test_files(config::project_around(here))) add(std::move(file));
    if (files.empty())
        throw Error(Code::not_found,
                    fmt::format("there are no tests in {}: they are files called NAME.test.yaml beside what they test",
                                paths.empty() ? config::project_around(here).string()
                                              : fmt::format("{}", fmt::join(paths, ", "))));
    return files;
}

/// All that is wrong with any of them comes in one go, before anything runs.
std::vector<Suite> read_suites(const std::vector<fs::path>& files)
{
    config::Findings findings;
    std::vector<Suite> suites;
    for (const fs::path& file : files)
        if (auto suite = testing::read_suite(place_here(), file, findings)) suites.push_back(std::move(*suite));
    findings.sort();
    findings.raise();
    return suites;
}

std::vector<ChosenCase> chosen_from(const std::vector<Suite>& suites, const std::optional<std::string>& only)
{
    std::vector<ChosenCase> cases;
    std::vector<std::string> names;
    for (const Suite& suite : suites)
        for (std::size_t i = 0; i < suite.tests.cases.size(); ++i) {
            names.push_back(suite.tests.cases[i].name);
            if (!only || names.back().find(*only) != std::string::npos) cases.push_back({&suite, i});
        }
    if (!cases.empty()) return cases;
    const auto near = nearest(*only, names);
    throw Error(Code::not_found, fmt::format("there is no test whose name contains {}{}", in_quotes(*only),
                                             near ? fmt::format("; did you mean {}?", in_quotes(*near)) : ""));
}

// ---- what is said of them ----

/// Lines that are too long are broken; those that show a difference are not.
std::string indented(const std::string& text, std::size_t spaces)
{
    std::string out;
    for (const std::string& line : lines_of(text, kWidth - spaces)) out += std::string(spaces, ' ') + line + "\n";
    return out;
}

std::string time_text(Millis time)
{
    return time < Millis(1000) ? fmt::format("{} ms", time.count())
                               : fmt::format("{:.1f} s", static_cast<double>(time.count()) / 1000);
}

class Page {
public:
    explicit Page(const Output& output) : output_(output) {}

    void add(const CaseResult& result)
    {
        ++count_;
        failed_ += result.passed() ? 0 : 1;
        if (result.passed() && output_.quiet) return;
        if (std::exchange(file_, result.file) != result.file)
            output_.print(output_.out.paint(Tone::bold, printable(result.file)) + "\n");
        const std::string mark =
            result.passed() ? output_.out.paint(Tone::green, "ok  ") : output_.out.paint(Tone::red, "FAIL");
        output_.print(fmt::format("  {}  {} {:>9}\n", mark,
                                  padded(one_line(result.name, kNameWidth, output_.utf8), kNameWidth),
                                  time_text(result.took)));
        std::string text;
        for (const testing::Difference& difference : result.differences)
            text += indented(difference.what + ":", kCaseIndent) + indented(redact(difference.text), kCaseIndent + 2);
        if (result.home && !result.task.empty())
            text += indented(fmt::format("its home: CADRE_HOME={} {}", shell_word(result.home->string()),
                                         as_typed("cadre show " + result.task.substr(0, 8))),
                             kCaseIndent);
        output_.print(printable(text));
    }

    void finish(Millis took) const
    {
        std::string text = plural(count_, "test");
        if (failed_ > 0) text += ": " + output_.out.paint(Tone::red, fmt::format("{} failed", failed_));
        else text += output_.out.paint(Tone::green, " passed");
        output_.print(fmt::format("{}{} ({})\n", file_.empty() ? "" : "\n", text, time_text(took)));
    }

private:
    const Output& output_;
    std::string file_;
    std::size_t count_ = 0, failed_ = 0;
};

std::string json_of(const std::vector<CaseResult>& results, Millis took)
{
    const auto failed =
        static_cast<std::size_t>(std::ranges::count_if(results, [](const auto& one) { return !one.passed(); }));
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("ok", failed == 0).field("tests", std::uint64_t{results.size()});
    json.field("failed", std::uint64_t{failed}).field("ms", took.count()).key("cases").begin_array();
    for (const CaseResult& result : results) {
        json.begin_object().field("file", result.file).field("line", std::uint64_t{result.at.line});
        json.field("suite", result.suite).field("name", result.name).field("ok", result.passed());
        json.field("ms", result.took.count());
        if (!result.task.empty()) json.field("task", result.task);
        if (result.home) json.field("home", result.home->string());
        json.key("differences").begin_array();
        for (const testing::Difference& difference : result.differences)
            json.begin_object().field("what", difference.what).field("text", redact(difference.text)).end_object();
        json.end_array().end_object();
    }
    json.end_array().end_object();
    return text + "\n";
}

// ---- running them ----

[[noreturn]] void end_without_journals(const Output& output)
{
    output.complain("cadre: the journal of a test cannot be written; is the disk full?\n");
    std::_Exit(surface(Code::unavailable).exit);
}

Async<> until_signal(VerbContext& command)
{
    co_await command.interrupts.came();
}

Async<int> run_tests(VerbContext& command, std::vector<ChosenCase> cases, bool keep, std::optional<std::string> junit)
{
    const Output& output = command.console.output();
    const Interrupts::GoodOrder good_order(command.interrupts);
    std::set<std::string, std::less<>> warned;
    const testing::CaseOptions options{
        .place = place_here(),
        .log = descriptor_sink(STDERR_FILENO),
        .keep = keep,
        .warn =
            [&](std::string_view text) {
                if (warned.emplace(text).second) output.complain(fmt::format("cadre: {}\n", text));
            },
        .journal_failed = [&](const std::exception_ptr&) { end_without_journals(output); }};
    std::vector<CaseResult> results;
    Page page(output);
    const Instant begin = command.loop.now();
    const auto tell = [&](const CaseResult& result) {
        results.push_back(result);
        if (!output.json) page.add(result);
    };
    {
        Race race(co_await this_context());
        race.add(testing::run_cases(command.loop, std::move(cases), options, tell));
        race.add(until_signal(command));
        co_await race.over();
    }
    if (const int number = command.interrupts.number()) co_return Interrupts::exit_code(number);
    const auto took = std::chrono::duration_cast<Millis>(command.loop.now() - begin);
    if (output.json) output.print(json_of(results, took));
    else page.finish(took);
    if (junit) write_file(*junit, redact(testing::junit_text(results)));
    co_return std::ranges::all_of(results, &CaseResult::passed) ? 0 : 1;
}

int test(const Args& args, Output& output)
{
    const std::vector<std::string> paths = args.all("path");
    if (const auto task = args.find("save")) {
        if (paths.size() > 1 || args.has("only") || args.has("junit") || args.has("keep"))
            throw UsageError("test: --save takes one FILE at most", *find_verb(program(), "test"));
        return save_case(*task, paths.empty() ? std::nullopt : std::optional(paths.front()), output);
    }
    const std::vector<Suite> suites = read_suites(files_for(paths));
    std::vector<ChosenCase> cases = chosen_from(suites, args.find("only"));
    VerbContext command(output);
    return command.run(run_tests(command, std::move(cases), args.has("keep"), args.find("junit")));
}

}  // namespace

Verb test_verb()
{
    return {
        .name = "test",
        .summary = "Run the tests of teams, agents and workflows",
        .arguments = {{.name = "path",
                       .help = "Files of tests, or folders with some; the project around the current folder when left "
                               "out",
                       .count = Argument::Count::repeated}},
        .flags = {{.name = "only", .value = "WORDS", .help = "Only tests whose name contains this"},
                  {.name = "junit", .value = "FILE", .help = "Also write the results there, as CI systems read them"},
                  {.name = "keep", .help = "Keep the homes of the tests, to look at what happened"},
                  {.name = "save",
                   .value = "TASK",
                   .help = "Make a test of a task that has ended, and add it to FILE, or to the one beside its team"}},
        .text = "Tests are in files called NAME.test.yaml beside NAME.yaml: what is asked, which script or recording "
                "plays the model, what people answer, what goes wrong, and what is expected: answer, tool calls, "
                "events, files, costs. Each runs in a home of its own, as cadre run would run it; several run at a "
                "time, no person is asked, and no real model unless a test names it.\n\n"
                "The exit code is 0 when all pass, 1 when one fails, and 2 when a file has a mistake; then nothing "
                "runs. `cadre check` finds these mistakes too.",
        .examples = {{"cadre test", "All tests of the project"},
                     {"cadre test teams/writers.test.yaml --only short", "Some of one file"},
                     {"cadre test --junit results.xml", "For CI"},
                     {"cadre test --save 3f2a4b1c", "Make a test of a run"}},
        .run = test,
    };
}

}  // namespace cadre::cli
