// Teams by the names that tasks know them by: those of the project, of the home, and those that clients have sent.
#pragma once

#include "home/project/project.hpp"
#include "model/team.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre {
class Pool;
}

namespace cadre::server {

class Call;

/// A file that can be run.
struct Named {
    std::string id{};
    std::filesystem::path file{};
    std::string_view source{};  // project, home, or api
};

/// What a request looks for teams in.
std::shared_ptr<const home::Project> project_of(Call& call);
std::filesystem::path sent_folder(Call& call);
/// Reading files blocks, so it is done there.
Pool& pool_of(Call& call);

/// In the folder `teams`, `agents` or `workflows`. Those of the project win over the home's, and these over what clients have sent.
std::vector<Named> all_named(const home::Project& project, const std::filesystem::path& sent, std::string_view folder);
/// Throws Error(not_found).
Named get_named_team(const home::Project& project, const std::filesystem::path& sent, const std::string& id);
std::optional<Named> find_named_team(const home::Project& project, const std::filesystem::path& sent,
                                     const std::string& id);
/// As it would run. Throws Error(invalid) with all that is wrong with it.
model::Team team_in(const home::Project& project, const Named& named);
/// Changes when what it says changes.
std::string team_tag(const model::Team& team);
/// As clients see it: a script that stands in for a model has a name, and no place.
model::Team public_team(model::Team team);

/// Throws Refusal(409, read_only) for one that is a file of the project or the home, and Refusal(412, changed) when `known`, an If-Match, is
/// of another one.
void expect_can_change(const home::Project& project, const Named& named, const std::string& known);
/// Keeps the team under that id, unless what is wrong with it is thrown: as `check` says it, without the name of our file.
model::Team keep_team(const home::Project& project, const std::filesystem::path& sent, const std::string& id,
                      const std::string& text);
/// Whether the file says that.
bool says(const std::filesystem::path& file, const std::string& text);

}  // namespace cadre::server
