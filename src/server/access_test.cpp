// Who may do what, seen from outside: over HTTP, on the routes that there are.
#include "model/describe.hpp"
#include "server/access_fixture.hpp"
#include "server/audit_files.hpp"
#include "server/route.hpp"
#include "server/routes/routes.hpp"
#include "storage/files.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::server;
using test::AccessWorld;
using test::Asked;
using test::Reply;
using test::unhurried;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    for (std::size_t at = text.find(from); !from.empty() && at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// What a route takes, where `{}` is not enough.
std::string body_for(const Route& route)
{
    if (!route.request) return "";
    if (route.name == "respond") return R"({"response_type":"approved"})";
    if (route.name == "intervene") return R"({"intervention_type":"instruction","instruction":"x"})";
    if (route.name == "search_memory") return R"({"query":"x"})";
    if (route.name == "set_breakpoints") return R"({"breakpoints":[]})";
    return route.request->example.empty() ? "{}" : std::string(route.request->example);
}

Asked request_for(const Route& route, const std::string& task, const std::string& token)
{
    std::string path = replaced(std::string(route.path), "{task_id}", task);
    path = replaced(replaced(path, "{request_id}", "r"), "{path*}", "a.txt");
    path = replaced(path, "{version}", "1");
    return {std::string(name_of(route.method)), path, token, body_for(route)};
}

/// An answer without what is different in every one of them.
std::string plain(const Reply& reply, const std::string& task)
{
    std::string text = std::to_string(reply.status) + "\n";
    for (const net::HttpHeader& header : reply.headers)
        if (header.name != "Date" && header.name != "X-Request-ID" && header.name != "RateLimit" &&
            header.name != "traceparent")
            text += header.name + ": " + header.value + "\n";
    return replaced(replaced(text + reply.body, reply.header("X-Request-ID"), "REQUEST"), task, "TASK");
}

std::size_t lines_with(const AuditPage& page, const std::string& kind, const std::string& verb)
{
    std::size_t count = 0;
    for (const AuditEntry& entry : page.entries) count += entry.kind == kind && entry.verb == verb;
    return count;
}

}  // namespace

TEST_CASE("access: another tenant's task answers like one that does not exist, on every route that takes one")
{
    AccessWorld at(unhurried());
    const std::string acme = at.key("ann", "admin", "acme"), globex = at.key("bob", "admin", "globex");
    const std::string foreign = at.task(acme, "ask me"), unknown = "3f2b8c1e-9d4a-4f6b-8a2c-000000000000";
    std::size_t routes = 0;
    for (const Route& route : all_routes()) {
        if (route.path.find("{task_id}") == route.path.npos) continue;
        CAPTURE(route.name);
        const Reply theirs = at.ask(request_for(route, foreign, globex)),
                    none = at.ask(request_for(route, unknown, globex));
        CHECK(none.status == 404);
        CHECK(plain(theirs, foreign) == plain(none, unknown));
        CHECK(theirs.body.find("acme") == std::string::npos);
        ++routes;
    }
    CHECK(routes >= 25);
    // and it is as it was
    CHECK(at.get("/tasks/" + foreign, acme).text("status") == "waiting");
    for (const char* list : {"/tasks", "/hitl", "/sessions"}) {
        CAPTURE(list);
        CHECK(at.get(list, globex).body.find(foreign) == std::string::npos);
    }
    CHECK(at.get("/tasks", acme).body.find(foreign) != std::string::npos);
}

