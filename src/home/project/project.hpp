// A project as its files say it: settings, variables, providers, MCP servers.
#pragma once

#include "config/contents.hpp"
#include "config/settings.hpp"
#include "home/place.hpp"
#include "model/providers.hpp"

#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::home {

/// A snapshot: what changes in the files later makes another one. For all threads.
class Project {
public:
    /// The project around `folder`; without a cadre.yaml anywhere above, that folder with the settings' defaults. Throws
    /// Error(invalid) with every problem of cadre.yaml, .env and the settings in the environment. `home`: nothing, where these
    /// say which it is.
    Project(const Place& place, const std::filesystem::path& folder, std::optional<std::filesystem::path> home = {});

    const std::filesystem::path& folder() const { return folder_; }
    /// As home_folder() finds it, and throws.
    const std::filesystem::path& home() const { return home_.get(); }
    /// CADRE_MODEL is not among them: it wins over agents and teams, and so is more than a setting.
    const config::Settings& settings() const { return settings_; }
    /// Those that Cadre knows, with config/providers.yaml of the home and of the project over them. Throws Error(invalid) with what
    /// is wrong in these files.
    const model::Providers& providers() const { return providers_.get(); }
    /// Those that the project's files and then the home's name; disabled ones are left out. Throws as providers() does.
    const std::vector<model::framework::MCPServer>& servers() const { return servers_.get(); }

    /// Those that config/accounts.yaml of the project has, or else that of the home; without one, none. Throws as providers() does.
    const model::ChannelAccounts& accounts() const { return accounts_.get(); }

    /// As the files of this project would have it: the process's, then what .env may say.
    std::optional<std::string> variable(const std::string& name) const;
    config::Environment variables() const;

    /// Reads a file of this project, or of the home. Throws Error(invalid) with all its problems.
    config::Contents read(const std::filesystem::path& file) const;

    /// What was read: the settings, and the servers of the project and of the home. For reading more files in their light.
    const config::Contents& contents() const { return contents_; }
    /// For that reading: what it refers to is its own.
    config::Variables reading() const { return variables_; }
    /// The path as people here are told it.
    std::string shown(const std::filesystem::path& file) const;
    /// Whose file it is: the home's, or else the project's.
    const std::filesystem::path& root_of(const std::filesystem::path& file) const;

    const Place& place() const { return place_; }
    /// Whether its files are as they were when they were read, by their times and sizes.
    bool is_current() const { return marks() == marks_; }
    /// Whether all of it could be read.
    bool is_whole() const { return !providers_.problem && !servers_.problem && !accounts_.problem; }
    bool has_file() const { return !contents_.settings.empty(); }
    /// Whether its cadre.yaml chooses the home: then what lies in that is the project's word, not the operator's.
    bool chooses_home() const { return settings_.home && !place_.environment("CADRE_HOME"); }
    /// Whether the project has written the file, and not whoever runs it here.
    bool is_projects(const std::filesystem::path& file) const { return chooses_home() || root_of(file) == folder_; }

private:
    /// What was read, or why it could not be: a faulty file is the problem of those who need it.
    template <class T>
    struct Part {
        T value{};
        std::exception_ptr problem{};

        const T& get() const
        {
            if (problem) std::rethrow_exception(problem);
            return value;
        }
    };
    template <class T, class Read>
    static Part<T> part(Read read);
    std::vector<model::framework::MCPServer> read_servers(const std::vector<std::filesystem::path>& own,
                                                          const std::vector<std::filesystem::path>& of_home);
    model::ChannelAccounts read_accounts(const std::vector<std::filesystem::path>& own,
                                         const std::vector<std::filesystem::path>& of_home);
    std::string marks() const;

    Place place_;
    std::filesystem::path folder_;
    std::vector<std::filesystem::path> watched_;  // its files, and the folders that more of them would lie in
    std::string marks_;                           // of these, before they were read
    config::Variables variables_;
    config::Contents contents_;
    config::Settings settings_;
    Part<std::filesystem::path> home_;
    Part<model::Providers> providers_;
    Part<std::vector<model::framework::MCPServer>> servers_;
    Part<model::ChannelAccounts> accounts_;
};

/// The projects that a process has to do with. Lives on one loop.
class Projects {
public:
    /// `first` was read already; null: none was.
    Projects(Place place, std::filesystem::path home, std::shared_ptr<const Project> first = nullptr);

    /// As its files are now: the snapshot from before where none has changed. Throws what is wrong with them. The snapshot that
    /// current() gives stays until all of the files can be read: tasks that are under way have what they began with.
    std::shared_ptr<const Project> open(const std::filesystem::path& folder);
    /// As it was when it was last opened; nothing is looked at.
    std::shared_ptr<const Project> current(const std::filesystem::path& folder);

    const Place& place() const { return place_; }

private:
    Place place_;
    std::filesystem::path home_;
    std::map<std::filesystem::path, std::shared_ptr<const Project>> opened_;
};

/// Whether programs of tools are locked in, as the environment has it: no file can say that they are not.
model::SandboxMode sandbox_mode(const Place& place);

/// `$CADRE_HOME`, or what the project has configured, or ~/.multi-agent. It need not exist. Throws Error(unavailable) when none is
/// known, and Error(invalid) when it is not an absolute path.
std::filesystem::path home_folder(const Place& place, const std::optional<std::filesystem::path>& configured);

}  // namespace cadre::home
