#include "server/sign_in.hpp"

#include "base/async.hpp"
#include "base/random.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "model/write.hpp"
#include "server/auth/jwks.hpp"
#include "server/auth/test_signer.hpp"
#include "storage/memory/memory_store.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace cadre;
using namespace cadre::server;
using engine::Role;

namespace {

using namespace std::chrono_literals;

/// Keys that a test changes.
struct ChangingKeys final : KeySource {
    Async<KeysPtr> keys(bool missed) override
    {
        ++asked;
        if (missed && later) now = later;
        co_return now;
    }
    std::string trouble() const override { return {}; }

    KeysPtr now, later;
    int asked = 0;
};

KeysPtr keys_of(const test::Signer& signer, const std::string& id)
{
    return std::make_shared<const JwtKeys>(parse_jwks("{\"keys\":[" + signer.jwk(id) + "]}").keys);
}

/// Who may come in, on a clock that a test moves.
struct Door {
    explicit Door(JwtSettings settings = {.issuer = "i", .audience = "a", .roles = roles()})
    {
        auto source = std::make_unique<ChangingKeys>();
        keys = source.get();
        keys->now = keys_of(signer, "one");
        auto tokens = std::make_unique<TokenSignIn>(std::move(settings), std::move(source), loop.clock());
        known = [tokens = tokens.get()] { return tokens->known(); };
        sign_in.accept(std::move(tokens));
    }

    static model::Dict<std::string> roles()
    {
        model::Dict<std::string> roles;
        roles["boss"] = "admin";
        roles["staff"] = "user";
        return roles;
    }

    engine::Principal enter(const std::string& token) { return run(loop, sign_in.who(token)); }
    /// The reason for which somebody does not come in; empty: they do.
    std::string refusal(const std::string& token)
    {
        try {
            enter(token);
        } catch (const SignInRefusal& refusal) {
            return refusal.reason();
        }
        return {};
    }
    ApiKey store_key(std::optional<Time> expires = {})
    {
        const ApiKey key = new_api_key(system_random());
        const StoredKey stored{
            .id = key.id, .hash = to_hex(key.hash()), .subject = "ann", .roles = {"user"}, .expires_at = expires};
        run(loop, store.put({std::string(kKeyDocument), key.id, model::to_json_text(stored), loop.clock().now()}));
        return key;
    }
    std::string token(const std::string& more, const test::Signer& by, const std::string& id = "one")
    {
        const auto second = loop.clock().now().time_since_epoch().count() / 1000;
        return by.token(R"({"alg":"EdDSA","kid":")" + id + "\"}", R"({"iss":"i","aud":"a","sub":"ann","iat":)" +
                                                                      std::to_string(second) + R"(,"exp":)" +
                                                                      std::to_string(second + 600) + more + "}");
    }
    std::string token(const std::string& more) { return token(more, signer); }

    SimLoop loop;
    storage::MemoryStore store;
    ApiKey admin = new_api_key(system_random());
    SignIn sign_in{store, admin, loop.clock()};
    test::Signer signer{"Ed25519"};
    ChangingKeys* keys = nullptr;
    std::function<std::size_t()> known;
};

std::string text_of(const ApiKey& key)
{
    return std::string(key.text().reveal());
}

}  // namespace