// case 23 of the server
TEST_CASE("access: another tenant's key for repeating, cursor and ETag are of no use")
{
    AccessWorld at(unhurried());
    const std::string acme = at.key("ann", "admin", "acme"), globex = at.key("ann", "admin", "globex");
    const net::HttpHeaders key{{"Idempotency-Key", "one"}};
    const Reply first = at.post("/tasks", acme, R"({"description":"x"})", key);
    const Reply second = at.post("/tasks", globex, R"({"description":"x"})", key);
    CHECK(first.status == 201);
    CHECK(second.status == 201);
    CHECK(first.text("id") != second.text("id"));
    for (int i = 0; i < 3; ++i) at.ask({"DELETE", "/keys/000000000000", acme});
    const std::string path = "/tasks/" + first.text("id");
    CHECK(at.post(path + "/cancel", acme, "{}", key).status == 200);
    CHECK(at.post(path + "/cancel", globex, "{}", key).status == 404);
    const Reply seen = at.get(path, acme);
    CHECK(at.ask({.path = path, .token = globex, .headers = {{"If-None-Match", seen.header("ETag")}}}).status == 404);

    at.post("/keys", acme, R"({"subject":"x","roles":["user"]})");
    at.post("/keys", acme, R"({"subject":"y","roles":["user"]})");
    const std::string cursor = at.get("/audit?limit=1", acme).text("next_cursor");
    REQUIRE_FALSE(cursor.empty());
    CHECK(at.get("/audit?limit=1&cursor=" + cursor, acme).status == 200);
    CHECK(at.get("/audit?limit=1&cursor=" + cursor, globex).status == 400);
    CHECK(at.get("/audit?limit=2&cursor=" + cursor, acme).status == 400);
}

// case 27 of the server
TEST_CASE("access: every role may do over HTTP what the table says, to their own and to others'")
{
    AccessWorld at(unhurried());
    // a letter for each role: a all of the tenant, o their own, - nothing
    constexpr const char* kRoles[] = {"viewer", "user", "approver", "operator", "admin"};
    struct {
        const char* act;
        const char* about;
        const char* may;
    } const rows[] = {{"read", "x", "aoaaa"},        {"work", "ask me", "-o-aa"},
                      {"reply", "ask me", "-oaaa"},  {"approve", "approve me", "--a-a"},
                      {"change", "ask me", "---aa"}, {"administer", "", "----a"},
                      {"maintain", "", "----a"}};
    const auto request = [&](const std::string& act, const std::string& task, const std::string& token) -> Asked {
        const std::string path = "/tasks/" + task;
        if (act == "read") return {"GET", path, token};
        if (act == "work") return {"PUT", path + "/breakpoints", token, R"({"breakpoints":[]})"};
        if (act == "change") return {"PUT", path + "/budget", token, "{}"};
        if (act == "administer") return {"GET", "/keys", token};
        if (act == "maintain") return {"GET", "/metrics", token};
        return {"POST", path + "/hitl/" + at.question(task) + "/respond", token,
                R"({"response_type":"approved","message":"yes"})"};
    };
    for (std::size_t i = 0; i < std::size(kRoles); ++i) {
        const std::string role = kRoles[i], subject = "the-" + role;
        const std::string own_maker = at.key(subject, "admin"), maker = at.key("somebody", "admin"),
                          token = at.key(subject, role);
        for (const auto& row : rows) {
            for (const bool own : {true, false}) {
                CAPTURE(role);
                CAPTURE(row.act);
                CAPTURE(own);
                const std::string task = *row.about ? at.task(own ? own_maker : maker, row.about) : "";
                const bool allowed = row.may[i] == 'a' || (row.may[i] == 'o' && own);
                const Reply reply = at.ask(request(row.act, task, token));
                CAPTURE(reply.body);
                CHECK(reply.status == (allowed ? 200 : 403));
            }
        }
    }
}

// case 28 of the server
TEST_CASE("access: with four eyes nobody approves what they have created, be it with another key")
{
    AccessWorld at(unhurried({.four_eyes = true}));
    const std::string user = at.key("ann", "user"), approver = at.key("ann", "approver"),
                      other = at.key("bob", "approver");
    const std::string task = at.task(user, "approve me");
    const std::string path = "/tasks/" + task + "/hitl/" + at.question(task) + "/respond";
    const Reply own = at.post(path, approver, R"({"response_type":"approved"})");
    CHECK(own.status == 403);
    CHECK(own.text("detail").find("must be approved by somebody else") != std::string::npos);
    CHECK(at.post(path, other, R"({"response_type":"approved"})").status == 200);
    const std::string asks = at.task(user, "ask me");
    CHECK(at.post("/tasks/" + asks + "/hitl/" + at.question(asks) + "/respond", user,
                  R"({"response_type":"approved","message":"yes"})")
              .status == 200);
}

