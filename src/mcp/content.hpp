// What a server answers, in our terms.
#pragma once

#include "tools/tool.hpp"

#include <boost/json/fwd.hpp>

namespace cadre::mcp {

/// A CallToolResult: texts as one text, images and sounds as media, the rest as a line that says what it is. Never throws for what a
/// server got wrong.
tools::Result to_result(const boost::json::object& answer);

/// The texts of content blocks, of resources or of a prompt's messages, and the media among them.
void add_content(tools::Result& result, const boost::json::value& block);

}  // namespace cadre::mcp
