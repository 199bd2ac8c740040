#include "server/sent_teams.hpp"

#include "home/models.hpp"
#include "server/problem.hpp"
#include "storage/files.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace cadre::server {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// Fields that lead out of the team, wherever they stand.
constexpr std::array<std::string_view, 10> kReaching = {
    "path",    "function", "server_url",  "prompt_template", "templates",
    "api_key", "base_url", "api_key_env", "config",          "deployment_config"};

bool says_nothing(const json::value& value)
{
    return value.is_null() || (value.is_object() && value.get_object().empty()) ||
           (value.is_string() && value.get_string().empty());
}

bool reaches(std::string_view name, const json::value& value)
{
    if (std::ranges::find(kReaching, name) != kReaching.end()) return !says_nothing(value);
    return name == "provider" && value.is_string() && home::is_script(value.get_string());
}

void find_reaching(const json::value& value, const std::string& pointer, json::array& found)
{
    if (const auto* text = value.if_string(); text && text->find("${") != text->npos) found.emplace_back(pointer);
    if (const auto* list = value.if_array())
        for (std::size_t i = 0; i < list->size(); ++i)
            find_reaching((*list)[i], pointer + "/" + std::to_string(i), found);
    if (const auto* object = value.if_object())
        for (const auto& member : *object) {
            const std::string place = pointer + "/" + std::string(member.key());
            if (reaches(member.key(), member.value())) found.emplace_back(place);
            else find_reaching(member.value(), place, found);
        }
}

}  // namespace

fs::path sent_teams(const fs::path& home, std::string_view tenant)
{
    return home / "server" / "tenants" / tenant;
}

void expect_harmless(const json::value& team)
{
    json::array found;
    find_reaching(team, "", found);
    if (found.empty()) return;
    throw Refusal(
        403, Code::forbidden, "operator_only",
        "a team that is sent may not name programs, files, addresses, keys or variables; the project's files may",
        {{"fields", std::move(found)}});
}

fs::path write_draft(const fs::path& folder, std::string_view text)
{
    const fs::path file = folder / "draft" / "teams" / "team.json";
    for (const fs::path& part : {folder.parent_path().parent_path(), folder.parent_path(), folder, folder / "draft",
                                 folder / "draft" / "teams", folder / "teams"})
        storage::make_private_folder(part);
    storage::write_private_file(file, text);
    return file;
}

void publish_draft(const fs::path& folder, const std::string& id)
{
    fs::rename(folder / "draft" / "teams" / "team.json", folder / "teams" / (id + ".json"));
    storage::sync_folder(folder / "teams");
}

}  // namespace cadre::server