TEST_CASE("access: what people did and were refused stands in the audit, with who, and without what they said")
{
    AccessWorld at(unhurried());
    const std::string user = at.key("ann", "user", "acme"), admin = at.key("bob", "admin", "acme");
    const std::string task = at.task(user, "ask me");
    CHECK(at.get("/keys", user).status == 403);
    at.post("/tasks/" + task + "/cancel", user, R"({"reason":"a very private reason"})");
    at.get("/tasks/" + task + "/export", user);
    at.get("/tasks/" + task + "/export", at.key("eve", "admin", "globex"));  // not there: nothing was taken
    CHECK(at.get("/version", "ck_000000000000_" + std::string(32, 'x')).status == 401);

    const AuditPage page = read_audit(at.home() / "audit", "acme", {}, {}, 100);
    CHECK(lines_with(page, "act", "cancel_task") == 1);
    CHECK(lines_with(page, "act", "export_task") == 1);
    CHECK(lines_with(page, "denied", "list_keys") == 1);
    CHECK(lines_with(page, "act", "create_task") == 0);
    CHECK_FALSE(find_audit_fault(at.home() / "audit", "acme"));
    const std::string text =
        storage::find_file(at.home() / "audit" / "acme" / (to_iso(system_clock().now()).substr(0, 7) + ".jsonl"))
            .value_or("");
    CHECK(text.find("private reason") == text.npos);
    CHECK(text.find(task) != text.npos);
    CHECK(read_audit(at.home() / "audit", "globex", {}, {}, 100).entries.empty());
    const AuditPage home = read_audit(at.home() / "audit", "local", {}, {}, 100);
    CHECK(lines_with(home, "sign_in_refused", "version") == 1);
    CHECK(lines_with(home, "act", "create_key") == 3);

    const Reply seen = at.get("/audit?subject=ann&verb=cancel_task", admin);
    CHECK(seen.status == 200);
    CHECK(seen.object().at("entries").as_array().size() == 1);
    CHECK(at.get("/audit?after=2100-01-01T00:00:00Z", admin).body == R"({"entries":[],"next_cursor":null})");
    CHECK(at.get("/audit", user).status == 403);
    CHECK(at.get("/audit/verify", admin).body == R"({"intact":true,"fault":null})");
    const auto file = at.home() / "audit" / "acme" / (to_iso(system_clock().now()).substr(0, 7) + ".jsonl");
    std::ofstream(file, std::ios::binary) << replaced(text, "ann", "bob");
    CHECK(at.get("/audit/verify", admin).body.starts_with(R"({"intact":false,"fault":")"));
    CHECK(at.get("/audit?cursor=2026-11.0.000000000000000000000000", admin).status == 400);
}

TEST_CASE("access: what cannot be audited is not answered as if it were")
{
    AccessWorld at(unhurried());
    std::filesystem::create_directories(at.home());
    std::ofstream(at.home() / "audit") << "in the way";
    const Reply made = at.post("/keys", at.admin(), R"({"subject":"ann","roles":["user"]})");
    CHECK(made.status == 503);
    CHECK(made.text("detail") == "this was done, but the audit cannot be written");
    CHECK(made.body.find("ck_") == std::string::npos);
    CHECK(at.get("/version", "nonsense").status == 401);  // nothing was done, and nothing is
}

TEST_CASE("access: what is sent again under its key is done once, and answered as before")
{
    AccessWorld at(unhurried());
    const net::HttpHeaders key{{"Idempotency-Key", "once"}};
    const std::string task = at.task(at.admin(), "ask me");
    const std::string path = "/tasks/" + task + "/hitl/" + at.question(task) + "/respond";
    const Reply first = at.post(path, at.admin(), R"({"response_type":"approved","message":"yes"})", key);
    CHECK(first.status == 200);
    CHECK(first.header("Idempotency-Replayed") == "");
    at.restart();
    const Reply second = at.post(path, at.admin(), R"({"response_type":"approved","message":"yes"})", key);
    CHECK(second.status == 200);
    CHECK(second.header("Idempotency-Replayed") == "true");
    CHECK(second.body == first.body);
    CHECK(at.post(path, at.admin(), R"({"response_type":"approved","message":"no"})", key).status == 422);
    CHECK(at.post(path, at.admin(), R"({"response_type":"approved","message":"yes"})").status == 409);

    const std::string pending = at.post("/tasks", at.admin(), R"({"description":"x"})").text("id");
    CHECK(at.post("/tasks/" + pending + "/start", at.admin(), "", key).status == 200);
    CHECK(at.post("/tasks/" + pending + "/start", at.admin(), "", key).header("Idempotency-Replayed") == "true");
    CHECK(at.post("/tasks/" + pending + "/start", at.admin(), "").status == 409);
    CHECK(
        at.post("/tasks/" + pending + "/start", at.admin(), "", {{"Idempotency-Key", std::string(129, 'a')}}).status ==
        400);

    const auto team = [](const std::string& about) {
        return R"({"name":"sent","description":")" + about +
               R"(","version":"1.0.0","default_llm":{},"tools":[],"agents":[{"name":"a","role":"r","prompt":"p"}]})";
    };
    CHECK(at.post("/teams", at.admin(), team("one"), key).status == 201);
    CHECK(at.post("/teams", at.admin(), team("one"), key).header("Idempotency-Replayed") == "true");
    CHECK(at.post("/teams", at.admin(), team("two"), key).text("reason") == "idempotency_key_reused");

    const Reply made = at.post("/keys", at.admin(), R"({"subject":"ann","roles":["user"]})", key);
    const Reply again = at.post("/keys", at.admin(), R"({"subject":"ann","roles":["user"]})", key);
    CHECK(again.status == 201);
    CHECK(again.text("id") == made.text("id"));
    CHECK(again.header("Location") == made.header("Location"));
    CHECK(again.text("key") == "");
}

