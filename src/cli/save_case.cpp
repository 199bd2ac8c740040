#include "cli/save_case.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/shell_word.hpp"
#include "cli/verb.hpp"
#include "cli/write_file.hpp"
#include "config/contents.hpp"
#include "config/project.hpp"
#include "engine/pinned_teams.hpp"
#include "home/place.hpp"
#include "storage/files.hpp"
#include "testing/family.hpp"
#include "testing/saved_case.hpp"
#include "testing/suite.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <filesystem>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

struct Ended {
    testing::Family family{};
    model::Team team{};
    std::string project{};
    bool is_workflow = false;
};

Async<Ended> read_ended(ReadOnlyHome& onlooker, std::string prefix)
{
    engine::Queries& queries = onlooker.queries();
    const Id task = co_await queries.resolve(onlooker.who(), std::move(prefix));
    auto records = co_await queries.records(onlooker.who(), task);
    Ended ended{.family = co_await testing::family_of(onlooker.store(), std::move(records))};
    const engine::TaskSpec spec = engine::fold(ended.family.tasks.front()).spec;
    if (spec.config.empty())
        throw Error(Code::conflict, fmt::format("task {} has no team that a test could run", short_id(task)));
    engine::PinnedTeams pinned(onlooker.store());
    ended.team = co_await pinned.team_for(spec);
    ended.project = spec.project;
    ended.is_workflow = spec.setup.has_value();
    co_return ended;
}

/// The file of the project that has a team, an agent or a workflow of that name; nothing when none has.
std::optional<fs::path> find_run_file(const fs::path& project, const std::string& name, bool is_workflow)
{
    config::Findings findings;
    config::Contents contents;
    config::Variables variables(place_here().environment, place_here().variables);
    for (const fs::path& file : config::files_of(project))
        config::add_file(contents, {.path = file, .root = project, .shown = file.string()}, variables, findings);
    for (const auto& workflow : contents.workflows)
        if (is_workflow && workflow.value.name == name) return workflow.file->path;
    if (is_workflow) return std::nullopt;
    for (const auto& team : contents.teams)
        if (team.value.name == name) return team.file->path;
    for (const auto& agent : contents.agents)
        if (agent.value.name == name) return agent.file->path;
    return std::nullopt;
}

}  // namespace

int save_case(const std::string& prefix, const std::optional<std::string>& file, const Output& output)
{
    ReadOnlyHome onlooker;
    const Ended ended = onlooker.run(read_ended(onlooker, prefix));
    const auto team = find_run_file(ended.project, ended.team.name, ended.is_workflow);
    if (!file && !team)
        throw Error(Code::not_found,
                    fmt::format("no file in {} has the {} {}; name the file of tests", ended.project,
                                ended.is_workflow ? "workflow" : "team or agent", in_quotes(ended.team.name)));
    const fs::path target = file ? fs::absolute(*file).lexically_normal() : testing::tests_beside(*team);
    if (config::kind_by_name(target) != config::FileKind::test)
        throw Error(Code::invalid, fmt::format("{} is not a name for tests; call it NAME.test.yaml", target.string()));
    std::optional<std::string> run;
    const auto beside = testing::find_tested(target);
    if (team && beside != team) run = team->lexically_relative(target.parent_path()).string();
    else if (!team && !beside) run = ended.team.name;

    const boost::json::object test = testing::saved_case(ended.family, ended.team, run);
    std::string text;
    try {
        text = testing::with_case(storage::find_file(target).value_or(""), test);
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{} {}; name another file", target.string(), error.what()));
    }
    write_file(target, text);
    const std::string shown = shell_word(target.lexically_proximate(fs::current_path()).string());
    if (output.json) {
        std::string line;
        JsonWriter(line).begin_object().field("file", target.string()).end_object();
        output.print(line + "\n");
    } else if (!output.quiet) {
        output.print(
            printable(fmt::format("a test was added to {}; to run it: {}\n", shown, as_typed("cadre test " + shown))));
    }
    return 0;
}

}  // namespace cadre::cli
