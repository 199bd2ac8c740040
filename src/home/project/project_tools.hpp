// The tools of projects: programs of their own, and those that their MCP servers offer.
#pragma once

#include "base/async_fwd.hpp"
#include "base/log.hpp"
#include "home/local_router.hpp"
#include "mcp/oauth/kept_secrets.hpp"
#include "mcp/tool_pins.hpp"
#include "model/views/framework_agent.hpp"
#include "net/loop.hpp"
#include "tools/tool.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cadre::mcp {
class Server;
struct ListedTool;
}  // namespace cadre::mcp
namespace cadre::net {
class HttpClient;
}

namespace cadre::home {

class Projects;

/// Lives on its loop; close() before it dies. Servers are started when they are first needed, and shared by all tasks of a project.
class ProjectTools final : public tools::Toolbox {
public:
    /// `encoder`: compares meanings in knowledge folders; null: words decide.
    ProjectTools(net::Loop& loop, Projects& projects, std::filesystem::path home, Log log, EncoderSource encoder = {});
    ProjectTools(const ProjectTools&) = delete;
    ProjectTools& operator=(const ProjectTools&) = delete;
    ~ProjectTools();

    /// An agent is granted `server.tool`, `server.*`, or the plain name of a tool that one of the servers has. What a tool was when it
    /// was first seen is kept in the home: one that is another now must be agreed to, call by call, until `cadre mcp approve`.
    Async<> describe(model::Team& team, std::filesystem::path project) override;
    std::shared_ptr<tools::Tool> find(const model::Tool& described, const std::filesystem::path& project,
                                      std::string& why) override;

    /// Those of the project, as it was last opened.
    std::vector<std::shared_ptr<mcp::Server>> servers(const std::filesystem::path& project);
    /// Throws Error(not_found) that suggests the nearest name.
    std::shared_ptr<mcp::Server> server(const std::filesystem::path& project, const std::string& name);
    mcp::ToolPins& known() { return known_; }
    mcp::oauth::KeptSecrets& kept() { return kept_; }

    Async<> close();

private:
    std::shared_ptr<mcp::Server> start(const std::filesystem::path& project, const model::framework::MCPServer& server);
    std::shared_ptr<tools::Tool> knowledge(const model::Tool& described, const std::filesystem::path& project);
    std::shared_ptr<mcp::Server> server_of(const model::Tool& tool, const std::filesystem::path& project);
    Async<> grant(model::Team& team, const std::filesystem::path& project);
    Async<> complete(model::Tool& tool, const std::filesystem::path& project);
    void note_hash(model::Tool& tool, const std::string& pin, const std::string& remote, const std::string& hash);

    net::Loop& loop_;
    Projects& projects_;
    std::filesystem::path home_;
    Log log_;
    mcp::ToolPins known_;
    mcp::oauth::KeptSecrets kept_;
    std::unique_ptr<net::HttpClient> http_;
    std::map<std::string, std::shared_ptr<mcp::Server>> servers_;  // by project and definition
    std::map<std::string, std::shared_ptr<tools::Tool>> programs_;
    EncoderSource encoder_;
    std::map<std::string, std::shared_ptr<tools::Tool>> knowledge_;  // by project and paths
};

}  // namespace cadre::home
