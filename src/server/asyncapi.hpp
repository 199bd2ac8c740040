// The AsyncAPI 3.0 document of the streams: what comes over them, for generators of clients and people.
#pragma once

#include <boost/json/fwd.hpp>

#include <string>

namespace cadre::server {

struct AsyncApiInfo {
    std::string version{};           // of this program
    std::string host = "localhost";  // with its port
    bool is_secure = false;          // TLS
};

/// From the table of streams (stream_kind.hpp) and the described events.
boost::json::value asyncapi_document(const AsyncApiInfo& info);

}  // namespace cadre::server
