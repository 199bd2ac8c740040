// The head of a request, through the gate and the table of all routes: it is for one of them, or refused with a status. Its query becomes
// what the route reads, or is refused. (The bytes are the business of http_request_fuzz.cpp.)
#include "base/async.hpp"
#include "expect.hpp"
#include "model/describe.hpp"
#include "net/http_request_parser.hpp"
#include "server/client_address.hpp"
#include "server/gate.hpp"
#include "server/query.hpp"
#include "server/route_table.hpp"
#include "server/routes/routes.hpp"

#include <boost/json.hpp>

#include <string>

using namespace cadre;
using namespace cadre::server;

namespace {

void route(const net::HttpHead& head)
{
    static const RouteTable routes(all_routes());
    static const Gate gate({"http://127.0.0.1:8080"}, {"https://console.example"});
    for (const char* const header : {"", "X-Forwarded-For", "Forwarded"}) {
        const config::ServerSettings settings{.behind_proxy = *header != '\0', .forwarded_header = header};
        EXPECT(!client_address(head, "127.0.0.1:50312", settings).empty());
    }
    gate.expect(head);
    const RouteMatch match = routes.find(head.method, head.path, false);
    EXPECT((match.kind == RouteMatch::Kind::found) == (match.route != nullptr));
    if (!match.route) return;
    EXPECT(match.route->handler != nullptr);
    if (match.route->query)
        for (const auto& member : query_object(head.query, *match.route->query)) EXPECT(!member.key().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    const std::size_t space = text.find(' ');
    net::HttpHead head;
    head.method = std::string(text.substr(0, space));
    std::string_view rest = space == text.npos ? std::string_view() : text.substr(space + 1);
    const std::size_t line = std::min(rest.find('\n'), rest.size());
    const std::string_view target = rest.substr(0, line);
    const std::size_t question = std::min(target.find('?'), target.size());
    head.path = std::string(target.substr(0, question));
    head.query = std::string(target.substr(std::min(question + 1, target.size())));
    rest.remove_prefix(std::min(line + 1, rest.size()));
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view one = rest.substr(0, end);
        const std::size_t colon = std::min(one.find(':'), one.size());
        head.headers.push_back(
            {std::string(one.substr(0, colon)), std::string(one.substr(std::min(colon + 1, one.size())))});
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    try {
        route(head);
    } catch (const net::HttpRefusal& refusal) {
        EXPECT(refusal.status() >= 400 && refusal.status() < 500);
    }
    return 0;
}
