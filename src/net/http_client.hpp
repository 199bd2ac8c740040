// HttpClient: HTTP/1.1 over TCP and TLS, with kept connections and proxies.
#pragma once

#include "net/egress.hpp"
#include "net/http.hpp"
#include "net/proxy.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cadre::net {

class Loop;

struct HttpClientOptions {
    ProxyRules proxies{};
    std::string ca_file{};  // SSL_CERT_FILE: who vouches for servers; empty: whom this machine trusts
    bool verify = true;     // certificates and the hosts that they name
    EgressPolicy egress{};  // for requests that say that their URL is foreign
    std::string user_agent = "cadre";
    std::size_t largest_head = 64 << 10;  // of an answer
    std::size_t open = 20'000;            // connections at once; more are refused
    std::size_t idle = 256;               // of them kept for the next request
    std::size_t idle_per_origin = 64;
    Millis idle_time{30'000};     // or less, when the server says so
    Millis continue_time{1'000};  // how long `Expect: 100-continue` waits before the body goes all the same
    std::map<std::string, std::vector<IpAddress>> hosts{};  // names that the resolver is not asked for
};

/// Lives on its loop; its replies may outlive it. Calls are independent of each other. What leaves the process:
/// - A request goes out once. It goes out again, on a fresh connection, only if a kept connection turns out to be closed and the
///   system had taken no byte of the request, or the method is safe (GET, HEAD, OPTIONS; RFC 9110 §9.2.2).
/// - A cancelled call closes its connection at once. So does a reply that dies before its end has arrived.
/// Errors name the origin, never path, query or headers.
class HttpClient final : public Http {
public:
    HttpClient(Loop& loop, HttpClientOptions options = {});
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    ~HttpClient() override;

    Async<std::unique_ptr<HttpReply>> send(HttpRequest request) override;

    /// Connections that are open, and those of them that wait for a request.
    std::size_t open() const;
    std::size_t idle() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::net
