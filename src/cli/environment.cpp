#include "cli/environment.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace cadre::cli {

std::optional<std::string> environment(const char* name)
{
    const char* value = std::getenv(name);
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

std::optional<std::filesystem::path> home_folder()
{
    if (const auto chosen = environment("CADRE_HOME")) return *chosen;
    if (const auto home = environment("HOME")) return std::filesystem::path(*home) / ".multi-agent";
    return std::nullopt;
}

std::string file_text(const std::filesystem::path& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace cadre::cli
