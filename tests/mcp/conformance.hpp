// What a client does in each scenario of @modelcontextprotocol/conformance.
#pragma once

#include "mcp/client.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace cadre::mcp {

/// Accepts every form with its defaults, and samples the same sentence for everybody.
class Agreeable final : public Handlers {
public:
    Async<boost::json::object> sample(boost::json::object params) override;
    Async<boost::json::object> elicit(boost::json::object params) override;
};

/// Plays `scenario` with an open client; `context` is what the suite hands over. Throws Error.
Async<> play(Client& client, std::string scenario, boost::json::object context);

}  // namespace cadre::mcp
