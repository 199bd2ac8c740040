#include "mcp/pinned_tool.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "mcp/mcp_tool.hpp"
#include "mcp/members.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::mcp {
PinnedTool::PinnedTool(std::shared_ptr<mcp::Server> server, model::Tool described)
    : server_(std::move(server)), described_(std::move(described))
{}

Async<tools::Result> PinnedTool::call(tools::Call call, tools::ToolContext& context)
{
    const Loop& loop = *(co_await this_context()).loop;
    const Instant begun = loop.now();
    const auto all = co_await listed(call.limit);
    const std::string remote(text_in(described_.config, model::kRemoteName));
    const auto found =
        std::ranges::find_if(*all, [&](const mcp::ListedTool& tool) { return tool.definition.name == remote; });
    if (found == all->end())
        throw tools::NotDispatched(Code::not_found,
                                   fmt::format("server {} no longer has a tool {}", server_->name(), remote));
    if (found->hash != text_in(described_.config, model::kDefinitionHash))
        throw tools::NotDispatched(
            Code::conflict,
            fmt::format("tool {} of server {} has changed since this task started, so it was not called", remote,
                        server_->name()));
    if (call.limit) call.limit = std::max(Millis{1}, *call.limit - std::chrono::floor<Millis>(loop.now() - begun));
    mcp::ListedTool now = *found;
    now.definition.effect = described_.effect;
    mcp::McpTool tool(server_, std::move(now), described_.name);
    co_return co_await tool.call(std::move(call), context);
}

/// Nothing has been asked of the tool yet, so whatever goes wrong here has not reached it.
Async<std::shared_ptr<const std::vector<mcp::ListedTool>>> PinnedTool::listed(std::optional<Millis> limit)
{
    try {
        if (!limit) co_return co_await server_->tools();
        co_return co_await with_timeout(server_->tools(), *limit, fmt::format("MCP server {}", server_->name()));
    } catch (const tools::NotDispatched&) {
        throw;
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw tools::NotDispatched(error.code(), error.what());
    }
    throw tools::NotDispatched(Code::timeout, fmt::format("MCP server {} was not ready in the time that {} has",
                                                          server_->name(), described_.name));
}

}  // namespace cadre::mcp
