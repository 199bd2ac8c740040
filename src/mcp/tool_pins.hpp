// What the tools of MCP servers were when they were first seen: a server that changes what its tools are said to do must not go unnoticed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace cadre::mcp {
struct ServerEntry;
}

namespace cadre::mcp {

/// What a server goes by in the file: its name, and which program or address that is. The same name may be another server in another project.
std::string pin_name(const mcp::ServerEntry& entry);

/// `mcp_tools.json` in the home, readable for its owner alone. Blocks, briefly. What other processes write is seen.
class ToolPins {
public:
    /// A file that cannot be read is not written over, and nothing is as before: what was agreed to is not known.
    explicit ToolPins(const std::filesystem::path& home);

    /// False: the tool was known as another. One that was not known is from now on.
    bool is_as_before(const std::string& server, const std::string& tool, const std::string& hash);
    /// What it is now is agreed to. True: it was another before.
    bool approve(const std::string& server, const std::string& tool, const std::string& hash);

private:
    void read();
    void save();

    std::filesystem::path file_;
    std::optional<std::filesystem::file_time_type> read_at_;  // what the file's time was then
    bool readable_ = true;
    std::map<std::string, std::map<std::string, std::string>> hashes_;  // by server and tool
};

}  // namespace cadre::mcp
