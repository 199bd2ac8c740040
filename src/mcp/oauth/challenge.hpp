// What a server's refusal says about signing in: WWW-Authenticate (RFC 9110, RFC 6750, RFC 9728).
#pragma once

#include "net/http.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::mcp::oauth {

/// One challenge of a header, whatever its scheme; both names in lower case.
struct AnyChallenge {
    std::string scheme{};
    std::vector<std::pair<std::string, std::string>> parameters{};

    bool operator==(const AnyChallenge&) const = default;
};

/// What can be read of it; what follows a mistake is left out. Linear, with bounds.
std::vector<AnyChallenge> read_challenges(std::string_view header);

/// The first `Bearer` challenge; what it does not say is empty.
struct Challenge {
    std::string resource_metadata{};
    std::string scope{};  // as canonical_scope() has it
    std::string error{};
};
Challenge challenge_in(const net::HttpHeaders& headers);

/// Words with one blank between them, none twice; empty when a character is none of a scope, or it is too long to be one.
std::string canonical_scope(std::string_view text);
/// Every word of both.
std::string united_scope(std::string_view a, std::string_view b);
bool covers(std::string_view scope, std::string_view wanted);

}  // namespace cadre::mcp::oauth
