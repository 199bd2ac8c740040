#include "server/route_table.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "net/http_request_parser.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::server;

namespace {

std::vector<Route> table()
{
    return {
        {.path = "/", .name = "home"},
        {.path = "/tasks", .name = "list_tasks"},
        {.method = Method::post, .path = "/tasks", .name = "create_task"},
        {.path = "/tasks/{task_id}", .name = "get_task"},
        {.method = Method::del, .path = "/tasks/{task_id}", .name = "delete_task"},
        {.path = "/tasks/system/events", .name = "system_events"},
        {.path = "/tasks/{task_id}/events", .name = "events"},
        {.method = Method::post, .path = "/tasks/{task_id}/hitl/{request_id}/respond", .name = "respond"},
        {.path = "/tasks/{task_id}/artifacts", .name = "artifacts"},
        {.path = "/tasks/{task_id}/artifacts/{path*}", .name = "artifact"},
        {.path = "/tasks/{task_id}/artifacts/{path*}/versions", .name = "versions"},
        {.method = Method::post, .path = "/tasks/{task_id}/artifacts/{path*}/restore/{version}", .name = "restore"},
    };
}

/// `get_task task_id=7`, or what it is instead.
std::string found(const RouteTable& routes, std::string_view method, std::string_view path, bool raw = false)
{
    try {
        const RouteMatch match = routes.find(method, path, raw);
        if (match.kind == RouteMatch::Kind::not_found) return "404";
        if (match.kind == RouteMatch::Kind::not_allowed) return "405 " + match.allow;
        if (match.kind == RouteMatch::Kind::options) return "options " + match.allow;
        std::string out(match.route->name);
        for (const auto& [name, value] : match.values) out += " " + std::string(name) + "=" + value;
        return out;
    } catch (const net::HttpRefusal& refusal) {
        return std::to_string(refusal.status());
    }
}

}  // namespace

TEST_CASE("routes: words, parameters, methods and endings")
{
    const RouteTable routes(table());
    struct {
        const char* method;
        const char* path;
        const char* is;
    } const cases[] = {
        {"GET", "/", "home"},
        {"GET", "/tasks", "list_tasks"},
        {"POST", "/tasks", "create_task"},
        {"HEAD", "/tasks", "list_tasks"},
        {"GET", "/tasks/7", "get_task task_id=7"},
        {"DELETE", "/tasks/7", "delete_task task_id=7"},
        {"GET", "/tasks/a%20b%C3%A4", "get_task task_id=a b\xC3\xA4"},
        {"GET", "/tasks/system/events", "system_events"},
        {"GET", "/tasks/system", "get_task task_id=system"},  // what a word leads to nowhere, a parameter may be
        {"GET", "/tasks/system/artifacts", "artifacts task_id=system"},
        {"GET", "/tasks/7/events", "events task_id=7"},
        {"POST", "/tasks/7/hitl/q/respond", "respond task_id=7 request_id=q"},
        {"GET", "/tasks/7/artifacts", "artifacts task_id=7"},
        {"GET", "/tasks/7/artifacts/a", "artifact task_id=7 path=a"},
        {"GET", "/tasks/7/artifacts/a/b/c.md", "artifact task_id=7 path=a/b/c.md"},
        {"GET", "/tasks/7/artifacts/a/b/versions", "versions task_id=7 path=a/b"},
        {"GET", "/tasks/7/artifacts/versions", "artifact task_id=7 path=versions"},
        {"GET", "/tasks/7/artifacts/versions/versions", "versions task_id=7 path=versions"},
        {"POST", "/tasks/7/artifacts/a/restore/3", "restore task_id=7 path=a version=3"},
        {"GET", "/tasks/7/artifacts/a/restore/3", "405 POST, OPTIONS"},
        {"POST", "/tasks/7/artifacts/a/versions", "405 GET, HEAD, OPTIONS"},
        {"PUT", "/tasks", "405 GET, HEAD, POST, OPTIONS"},
        {"BREW", "/tasks", "405 GET, HEAD, POST, OPTIONS"},
        {"get", "/tasks", "405 GET, HEAD, POST, OPTIONS"},
        {"HEAD", "/tasks/7/hitl/q/respond", "405 POST, OPTIONS"},
        {"OPTIONS", "/tasks/7", "options GET, HEAD, DELETE, OPTIONS"},
        {"GET", "", "404"},
        {"OPTIONS", "*", "404"},
        {"GET", "/task", "404"},
        {"GET", "/tasks/", "404"},
        {"GET", "//tasks", "404"},
        {"GET", "/tasks//events", "404"},
        {"GET", "/tasks/7/hitl", "404"},
        {"GET", "/tasks/7/artifacts/", "404"},
        {"GET", "/tasks/7/artifacts/a//b", "404"},
        {"GET", "/tasks/%", "400"},
        {"GET", "/tasks/%4", "400"},
        {"GET", "/tasks/%zz", "400"},
        {"GET", "/tasks/%00", "400"},
        {"GET", "/tasks/a%2Fevents", "400"},
        {"GET", "/tasks/%FF", "400"},
        {"GET", "/tasks/..", "400"},
        {"GET", "/tasks/7/artifacts/a/%2e%2E/b", "400"},
        {"GET", "/tasks/7/artifacts/./b", "400"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.path);
        CHECK(found(routes, c.method, c.path) == c.is);
    }
    CHECK(found(routes, "GET", "/tasks/7/artifacts/a/versions", true) == "artifact task_id=7 path=a/versions");
    CHECK(found(routes, "GET", "/tasks/7/artifacts/a/restore/3", true) == "artifact task_id=7 path=a/restore/3");
}

TEST_CASE("routes: a table that means two things is refused")
{
    const auto says = [](Route one, Route other) -> std::string {
        try {
            const RouteTable routes({one, other});
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    CHECK(says({.path = "/a", .name = "x"}, {.path = "/b", .name = "y"}).empty());
    CHECK(says({.path = "/a", .name = "x"}, {.path = "/b", .name = "x"}) == "route x /b needs a name of its own");
    CHECK(says({.path = "/a/{b}", .name = "x"}, {.path = "/a/{b}", .name = "y"}) == "route y /a/{b} is there twice");
    CHECK(says({.path = "/a/{b}", .name = "x"}, {.path = "/a/{c}/d", .name = "y"}) ==
          "route y /a/{c}/d calls a parameter {c} that is {b} elsewhere");
    CHECK(says({.path = "/a/{b*}/c", .name = "x"}, {.path = "/a/{b*}/c", .name = "y"}) ==
          "route y /a/{b*}/c is there twice");
    CHECK(!says({.path = "a", .name = "x"}, {.path = "/b", .name = "y"}).empty());
    CHECK(!says({.path = "/{a", .name = "x"}, {.path = "/b", .name = "y"}).empty());
    CHECK(!says({.path = "/{}", .name = "x"}, {.path = "/b", .name = "y"}).empty());
    CHECK(!says({.path = "/{a*}/{b*}", .name = "x"}, {.path = "/b", .name = "y"}).empty());
}
