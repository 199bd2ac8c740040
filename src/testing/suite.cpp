#include "testing/suite.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "config/project.hpp"
#include "config/read_into.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "llm/script_entry.hpp"
#include "model/describe.hpp"
#include "model/event.hpp"
#include "model/wire_name.hpp"
#include "schema/schema.hpp"
#include "testing/case_script.hpp"
#include "testing/final_state.hpp"
#include "testing/outcome.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

namespace cadre::testing {
namespace {

namespace fs = std::filesystem;
using config::joined;
using config::PathSteps;
using model::TestCase;
using model::TextMatch;

/// Not a limit that a project meets: it keeps a wrong folder from costing minutes.
constexpr std::size_t kMaxFolders = 10'000;
/// No case needs a home that is there.
constexpr const char* kNoHome = "/nonexistent/cadre-test";

void find_below(const fs::path& folder, std::vector<fs::path>& files, std::size_t& seen)
{
    if (++seen > kMaxFolders)
        throw Error(Code::too_large, fmt::format("there are more than {} folders below {}; name a smaller one",
                                                 kMaxFolders, folder.string()));
    std::vector<fs::path> entries;
    std::error_code error;
    fs::directory_iterator it(folder, error);
    for (const fs::directory_iterator end; !error && it != end; it.increment(error)) entries.push_back(it->path());
    std::ranges::sort(entries);
    for (const fs::path& path : entries) {
        const std::string name = path.filename().string();
        std::error_code none;
        const bool is_folder = fs::is_directory(fs::symlink_status(path, none));
        if (is_folder && !name.starts_with('.') && name != "node_modules") find_below(path, files, seen);
        else if (!is_folder && config::is_configuration(name) && config::kind_by_name(path) == config::FileKind::test)
            files.push_back(path);
    }
}

/// A file by its whole path, or a name as it is.
std::string wanted_file(const Suite& suite, const TestCase& test)
{
    if (!test.run) {
        if (const auto file = find_tested(suite.file->path)) return file->string();
        throw Error(Code::not_found,
                    fmt::format("there is no {}.yaml beside it; say what is tested: `run: FILE`, or the name of a team "
                                "or an agent",
                                suite.file->path.stem().stem().string()));
    }
    const bool is_file = test.run->find('/') != std::string::npos || config::is_configuration(*test.run);
    return is_file ? (suite.folder() / *test.run).lexically_normal().string() : *test.run;
}

/// As `cadre run --input` takes them.
std::vector<std::string> inputs_of(const TestCase& test)
{
    std::vector<std::string> inputs;
    for (const auto& input : test.inputs)
        inputs.push_back(fmt::format("{}={}", std::string_view(input.key()), to_text(input.value())));
    return inputs;
}

/// Looks at what no description can say.
class SuiteCheck {
public:
    SuiteCheck(const Suite& suite, config::Findings& findings) : suite_(suite), findings_(findings) {}

    void run()
    {
        std::set<std::string> names;
        for (std::size_t i = 0; i < suite_.tests.cases.size(); ++i) {
            const TestCase& test = suite_.tests.cases[i];
            const PathSteps path{"cases", i};
            if (!names.insert(test.name).second)
                tell(joined(path, {"name"}), fmt::format("{} is here twice", in_quotes(test.name)));
            script(test, path);
            expectation(test.expect, joined(path, {"expect"}));
        }
    }

    /// Whether each case could begin; asked once the rest is in order.
    void beginnings(const home::Place& here)
    {
        for (std::size_t i = 0; i < suite_.tests.cases.size(); ++i) {
            const TestCase& test = suite_.tests.cases[i];
            const PathSteps path{"cases", i};
            try {
                std::optional<std::string> model = model_of(suite_, test);
                if (test.script) model = std::string(home::kFunction) + "/script";  // which is checked already
                const auto work = prepare_case(suite_, test, place_in(here, kNoHome), std::move(model));
                state(test, work.task.setup, joined(path, {"expect", "state"}));
            } catch (const Error& error) {
                told_beginning(test, path, error);
            }
        }
    }

private:
    void tell(const PathSteps& path, const std::string& text)
    {
        config::report(path, text, *suite_.file->document, findings_);
    }

