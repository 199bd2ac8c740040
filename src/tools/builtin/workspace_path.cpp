#include "tools/builtin/workspace_path.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::tools {

namespace {

constexpr std::size_t kMaxName = 255;  // bytes, as in every file system of Linux
constexpr std::size_t kMaxPath = 2000;
constexpr std::size_t kMaxNames = 32;

[[noreturn]] void refuse(std::string_view path, std::string_view why)
{
    throw Error(Code::invalid, fmt::format("The path {} {}.", in_quotes(path), why));
}

bool is_control(char c)
{
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::vector<std::string> names_in(std::string_view path)
{
    if (path.size() > kMaxPath) refuse(path, fmt::format("has more than {} bytes; choose a shorter one", kMaxPath));
    if (std::ranges::any_of(path, is_control)) refuse(path, "has a control character in it; choose another");
    if (path.starts_with('/')) refuse(path, "is absolute; give one inside the workspace, like notes/a.txt");

    std::vector<std::string> names;
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), name.size() + 1));
        if (name.empty() || name == ".") continue;
        if (name == "..") refuse("..", "leads upwards; give one from the workspace on, like notes/a.txt");
        if (name.size() > kMaxName)
            refuse(name, fmt::format("has a name of more than {} bytes; choose a shorter one", kMaxName));
        names.emplace_back(name);
    }
    if (names.size() > kMaxNames)
        refuse(path_of(names), fmt::format("is more than {} folders deep; choose a shorter one", kMaxNames));
    return names;
}

std::string path_of(const std::vector<std::string>& names)
{
    std::string path;
    for (const std::string& name : names) path += (path.empty() ? "" : "/") + name;
    return path.empty() ? "." : path;
}

}  // namespace cadre::tools
