#include "home/project/retention.hpp"

#include "home/project/project.hpp"

#include <optional>
#include <system_error>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_policy(const fs::path& folder)
{
    std::error_code error;
    for (const char* name : {"retention_policy.yaml", "retention_policy.yml", "retention_policy.json"})
        if (fs::is_regular_file(folder / "config" / name, error)) return folder / "config" / name;
    return std::nullopt;
}

Retention read_policy(const Project& project, const fs::path& file)
{
    return {project.read(file).retention.back().value, file.string()};
}

}  // namespace

Retention retention_of(const Place& place, const fs::path& home)
{
    const auto file = find_policy(home);
    if (!file) return {model::framework::standard_retention(), ""};
    return read_policy(Project(place, home, home), *file);
}

Retention retention_for(const Project& project)
{
    if (const auto file = find_policy(project.folder())) return read_policy(project, *file);
    return retention_of(project.place(), project.home());
}

}  // namespace cadre::home
