// What a server asks for in the course of a call, asked of those who made the call: people and models, on record and within budget.
#pragma once

#include "mcp/client.hpp"
#include "tools/tool.hpp"

namespace cadre::mcp {

/// `context` outlives it.
class ContextHandlers final : public Handlers {
public:
    ContextHandlers(tools::ToolContext& context, std::string server) : context_(context), server_(std::move(server)) {}

    Async<boost::json::object> sample(boost::json::object params) override;
    Async<boost::json::object> elicit(boost::json::object params) override;

private:
    tools::ToolContext& context_;
    std::string server_;
};

/// The content of an answer to a form: what was given, and the schema's defaults for what was not.
boost::json::object with_defaults(boost::json::object content, const boost::json::object& schema);

}  // namespace cadre::mcp
