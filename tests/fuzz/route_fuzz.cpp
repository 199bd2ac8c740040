// Any method and path is a route, a refusal or nothing; a parameter never has what would lead it elsewhere.
#include "base/async.hpp"
#include "expect.hpp"
#include "net/http_request_parser.hpp"
#include "server/route_table.hpp"

#include <string>

using namespace cadre;
using namespace cadre::server;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    static const RouteTable routes({
        {.path = "/tasks", .name = "list"},
        {.path = "/tasks/{id}", .name = "get"},
        {.path = "/tasks/system/events", .name = "system"},
        {.path = "/tasks/{id}/files/{path*}", .name = "file"},
        {.path = "/tasks/{id}/files/{path*}/versions", .name = "versions"},
        {.method = Method::post, .path = "/tasks/{id}/files/{path*}/restore/{version}", .name = "restore"},
    });
    const std::string_view text = fuzz::text_of(data, size);
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view method = text.substr(0, space), path = text.substr(std::min(space + 1, text.size()));
    for (const bool raw : {false, true}) {
        try {
            const RouteMatch match = routes.find(method, path, raw);
            EXPECT((match.kind == RouteMatch::Kind::found) == (match.route != nullptr));
            EXPECT((match.kind == RouteMatch::Kind::not_found) == match.allow.empty());
            for (const auto& [name, value] : match.values) {
                EXPECT(!value.empty() && value.find('\0') == value.npos);
                EXPECT(value != ".." && !value.starts_with("../") && value.find("/../") == value.npos);
                EXPECT(!value.starts_with('/') && !value.ends_with('/'));
                if (name != "path") EXPECT(value.find('/') == value.npos);
            }
        } catch (const net::HttpRefusal& refusal) {
            EXPECT(refusal.status() == 400);
        }
    }
    return 0;
}