TEST_CASE("access: tokens that are not good are refused ten times a minute and then as too many, good ones never")
{
    config::ServerSettings settings = unhurried();
    settings.rates["sign_in"] = {.requests = 10, .seconds = 3600};
    AccessWorld at(settings);
    for (int i = 0; i < 10; ++i) CHECK(at.get("/version", "guess" + std::to_string(i)).status == 401);
    const Reply refused = at.get("/version", "one more");
    CHECK(refused.status == 429);
    CHECK_FALSE(refused.header("Retry-After").empty());
    CHECK(refused.header("RateLimit-Policy") == "\"sign_in\";q=10;w=3600");
    // spoofing another address changes nothing
    CHECK(at.ask({.path = "/version", .token = "guess", .headers = {{"X-Forwarded-For", "192.0.2.1"}}}).status == 429);
    CHECK(at.get("/version", at.admin()).status == 200);
    CHECK(at.get("/version", "").status == 401);  // who shows nothing guesses nothing
}

TEST_CASE("access: rates are as the settings say, of a tenant for what is made, and answers are never refused")
{
    config::ServerSettings settings = unhurried();
    settings.rates["create"] = {.requests = 2, .seconds = 3600};
    settings.rates["read"] = {.requests = 3, .seconds = 3600};
    AccessWorld at(settings);
    const std::string ann = at.key("ann", "user", "acme"), bob = at.key("bob", "user", "acme"),
                      eve = at.key("eve", "user", "globex");
    CHECK(at.post("/tasks", ann, R"({"description":"x"})").status == 201);
    CHECK(at.post("/tasks", bob, R"({"description":"x"})").status == 201);
    const Reply refused = at.post("/tasks", bob, R"({"description":"x"})");
    CHECK(refused.status == 429);
    CHECK(refused.header("RateLimit-Policy") == "\"create\";q=2;w=3600");
    const Reply made = at.post("/tasks", eve, R"({"description":"x"})");
    CHECK(made.status == 201);
    CHECK(made.header("RateLimit").starts_with("\"create\";r=1;"));

    for (int i = 0; i < 3; ++i) CHECK(at.get("/version", ann).status == 200);
    CHECK(at.get("/version", ann).status == 429);
    CHECK(at.get("/version", bob).status == 200);
    CHECK(at.post("/tasks/" + made.text("id") + "/cancel", eve, "{}").status == 200);
}
