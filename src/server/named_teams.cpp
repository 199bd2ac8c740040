#include "server/named_teams.hpp"

#include "base/sha256.hpp"
#include "config/document.hpp"
#include "config/project.hpp"
#include "home/home_owner.hpp"
#include "home/project/resolve.hpp"
#include "model/write.hpp"
#include "server/call.hpp"
#include "server/sent_teams.hpp"
#include "server/service.hpp"
#include "storage/files.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace cadre::server {
namespace {

namespace fs = std::filesystem;

void hide_place(model::LlmConfig& llm)
{
    if (llm.provider == "script" || llm.provider == "replay") llm.model = fs::path(llm.model).filename().string();
    for (std::string& other : llm.fallback)
        if (const std::size_t colon = other.find(':'); colon != other.npos && other.find('/') != other.npos)
            other = other.substr(0, colon + 1) + fs::path(other.substr(colon + 1)).filename().string();
}

}  // namespace

std::shared_ptr<const home::Project> project_of(Call& call)
{
    home::Runtime& home = call.service().home.runtime();
    return home.projects().open(home.place().folder);
}

fs::path sent_folder(Call& call)
{
    return sent_teams(call.service().home.runtime().home(), call.by().tenant);
}

Pool& pool_of(Call& call)
{
    return call.service().home.runtime().host().env().pool;
}

std::vector<Named> all_named(const home::Project& project, const fs::path& sent, std::string_view folder)
{
    std::vector<Named> all;
    std::set<std::string> known;
    const std::pair<fs::path, std::string_view> roots[] = {
        {project.folder(), "project"}, {project.home(), "home"}, {sent, "api"}};
    for (const auto& [root, source] : roots)
        for (const fs::path& file : config::files_of(root)) {
            if (file.parent_path().filename() != folder || config::kind_by_name(file) == config::FileKind::test)
                continue;
            if (known.insert(file.stem().string()).second) all.push_back({file.stem().string(), file, source});
        }
    std::ranges::sort(all, {}, &Named::id);
    return all;
}

std::optional<Named> find_named_team(const home::Project& project, const fs::path& sent, const std::string& id)
{
    for (Named& named : all_named(project, sent, "teams"))
        if (named.id == id) return std::move(named);
    return std::nullopt;
}

Named get_named_team(const home::Project& project, const fs::path& sent, const std::string& id)
{
    if (auto named = find_named_team(project, sent, id)) return std::move(*named);
    throw Error(Code::not_found, "there is no team called " + in_quotes(id) + "; /teams lists them");
}

model::Team team_in(const home::Project& project, const Named& named)
{
    home::Resolution found = home::resolve(project, named.file);
    found.findings.raise();
    return std::move(found.team);
}

std::string team_tag(const model::Team& team)
{
    std::string tag = "\"";
    append_hex(tag, sha256(model::to_json_text(team)));
    return tag.substr(0, 33) + "\"";
}

model::Team public_team(model::Team team)
{
    hide_place(team.default_llm);
    for (model::Agent& agent : team.agents)
        if (agent.llm_config) hide_place(*agent.llm_config);
    return team;
}

void expect_can_change(const home::Project& project, const Named& named, const std::string& known)
{
    if (named.source != "api")
        throw Refusal(409, Code::conflict, "read_only",
                      "the team " + in_quotes(named.id) + " is a file of the " + std::string(named.source) +
                          ": change it there");
    const std::string tag = team_tag(team_in(project, named));
    if (!known.empty() && known != "*" && known != tag)
        throw Refusal(412, Code::conflict, "changed", "the team has changed since; read it again", {{"etag", tag}});
}

model::Team keep_team(const home::Project& project, const fs::path& sent, const std::string& id,
                      const std::string& text)
{
    const Named draft{"draft", write_draft(sent, text), "api"};
    try {
        model::Team team = team_in(project, draft);
        publish_draft(sent, id);
        return team;
    } catch (const Error& error) {
        std::string problems = error.what();
        for (std::size_t at; (at = problems.find(draft.file.string())) != std::string::npos;)
            problems.replace(at, draft.file.string().size(), "team");
        throw Error(error.code(), problems);
    }
}

bool says(const fs::path& file, const std::string& text)
{
    const auto there = storage::find_file(file);
    return there && *there == text;
}

}  // namespace cadre::server
