#include "server/tickets.hpp"

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "net/escapes.hpp"
#include "net/websocket.hpp"
#include "server/auth/api_key.hpp"
#include "server/problem.hpp"
#include "server/service.hpp"
#include "server/sign_in.hpp"
#include "server/streams.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace cadre::server {
namespace {

constexpr std::size_t kTicketBytes = 32;
constexpr std::string_view kBearerProtocol = "bearer.", kTicketProtocol = "ticket.";
/// What others call a token in a URL.
constexpr std::array<std::string_view, 7> kTokenNames = {"token",  "access_token",  "api_key", "apikey",
                                                         "bearer", "authorization", "jwt"};

/// The value of the query's `ticket`, if there is one. Throws where a token stands in the URL.
std::optional<std::string> ticket_in(std::string_view query)
{
    std::optional<std::string> ticket;
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        const std::string name = lower(pair.substr(0, equals));
        const std::string value =
            net::find_unescaped(std::string(pair.substr(std::min(equals + 1, pair.size())))).value_or("");
        if (std::ranges::find(kTokenNames, name) != kTokenNames.end() || find_api_key(value))
            throw Refusal(
                400, Code::malformed, "token_in_url",
                "a token does not belong in a URL, where logs and histories keep it; send it as a header, or ask "
                "POST /tickets for a ticket");
        if (name == "ticket") ticket = value;
    }
    return ticket;
}

}  // namespace

std::string Tickets::issue(std::string authorization, std::string_view method, std::string_view path, Instant now)
{
    if (held_.size() >= kMost) std::erase_if(held_, [&](const auto& one) { return one.second.until <= now; });
    if (held_.size() >= kMost)
        throw Refusal(429, Code::rate_limited, "too_many_tickets",
                      "too many tickets wait to be used; try again in 30 s");
    std::string bytes(kTicketBytes, '\0');
    random_.fill(std::as_writable_bytes(std::span(bytes)));
    std::string ticket = to_base64url(bytes);
    held_[sha256(ticket)] = {std::move(authorization), std::string(method), std::string(path), later(now, kLifetime)};
    return ticket;
}

std::optional<std::string> Tickets::redeem(std::string_view ticket, std::string_view method, std::string_view path,
                                           Instant now)
{
    const auto found = held_.find(sha256(ticket));
    if (found == held_.end()) return std::nullopt;
    const Held held = std::move(found->second);
    held_.erase(found);
    if (held.until <= now || held.method != method || held.path != path) return std::nullopt;
    return held.authorization;
}

net::HttpHead credentials_of(Service& service, const net::HttpHead& head)
{
    net::HttpHead shown{.method = head.method, .path = head.path};
    for (const net::HttpHeader& header : head.headers)
        if (same_in_any_case(header.name, "Authorization")) shown.headers.push_back(header);
    std::size_t ways = shown.headers.size();
    std::optional<std::string> ticket = ticket_in(head.query);
    if (ticket) ++ways;
    if (net::wants_websocket(head))
        for (const std::string& protocol : net::websocket_offer(head).protocols) {
            const bool is_bearer = protocol.starts_with(kBearerProtocol);
            if (!is_bearer && !protocol.starts_with(kTicketProtocol)) continue;
            ++ways;
            if (!is_bearer) {
                ticket = protocol.substr(kTicketProtocol.size());
                continue;
            }
            const auto token = from_base64url(protocol.substr(kBearerProtocol.size()));
            if (!token)
                throw net::HttpRefusal(400, Code::malformed, "the subprotocol bearer. is not base64url of a token");
            shown.headers.push_back({"Authorization", "Bearer " + *token});
        }
    if (ways > 1)
        throw net::HttpRefusal(400, Code::malformed, "the request says several times who sent it; once is enough");
    if (!ticket) return shown;
    const auto authorization = service.streams->tickets().redeem(*ticket, head.method, head.path, service.loop.now());
    if (!authorization)
        throw SignInRefusal("bad_ticket",
                            "the ticket is not valid: it was used, is older than 30 s, or is for another path");
    if (!authorization->empty()) shown.headers.push_back({"Authorization", *authorization});
    return shown;
}

}  // namespace cadre::server
