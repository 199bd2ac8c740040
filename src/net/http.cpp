#include "net/http.hpp"

#include "base/ascii.hpp"
#include "base/async.hpp"

#include <algorithm>

namespace cadre::net {

std::optional<std::string_view> find_header(const HttpHeaders& headers, std::string_view name)
{
    const auto found =
        std::ranges::find_if(headers, [&](const HttpHeader& header) { return same_in_any_case(header.name, name); });
    if (found == headers.end()) return std::nullopt;
    return found->value;
}

Async<std::string> read_all(HttpReply& reply)
{
    std::string body;
    while (const auto piece = co_await reply.read()) body += *piece;
    co_return body;
}

}  // namespace cadre::net
