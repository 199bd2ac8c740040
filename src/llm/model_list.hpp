// What an endpoint itself says that it serves: GET /models.
#pragma once

#include "base/async_fwd.hpp"
#include "llm/endpoint.hpp"

#include <string>
#include <vector>

namespace cadre::net {
class Http;
}

namespace cadre::llm {

/// Names of models, in the order of the answer. Throws ModelError: nobody answers, or not with a list, or the key is refused.
Async<std::vector<std::string>> list_models(net::Http& http, const Endpoint& endpoint);

}  // namespace cadre::llm
