// A `cadre serve` somewhere else, spoken to over its HTTP API.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/secret.hpp"
#include "net/http_client.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::net {
class Loop;
}

namespace cadre::cli {

/// What a stream said.
struct RemoteItem {
    std::string_view kind{};  // `message`, `end`, `drain`, `closed`
    std::string_view id{};
    std::string_view data{};
};

/// Lives on its loop.
class RemoteServer {
public:
    /// Throws Error(invalid) for what is not an address of a server.
    RemoteServer(net::Loop& loop, std::string url, Secret token);

    /// What it answers, as JSON. Throws Error with the code and the words of what it refuses. `key`: an Idempotency-Key, so that the
    /// request may be sent again where its answer was lost.
    Async<boost::json::value> ask(std::string method, std::string path, std::string body = {}, std::string key = {});
    /// Hands on what the stream says until `hear` returns false or the stream has ended; who is cut off continues where they were.
    Async<> follow(std::string path, std::function<bool(const RemoteItem&)> hear);
    /// The task whose id begins so. Throws Error(not_found), Error(invalid) where several do.
    Async<std::string> resolve(std::string prefix);

private:
    Async<std::unique_ptr<net::HttpReply>> send(net::HttpRequest request);
    net::HttpRequest request_for(std::string method, const std::string& path) const;

    net::HttpClient http_;
    std::string url_;
    Secret token_;
};

}  // namespace cadre::cli
