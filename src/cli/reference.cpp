#include "cli/reference.hpp"

#include "cli/write_file.hpp"
#include "config/settings.hpp"
#include "model/catalogue.hpp"
#include "model/reference_page.hpp"

#include <fmt/core.h>

namespace cadre::cli {
namespace {

/// The model's chapters, behind what the config room adds.
std::vector<model::Chapter> all_chapters()
{
    std::vector<model::Chapter> chapters;
    chapters.push_back({"The project file, cadre.yaml",
                        {&describe(static_cast<const config::Settings*>(nullptr)),
                         &describe(static_cast<const config::ServerSettings*>(nullptr)),
                         &describe(static_cast<const config::JwtSettings*>(nullptr)),
                         &describe(static_cast<const config::RateSetting*>(nullptr)),
                         &describe(static_cast<const config::RedisSettings*>(nullptr)),
                         &describe(static_cast<const config::BudgetSettings*>(nullptr))}});
    for (const model::Chapter& chapter : model::chapters()) chapters.push_back(chapter);
    return chapters;
}

}  // namespace

std::vector<std::string> write_reference(const std::filesystem::path& folder)
{
    make_folder(folder);
    std::vector<std::string> files;
    std::string index =
        "# Entities\n\nEverything that Cadre reads and writes, from the descriptions in `src/model`. Rewritten by "
        "`cadre schema --pages docs/reference/entities`.\n";
    for (const model::Chapter& chapter : all_chapters()) {
        index += fmt::format("\n## {}\n\n| Entity | |\n|---|---|\n", chapter.title);
        for (const model::Entity* entity : chapter.entities) {
            index += fmt::format("| [{0}]({0}.md) | {1} |\n", entity->name, entity->doc);
            files.push_back(fmt::format("{}.md", entity->name));
            write_file(folder / files.back(), model::reference_page(*entity));
        }
    }
    files.emplace_back("README.md");
    write_file(folder / files.back(), index);
    return files;
}

}  // namespace cadre::cli