TEST_CASE("sign-in: a key is good until it expires, to the millisecond")
{
    Door door;
    const ApiKey key = door.store_key(door.loop.clock().now() + 10s);
    CHECK(door.enter(text_of(key)).subject == "ann");
    door.loop.manual_clock().advance(9'999ms);
    CHECK(door.refusal(text_of(key)) == "");
    door.loop.manual_clock().advance(1ms);
    CHECK(door.refusal(text_of(key)) == "expired");
}

TEST_CASE("sign-in: a key that is removed while it is being looked up is not kept")
{
    Door door;
    const ApiKey key = door.store_key();
    Async<engine::Principal> entering = door.sign_in.who(text_of(key));
    run(door.loop, door.store.remove(std::string(kKeyDocument), key.id));
    door.sign_in.forget(key.id);
    try {
        run(door.loop, std::move(entering));
    } catch (const SignInRefusal&) {}
    CHECK(door.refusal(text_of(key)) == "unknown_key");
}

TEST_CASE("sign-in: a wrong secret is not good, for the admin's key too, and every refusal reads the same")
{
    Door door;
    const ApiKey key = door.store_key();
    ApiKey guess = new_api_key(system_random());
    for (const std::string& id : {key.id, door.admin.id}) {
        guess.id = id;
        CHECK(door.refusal(text_of(guess)) == "wrong_secret");
    }
    guess.id = "0123456789ab";
    CHECK(door.refusal(text_of(guess)) == "unknown_key");
    CHECK(door.refusal("ck_short") == "malformed");
    CHECK(door.enter(text_of(door.admin)) == engine::local_user("admin"));
    CHECK_FALSE(SignInRefusal("missing", "").is_guess());
    CHECK(SignInRefusal("wrong_secret", "").is_guess());
}

TEST_CASE("sign-in: the day of a key's last use is noted once a day")
{
    Door door;
    const ApiKey key = door.store_key();
    const auto noted = [&] { return run(door.loop, door.store.find(std::string(kKeyUseDocument), key.id)); };
    CHECK_FALSE(noted());
    door.enter(text_of(key));
    const auto first = noted();
    REQUIRE(first);
    CHECK(first->text == to_iso(door.loop.clock().now()).substr(0, 10));
    door.loop.manual_clock().advance(1ms);
    door.enter(text_of(key));
    CHECK(noted()->updated_at == first->updated_at);
    door.loop.manual_clock().advance(24h);
    door.enter(text_of(key));
    CHECK(noted()->text != first->text);
}

TEST_CASE("sign-in: a token has the roles that the settings give to what its claim says, and no others")
{
    Door door;
    CHECK(door.enter(door.token(R"(,"roles":["staff","king"])")) ==
          engine::Principal{.subject = "ann", .roles = {Role::user}});
    CHECK(door.enter(door.token(R"(,"roles":"staff boss")")).roles == engine::Roles{Role::user, Role::admin});
    for (const char* claim : {"", R"(,"roles":["admin"])", R"(,"roles":5)", R"(,"roles":{"boss":true})",
                              R"(,"Roles":["boss"])", R"(,"roles":[["boss"]])"}) {
        CAPTURE(claim);
        CHECK(door.enter(door.token(claim)).roles == engine::Roles{});
    }
}

TEST_CASE("sign-in: a claim may be inside another, or have a name with dots in it")
{
    Door inside({.issuer = "i", .audience = "a", .roles_claim = "realm.roles", .roles = Door::roles()});
    CHECK(inside.enter(inside.token(R"(,"realm":{"roles":["boss"]})")).roles.has(Role::admin));
    CHECK(inside.enter(inside.token(R"(,"realm.roles":["boss"],"realm":{"roles":[]})")).roles.has(Role::admin));
    CHECK_FALSE(inside.enter(inside.token(R"(,"realm":["roles","boss"])")).roles.has(Role::admin));
}

TEST_CASE("sign-in: where tenants are told apart, a token without a good one is not good")
{
    Door door({.issuer = "i", .audience = "a", .roles = Door::roles(), .tenant_claim = "org"});
    CHECK(door.enter(door.token(R"(,"org":"acme","roles":["boss"])")) ==
          engine::Principal{.tenant = "acme", .subject = "ann", .roles = {Role::admin}});
    for (const char* claim : {"", R"(,"org":"")", R"(,"org":"-a")", R"(,"org":"A")", R"(,"org":"a/b")",
                              R"(,"org":["acme"])", R"(,"org":"..")"}) {
        CAPTURE(claim);
        CHECK(door.refusal(door.token(claim)) == "bad_tenant");
    }
}

TEST_CASE("sign-in: a token is checked once in a minute, not after its end, and not by keys that are gone")
{
    Door door;
    const std::string token = door.token(R"(,"roles":["staff"])");
    door.enter(token);
    door.enter(token);
    CHECK(door.keys->asked == 1);
    CHECK(door.known() == 1);
    door.loop.manual_clock().advance(59s);
    door.enter(token);
    CHECK(door.keys->asked == 1);
    door.loop.manual_clock().advance(1s);
    door.enter(token);
    CHECK(door.keys->asked == 2);

    // one minute of leeway behind `exp`, and then not a millisecond more although it is remembered
    door.loop.manual_clock().advance(599s);
    door.enter(token);
    door.loop.manual_clock().advance(999ms);
    CHECK(door.refusal(token) == "");
    door.loop.manual_clock().advance(1ms);
    CHECK(door.refusal(token) == "expired");

    const test::Signer other("Ed25519");
    const std::string old = door.token(R"(,"roles":["staff"])");
    door.enter(old);
    door.keys->later = keys_of(other, "two");
    CHECK(door.refusal(door.token("", other, "two")) == "");
    CHECK(door.refusal(old) == "unknown_key");
}

TEST_CASE("sign-in: tokens are no keys, and without an issuer none is good")
{
    Door door;
    SignIn only_keys(door.store, door.admin, door.loop.clock());
    CHECK_THROWS_AS(run(door.loop, only_keys.who(door.token(R"(,"roles":["boss"])"))), SignInRefusal);
    CHECK(door.refusal(door.token("", test::Signer("Ed25519"))) == "signature");
    CHECK(door.refusal(std::string(9000, 'a')) == "too_large");
}

TEST_CASE("sign-in: four eyes go with whoever comes in")
{
    Door door;
    CHECK_FALSE(door.enter(door.token("")).four_eyes);
    door.sign_in.want_four_eyes();
    CHECK(door.enter(door.token("")).four_eyes);
    CHECK(door.enter(text_of(door.store_key())).four_eyes);
}
