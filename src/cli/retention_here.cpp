#include "cli/retention_here.hpp"

#include "cli/project_here.hpp"

#include <optional>
#include <system_error>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_policy(const fs::path& folder)
{
    std::error_code error;
    for (const char* name : {"retention_policy.yaml", "retention_policy.yml", "retention_policy.json"})
        if (fs::is_regular_file(folder / "config" / name, error)) return folder / "config" / name;
    return std::nullopt;
}

RetentionHere read_policy(ProjectHere& project, const fs::path& file)
{
    const auto& contents = project.read(file);
    return {contents.retention.back().value, file.string()};
}

}  // namespace

RetentionHere retention_of(const fs::path& home)
{
    const auto file = find_policy(home);
    if (!file) return {model::framework::standard_retention(), ""};
    ProjectHere project(home);
    return read_policy(project, *file);
}

RetentionHere retention_here(const fs::path& home)
{
    ProjectHere project(fs::current_path());
    if (const auto file = find_policy(project.folder())) return read_policy(project, *file);
    return retention_of(home);
}

}  // namespace cadre::cli
