#include "cli/environment.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unistd.h>

namespace cadre::cli {
namespace {

constexpr std::size_t kLongestName = 40;

}  // namespace

void set_environment(const std::string& name, const std::string& value)
{
    ::setenv(name.c_str(), value.c_str(), 1);
}

std::optional<std::string> environment(const std::string& name)
{
    const char* value = std::getenv(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::string> environment_names()
{
    std::vector<std::string> names;
    for (char** variable = ::environ; variable && *variable; ++variable) {
        const std::string_view text = *variable;
        names.emplace_back(text.substr(0, text.find('=')));
    }
    return names;
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

std::string file_text(const std::filesystem::path& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace cadre::cli
