// A tool of an MCP server's that a task was begun with. What it is now is looked at before each call.
#pragma once

#include "mcp/server.hpp"
#include "tools/tool.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace cadre::mcp {

/// Called on the server's loop.
class PinnedTool final : public tools::Tool {
public:
    PinnedTool(std::shared_ptr<mcp::Server> server, model::Tool described);

    const model::Tool& definition() const override { return described_; }
    bool keeps_time() const override { return true; }
    /// Throws NotDispatched when the server has it no longer, or says something else about it.
    Async<tools::Result> call(tools::Call call, tools::ToolContext& context) override;

private:
    Async<std::shared_ptr<const std::vector<mcp::ListedTool>>> listed(std::optional<Millis> limit);

    std::shared_ptr<mcp::Server> server_;
    model::Tool described_;
};

}  // namespace cadre::mcp
