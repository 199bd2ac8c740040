#include "cli/environment.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace cadre::cli {
namespace {

constexpr std::size_t kLongestName = 40;

}  // namespace

std::optional<std::string> environment(const char* name)
{
    const char* value = std::getenv(name);
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

std::string program_name()
{
    const std::string name = environment("CADRE_PROGRAM").value_or("");
    const bool fits = !name.empty() && name.size() <= kLongestName;
    return fits && std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; }) ? name : "cadre";
}

bool runs_systemd()
{
    return ::access("/run/systemd/system", F_OK) == 0;  // the same question as sd_booted(3)
}

std::optional<std::filesystem::path> home_folder()
{
    if (const auto chosen = environment("CADRE_HOME")) return *chosen;
    return default_home();
}

std::optional<std::filesystem::path> default_home()
{
    if (const auto home = environment("HOME")) return std::filesystem::path(*home) / ".multi-agent";
    return std::nullopt;
}

std::string file_text(const std::filesystem::path& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace cadre::cli
