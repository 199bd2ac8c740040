// For tests: a project made of these files, and what check() says of it.
#pragma once

#include "config/check.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace cadre::config {

/// By path: their text. `-> target` makes a link.
using ProjectFiles = std::map<std::string, std::string>;

class Project {
public:
    explicit Project(const ProjectFiles& files)
        : folder(std::filesystem::temp_directory_path() / ("cadre_config_test_" + std::to_string(::getpid())))
    {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
        for (const auto& [name, text] : files) {
            std::filesystem::create_directories((folder / name).parent_path());
            if (text.starts_with("-> ")) std::filesystem::create_symlink(text.substr(3), folder / name);
            else std::ofstream(folder / name) << text;
        }
    }
    ~Project() { std::filesystem::remove_all(folder); }
    Project(const Project&) = delete;
    Project& operator=(const Project&) = delete;

    /// With `inner` as the current folder.
    std::string checked(std::vector<std::filesystem::path> paths = {}, const std::string& inner = "",
                        const std::map<std::string, std::string>& environment = {}) const
    {
        return check({.paths = std::move(paths),
                      .current = inner.empty() ? folder : folder / inner,
                      .environment =
                          [&](const std::string& name) {
                              const auto found = environment.find(name);
                              return found == environment.end() ? std::nullopt : std::optional(found->second);
                          }})
            .findings.text();
    }

    const std::filesystem::path folder;
};

inline std::string checked(const ProjectFiles& files, std::vector<std::filesystem::path> paths = {})
{
    return Project(files).checked(std::move(paths));
}

/// The text of an agent's file.
inline std::string agent(const std::string& name, const std::string& more = "")
{
    return "name: " + name + "\nrole: Works.\nprompt: Work.\n" + more;
}

}  // namespace cadre::config
