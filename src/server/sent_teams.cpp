#include "server/sent_teams.hpp"

#include "home/models.hpp"
#include "model/providers.hpp"
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
constexpr std::array<std::string_view, 11> kReaching = {
    "path",     "function",    "server_url", "prompt_template",   "templates", "api_key",
    "base_url", "api_key_env", "config",     "deployment_config", "knowledge"};

bool says_nothing(const json::value& value)
{
    return value.is_null() || (value.is_object() && value.get_object().empty()) ||
           (value.is_array() && value.get_array().empty()) || (value.is_string() && value.get_string().empty());
}

bool is_file_model(std::string_view model)
{
    return home::is_script(model::split_model_name(model).provider);
}

/// Programs that run without anybody's approval.
bool allows(std::string_view name, const json::value& value)
{
    if (name == "allow") return value.is_array() && !value.get_array().empty();
    return name == "permission" && value == "allow";
}

bool reaches(std::string_view name, const json::value& value)
{
    if (std::ranges::find(kReaching, name) != kReaching.end()) return !says_nothing(value);
    if (name == "fallback" && value.is_array())
        return std::ranges::any_of(value.get_array(), [](const json::value& one) {
            return !one.is_string() || is_file_model(one.get_string());
        });
    return allows(name, value) || (name == "provider" && value.is_string() && home::is_script(value.get_string()));
}

/// What a project whose provider is a script would take for a file.
bool is_model_alone(const json::object& object)
{
    const json::value* const model = object.if_contains("model");
    const json::value* const provider = object.if_contains("provider");
    return model && model->is_string() && (!provider || !provider->is_string());
}

void find_reaching(const json::value& value, const std::string& pointer, json::array& found)
{
    if (const auto* text = value.if_string(); text && text->find("${") != text->npos) found.emplace_back(pointer);
    if (const auto* list = value.if_array())
        for (std::size_t i = 0; i < list->size(); ++i)
            find_reaching((*list)[i], pointer + "/" + std::to_string(i), found);
    if (const auto* object = value.if_object(); object && is_model_alone(*object))
        found.emplace_back(pointer + "/model");
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
    throw Refusal(403, Code::forbidden, "operator_only",
                  "a team that is sent may not name programs, files, addresses, keys or variables, nor allow tools "
                  "without approval; the project's files may",
                  {{"fields", std::move(found)}});
}

void expect_remote_model(const std::string& model, std::string_view field)
{
    const auto [provider, name] = model::split_model_name(model);
    if (!name.empty() && !home::is_script(provider)) return;
    if (model == model::kLocal) return;
    model::Problems problems;
    problems.add(model::Path({}, field), "is not provider/model, like openai/gpt-5-mini");
    throw BadRequest(std::move(problems));
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
