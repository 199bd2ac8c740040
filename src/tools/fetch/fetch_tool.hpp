// fetch: a page of the web as text.
#pragma once

#include <memory>

namespace cadre::net {
class Http;
}

namespace cadre::tools {

class Tool;

/// Every request is marked as foreign, so that the egress policy of `http` decides, at each redirect anew. `http` outlives the tool.
std::shared_ptr<Tool> fetch_tool(net::Http& http);

}  // namespace cadre::tools
