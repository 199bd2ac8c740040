// Whether a request may come in at all, before anything is known of who sent it: pages of other sites must not use a browser to talk to
// a server on its user's machine or network.
#pragma once

#include "net/http_request_parser.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::server {

/// Whether only this machine can reach a server that listens there: `127.0.0.1`, `::1`, `localhost`.
bool is_loopback(std::string_view host);

class Gate {
public:
    /// `urls`: where clients reach the server. On a loopback address every loopback name will do.
    Gate(const std::vector<std::string>& urls, const std::vector<std::string>& allowed_origins);

    /// Throws HttpRefusal: 421 for a Host that is not ours, 403 for a page that may not ask.
    /// `by_file`: it came over a socket of the file system, which browsers cannot reach: any Host will do.
    void expect(const net::HttpHead& head, bool by_file = false) const;
    /// The headers that let a page of an allowed origin read the answer; none for others.
    net::HttpHeaders cors(const net::HttpHead& head) const;

private:
    bool is_own(std::string_view origin) const;

    std::set<std::string, std::less<>> hosts_;    // `localhost:8080`
    std::set<std::string, std::less<>> origins_;  // `http://localhost:8080`
    std::set<std::string, std::less<>> allowed_;
};

}  // namespace cadre::server
