// The project that a command stands in: its settings, its files, and where its tasks live.
#pragma once

#include "config/contents.hpp"
#include "config/settings.hpp"
#include "config/variables.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace cadre::cli {

/// Lives as long as the command; its files are read once.
class ProjectHere {
public:
    /// The project around `folder`; without a cadre.yaml anywhere above, that folder with the settings' defaults. Throws
    /// Error(invalid) with every problem of cadre.yaml, .env and the settings in the environment.
    explicit ProjectHere(const std::filesystem::path& folder);

    const std::filesystem::path& folder() const { return folder_; }
    /// CADRE_MODEL is not among them: it wins over agents and teams, and so is more than a setting.
    const config::Settings& settings() const { return settings_; }

    /// As the files of this project would have it: the process's, then what .env may say.
    std::optional<std::string> variable(const std::string& name) { return variables_.refer(name); }

    /// Reads a file of this project, or of the home. Throws Error(invalid) with all its problems.
    const config::Contents& read(const std::filesystem::path& file);

private:
    void add(const std::filesystem::path& file);

    std::filesystem::path folder_;
    config::Findings findings_;
    config::Variables variables_;
    config::Contents contents_;
    config::Settings settings_;
};

/// Whether programs of tools are locked in, as the environment of this process has it: no file can say that they are not.
model::SandboxMode sandbox_here();

/// `$CADRE_HOME`, or `home` of the project's cadre.yaml, or ~/.multi-agent. It need not exist. Throws Error(unavailable) when
/// none is known, and Error(invalid) when it is not an absolute path.
std::filesystem::path task_home();

}  // namespace cadre::cli