    /// A key that is missing is a matter of where it runs, not of the file.
    void told_beginning(const TestCase& test, const PathSteps& path, const Error& error)
    {
        const char* field = test.model && error.code() != Code::not_found ? "model" : test.run ? "run" : "name";
        const PathSteps place = joined(path, {field});
        if (error.code() != Code::unauthorized) return tell(place, error.what());
        findings_.note(suite_.file->shown, suite_.file->document->value_at(place),
                       fmt::format("{}: {}", model::path_text(place), error.what()));
    }

    /// Fields that are not in the workflow's state can never be as expected.
    void state(const TestCase& test, const std::string& setup, const PathSteps& path)
    {
        if (test.expect.state.empty()) return;
        if (setup.empty()) return tell(path, "is a workflow's, and what this case runs is not one");
        const std::vector<std::string> known = state_fields(setup);
        for (const auto& field : test.expect.state) {
            if (std::ranges::find(known, std::string_view(field.key())) != known.end()) continue;
            const auto near = nearest(field.key(), known);
            tell(joined(path, {std::string(field.key())}),
                 fmt::format("is not a field of the workflow's state{}",
                             near ? fmt::format(", did you mean {}?", in_quotes(*near))
                                  : fmt::format("; there are: {}", fmt::join(known, ", "))));
        }
    }

    void script(const TestCase& test, const PathSteps& path)
    {
        for (std::size_t i = 0; test.script && i < test.script->size(); ++i) {
            json::value value = (*test.script)[i];
            llm::ScriptEntry entry;
            config::read_into(value, *suite_.file->document, &entry, describe(&entry), findings_,
                              joined(path, {"script", i}));
        }
        const bool plays =
            test.script || (test.model && home::is_script(model::split_model_name(*test.model).provider));
        for (std::size_t i = 0; i < test.faults.size(); ++i)
            if (test.faults[i].status && !plays)
                tell(joined(path, {"faults", i, "status"}),
                     "needs a scripted model that fails: give the case a `script`, or one as its `model`");
    }

    void expectation(const model::TestExpectation& expect, const PathSteps& path)
    {
        if (expect.answer) text(*expect.answer, joined(path, {"answer"}));
        if (expect.error) text(*expect.error, joined(path, {"error"}));
        for (std::size_t i = 0; expect.calls && i < expect.calls->size(); ++i)
            if (const auto& result = (*expect.calls)[i].result) text(*result, joined(path, {"calls", i, "result"}));
        for (const auto& [name, match] : expect.files) {
            const fs::path file = fs::path(name).lexically_normal();
            if (file.is_absolute() || name.empty() || *file.begin() == "..")
                tell(joined(path, {"files", name}), "must be the path of a file of the task, such as report.md");
            text(match, joined(path, {"files", name}));
        }
        events(expect.events, joined(path, {"events"}));
    }

    void text(const TextMatch& match, const PathSteps& path)
    {
        const auto compiles = [&](const json::value& schema, const char* field) {
            try {
                schema::Schema::compile(schema);
            } catch (const Error& error) {
                tell(joined(path, {field}), error.what());
            }
        };
        if (match.matches) compiles(json::object{{"pattern", *match.matches}}, "matches");
        if (match.schema) compiles(*match.schema, "schema");
    }

