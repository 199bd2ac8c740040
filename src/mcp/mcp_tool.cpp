#include "mcp/mcp_tool.hpp"

#include "base/async.hpp"
#include "mcp/content.hpp"
#include "mcp/context_handlers.hpp"
#include "mcp/members.hpp"

#include <fmt/format.h>

namespace cadre::mcp {

namespace {

std::string words_of(const Progress& progress)
{
    std::string words = progress.message;
    if (!words.empty()) words += ' ';
    if (progress.total) return fmt::format("{}({} of {})", words, progress.progress, *progress.total);
    return progress.message.empty() ? fmt::format("{}", progress.progress) : progress.message;
}

}  // namespace

McpTool::McpTool(std::shared_ptr<Server> server, ListedTool listed, std::string name)
    : server_(std::move(server)), remote_name_(listed.definition.name), definition_(std::move(listed.definition))
{
    definition_.name = std::move(name);
}

Async<tools::Result> McpTool::call(tools::Call call, tools::ToolContext& context)
{
    const auto client = co_await server_->client();
    ContextHandlers handlers(context, server_->name());
    RequestOptions options{
        .on_progress = [&context](const Progress& progress) { context.progress(words_of(progress)); },
        .handlers = &handlers};
    if (call.limit) options.cap = *call.limit;
    // it says that it has not seen the call, and we would have to believe it
    options.sends_again = definition_.effect != model::Effect::once;
    if (!call.key.empty()) options.meta[kMetaKey] = call.key;
    try {
        const json::object answer =
            co_await client->call_tool(remote_name_, std::move(call.arguments), std::move(options));
        if (const json::value* content = answer.if_contains("content"); content && !content->is_array())
            throw Error(Code::upstream, fmt::format("MCP server {} sent an answer that makes no sense: its `content` "
                                                    "is not a list",
                                                    server_->name()));
        co_return to_result(answer);
    } catch (const ServerError& error) {
        if (error.error().code == kSenseless && error.status() == 0)  // it ran, and nobody can say how it went
            throw Error(Code::upstream, error.what());
        if (error.status() >= 500)
            throw Error(Code::upstream, error.what());  // a proxy may say that, with the call under way
        co_return tools::Result{.text = error.what(), .is_error = true};
    }
}

}  // namespace cadre::mcp
