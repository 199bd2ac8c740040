// Which projects may do more than look: those that were made here, and those that a person has looked at and trusted.
//
// What a project comes with was written by whoever wrote the project, and not by whoever runs it. Trust is given once, to what was shown:
// addresses that get keys, programs that start, rules that allow, a home elsewhere. What comes to be wanted later is asked about again.
#pragma once

#include "base/error.hpp"
#include "base/secret.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {
struct Endpoint;
}
namespace cadre::model {
struct LlmConfig;
struct Team;
}  // namespace cadre::model
namespace cadre::model::framework {
struct MCPServer;
}

namespace cadre::home {

class Project;
struct Place;

/// One thing that a project wants, in words: what is trusted is exactly these.
struct Want {
    std::string text{};  // `starts npx -y server-files (MCP server files)`
    std::string file{};  // that says so, as people are told it

    bool operator==(const Want&) const = default;
};

/// Nobody has trusted the project with these. The text names them all.
class NotTrusted : public Error {
public:
    NotTrusted(std::filesystem::path folder, std::vector<Want> wants);

    const std::filesystem::path& folder() const { return folder_; }
    const std::vector<Want>& wants() const { return wants_; }

private:
    std::filesystem::path folder_;
    std::vector<Want> wants_;
};

// ---- what is wanted ----

/// What the project wants whatever is run in it: all servers that it starts, all addresses of its providers that get keys.
std::vector<Want> wants_of(const Project& project);
/// A home that the project chooses, where it lies outside of it.
std::vector<Want> home_wants(const Project& project, const std::filesystem::path& home);
/// What running this team wants: programs and servers that it is granted, rules that allow, its models' addresses. `file`: it stands there.
/// `model`: what wins over all that files say; empty: they count.
std::vector<Want> wants_of(const Project& project, const model::Team& team, const std::filesystem::path& file,
                           const std::string& model);
/// Throws Error(forbidden) for a key that would go to another machine over plain http because the project says so: no trust covers that.
std::vector<Want> wants_of(const Project& project, const llm::Endpoint& endpoint, std::string_view file);
std::vector<Want> wants_of(const Project& project, const model::framework::MCPServer& server);

/// What of the server's entry came from variables and must not be repeated, wherever it stands: `env`, `args`, headers, its URL.
std::vector<Secret> secrets_of(const Project& project, const model::framework::MCPServer& server);

/// That a rule allows calls without asking, as it is wanted.
std::string rule_want(std::string_view rule);

// ---- what is trusted ----

/// Those that nobody has trusted: all, where nobody has ever trusted the project; none in one that was made here.
std::vector<Want> not_trusted(const Project& project, std::vector<Want> wants);
/// Throws NotTrusted where one is missing.
void expect_trusted(const Project& project, std::vector<Want> wants);
/// Throws NotTrusted for a home outside of the project that chooses it, and Error(invalid) for one that begins with `~`.
void expect_own_home(const Project& project, const std::filesystem::path& home);

/// Remembers these for this user, beside those from before.
void trust(const Place& place, const std::filesystem::path& folder, const std::vector<Want>& wants);
/// The project was made here by this user: whatever it comes to want is theirs.
void adopt(const Place& place, const std::filesystem::path& folder);
/// False: it was not trusted.
bool forget_trust(const Place& place, const std::filesystem::path& folder);
/// Where it is remembered: `cadre/trusted.json` in $XDG_CONFIG_HOME or ~/.config. Empty: there is no such place.
std::filesystem::path trust_file(const Place& place);

}  // namespace cadre::home