    void events(const std::vector<std::string>& types, const PathSteps& path)
    {
        static const std::vector<std::string> known = [] {
            std::vector<std::string> names;
            const model::Type& type = model::type_of<model::Event>();
            for (std::size_t i = 0; i < type.alternatives; ++i)
                names.emplace_back(type.alternative(i).tag.substr(kEventPrefix.size()));
            return names;
        }();
        for (std::size_t i = 0; i < types.size(); ++i) {
            std::string_view name = types[i];
            if (name.starts_with(kEventPrefix)) name.remove_prefix(kEventPrefix.size());
            if (std::ranges::find(known, name) != known.end()) continue;
            const auto near = nearest(name, known);
            tell(joined(path, {i}), fmt::format("there is no event {}{}", in_quotes(types[i]),
                                                near ? fmt::format(", did you mean {}?", in_quotes(*near))
                                                     : fmt::format("; there are: {}", fmt::join(known, ", "))));
        }
    }

    const Suite& suite_;
    config::Findings& findings_;
};

std::string shown_from(const fs::path& file, const fs::path& folder)
{
    const fs::path relative = file.lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." ? file.string() : relative.string();
}

}  // namespace

config::Position Suite::place_of(std::size_t index) const
{
    return file->document->value_at({"cases", index});
}

std::vector<fs::path> find_test_files(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::size_t seen = 0;
    find_below(folder, files, seen);
    return files;
}

std::optional<fs::path> find_tested(const fs::path& tests)
{
    const fs::path name = tests.stem().stem();
    std::error_code error;
    for (const std::string_view extension : config::kExtensions)
        if (fs::path file = tests.parent_path() / (name.string() + std::string(extension));
            file != tests && fs::is_regular_file(file, error))
            return file;
    return std::nullopt;
}

fs::path tests_beside(const fs::path& tested)
{
    return tested.parent_path() / (tested.stem().string() + ".test.yaml");
}

std::optional<Suite> read_suite(const home::Place& here, const fs::path& file, config::Findings& findings, bool begins)
{
    config::Contents contents;
    config::Variables variables(here.environment, here.variables);
    const fs::path path = (here.folder / file).lexically_normal();
    config::Findings own;
    config::add_file(
        contents,
        {.path = path, .root = config::project_around(path.parent_path()), .shown = shown_from(path, here.folder)},
        variables, own);
    std::optional<Suite> suite;
    const auto& read = contents.files.back();
    if (!contents.tests.empty()) {
        suite = Suite{.file = read, .tests = std::move(contents.tests.front().value)};
        SuiteCheck check(*suite, own);
        check.run();
        if (begins && own.errors() == 0) check.beginnings(here);
    } else if (own.errors() == 0) {
        own.error(read->shown, {}, fmt::format("is {}, not a list of tests", name_of(*read->kind)));
    }
    for (const config::Finding& finding : own.list()) findings.add(finding);
    findings.add_left_out(own, read->shown);
    return suite;
}

home::Place place_in(const home::Place& here, const fs::path& home)
{
    home::Place place = here;
    place.environment = [outer = here.environment, home](const std::string& name) -> std::optional<std::string> {
        if (name == "CADRE_HOME") return home.string();
        if (name == "CADRE_MODEL") return std::nullopt;
        return outer(name);
    };
    std::erase(place.variables, "CADRE_MODEL");
    return place;
}

home::PreparedTask prepare_case(const Suite& suite, const TestCase& test, const home::Place& place,
                                std::optional<std::string> model)
{
    const home::RunRequest wanted{.file = wanted_file(suite, test),
                                  .agent = test.agent,
                                  .pattern = test.pattern,
                                  .model = std::move(model),
                                  .mode = test.mode ? std::optional(std::string(model::wire_name(*test.mode)))
                                                    : std::nullopt,
                                  .budget = test.budget,
                                  .input = inputs_of(test),
                                  .prompt = test.input};
    const auto project = std::make_shared<const home::Project>(place, suite.folder());
    try {
        return home::prepare(project, wanted);
    } catch (const Error& error) {
        if (error.code() != Code::unauthorized) throw;
        throw Error(error.code(), fmt::format("{}; with a `script` a test needs none", error.what()));
    }
}

}  // namespace cadre::testing
