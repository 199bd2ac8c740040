#include "server/access_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using test::AccessWorld;
using test::Reply;

TEST_CASE("keys: one is made, shown once, good at once, and of no use once it is removed, over restarts too")
{
    AccessWorld at;
    const Reply made =
        at.post("/keys", at.admin(), R"({"subject":"ann","roles":["user","approver"],"scopes":["read","work"]})");
    CHECK(made.status == 201);
    const std::string key = made.text("key"), id = made.text("id");
    CHECK(key.starts_with("ck_" + id + "_"));
    CHECK(made.header("Location") == "/keys/" + id);

    const Reply who = at.get("/whoami", key);
    CHECK(who.status == 200);
    CHECK(who.body == R"({"subject":"ann","tenant":"local","roles":["user","approver"],"scopes":["read","work"]})");
    at.restart();
    CHECK(at.get("/whoami", key).status == 200);

    const Reply list = at.get("/keys", at.admin());
    CHECK(list.status == 200);
    CHECK(list.body.find(id) != list.body.npos);
    CHECK(list.body.find(key) == list.body.npos);
    CHECK(list.body.find("hash") == list.body.npos);
    CHECK(list.body.find("\"last_used\":\"" + to_iso(system_clock().now()).substr(0, 8)) != list.body.npos);

    CHECK(at.ask({"DELETE", "/keys/" + id, at.admin()}).status == 200);
    CHECK(at.get("/whoami", key).status == 401);
    CHECK(at.ask({"DELETE", "/keys/" + id, at.admin()}).status == 404);
    at.restart();
    CHECK(at.get("/whoami", key).status == 401);
    CHECK(at.get("/keys", at.admin()).body == R"({"keys":[]})");
}

TEST_CASE("keys: everything that is wrong with a wish for one is told")
{
    AccessWorld at;
    const Reply bad = at.post("/keys", at.admin(),
                              R"({"subject":"a\u0007b","roles":["user","king"],"scopes":["fly"],"tenant":"-x"})");
    CHECK(bad.status == 422);
    for (const char* pointer : {"/subject", "/roles/1", "/scopes/0", "/tenant"}) {
        CAPTURE(pointer);
        CHECK(bad.body.find("\"pointer\":\"" + std::string(pointer) + "\"") != bad.body.npos);
    }
    CHECK(at.post("/keys", at.admin(), R"({"roles":["user"]})").status == 422);
    CHECK(at.post("/keys", at.admin(), R"({"subject":"a","roles":["user"],"expires_at":"2020-01-01T00:00:00Z"})")
              .status == 422);
    CHECK(at.post("/keys", at.admin(), R"({"subject":"ann","roles":[]})").status == 422);
}

TEST_CASE("keys: an admin of a tenant has those of the tenant, and no others")
{
    AccessWorld at;
    const std::string acme = at.key("ann", "admin", "acme"), globex = at.key("bob", "admin", "globex");
    const Reply made = at.post("/keys", acme, R"({"subject":"carl","roles":["user"]})");
    CHECK(made.status == 201);
    CHECK(made.text("tenant") == "acme");
    CHECK(at.get("/keys", acme).body.find("globex") == std::string::npos);
    CHECK(at.get("/keys", globex).body.find("carl") == std::string::npos);
    CHECK(at.get("/keys", at.admin()).body.find("carl") != std::string::npos);

    CHECK(at.post("/keys", acme, R"({"subject":"eve","roles":["admin"],"tenant":"globex"})").status == 403);
    const Reply foreign = at.ask({"DELETE", "/keys/" + made.text("id"), globex});
    const Reply unknown = at.ask({"DELETE", "/keys/0123456789ab", globex});
    CHECK(foreign.status == 404);
    CHECK(unknown.status == 404);
    CHECK(at.get("/whoami", made.text("key")).status == 200);
    for (const char* role : {"viewer", "user", "approver", "operator"}) {
        CAPTURE(role);
        const std::string key = at.key("dora", role, "acme");
        CHECK(at.get("/keys", key).status == 403);
        CHECK(at.post("/keys", key, R"({"subject":"eve","roles":["admin"]})").status == 403);
    }
}

TEST_CASE("keys: one that is confined to scopes makes none that can do more")
{
    AccessWorld at;
    const Reply made =
        at.post("/keys", at.admin(), R"({"subject":"bot","roles":["admin"],"scopes":["administer","read"]})");
    REQUIRE(made.status == 201);
    const std::string bot = made.text("key");
    CHECK(at.post("/keys", bot, R"({"subject":"x","roles":["admin"]})").status == 422);
    CHECK(at.post("/keys", bot, R"({"subject":"x","roles":["admin"],"scopes":["work"]})").status == 422);
    CHECK(at.post("/keys", bot, R"({"subject":"x","roles":["admin"],"scopes":["read"]})").status == 201);
    CHECK(at.post("/keys", bot, R"({"subject":"x","roles":["user"],"scopes":["read"],"tenant":"acme"})").status == 403);
}
