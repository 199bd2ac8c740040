// McpTool: a tool of an MCP server's, called like any other.
#pragma once

#include "mcp/server.hpp"
#include "tools/tool.hpp"

#include <memory>
#include <string>

namespace cadre::mcp {

/// Called on the server's loop.
class McpTool final : public tools::Tool {
public:
    /// `name` is what agents call it; see tool_names().
    McpTool(std::shared_ptr<Server> server, ListedTool listed, std::string name);

    const model::Tool& definition() const override { return definition_; }
    bool keeps_time() const override { return true; }
    /// An error that the server answers with is a result too: it has seen the call and says what is wrong.
    Async<tools::Result> call(tools::Call call, tools::ToolContext& context) override;

private:
    std::shared_ptr<Server> server_;
    std::string remote_name_;
    model::Tool definition_;
};

}  // namespace cadre::mcp
