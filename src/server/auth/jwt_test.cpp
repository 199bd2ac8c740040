// Tokens that are good, and every way of making one that is not which is known to have worked somewhere.
#include "server/auth/jwt.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "server/auth/jwks.hpp"
#include "server/auth/test_signer.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <functional>

using namespace cadre;
using namespace cadre::server;
using cadre::test::mac_token;
using cadre::test::Signer;

namespace {

constexpr Time kNow = Time(Millis(1'800'000'000'000));
constexpr std::int64_t kSecond = 1'800'000'000;
const JwtRules kRules{.issuer = "https://id.example", .audience = "cadre"};

std::string claims(const std::function<void(json::object&)>& change = {})
{
    json::object out{{"iss", "https://id.example"}, {"aud", "cadre"},       {"sub", "ann"},
                     {"iat", kSecond - 10},         {"exp", kSecond + 600}, {"roles", json::array{"admin"}}};
    if (change) change(out);
    return to_text(out);
}

const Signer& ed()
{
    static const Signer key("Ed25519");
    return key;
}
const Signer& ec()
{
    static const Signer key("P-256");
    return key;
}
const Signer& rsa()
{
    static const Signer key("2048");
    return key;
}

const JwtKeys& keys()
{
    static const JwtKeys all = [] {
        Jwks set = parse_jwks(R"({"keys":[)" + ed().jwk("ed") + "," + ec().jwk("ec") + "," + rsa().jwk("rsa") + "]}");
        CHECK(set.refused.empty());
        return set.keys;
    }();
    return all;
}

std::string verdict(std::string_view token, const JwtKeys& with = keys(), const JwtRules& rules = kRules,
                    Time now = kNow)
{
    const auto result = verify_jwt(token, with, rules, now);
    if (const auto* reason = std::get_if<JwtReason>(&result)) return std::string(name_of(*reason));
    return "good";
}

std::string signed_by_ed(const std::function<void(json::object&)>& change)
{
    return ed().token(R"({"alg":"EdDSA","kid":"ed"})", claims(change));
}

}  // namespace

TEST_CASE("jwt: good tokens of every algorithm, with and without the key's id")
{
    for (const char* header : {R"({"alg":"EdDSA"})", R"({"alg":"EdDSA","kid":"ed"})", R"({"alg":"EdDSA","typ":"JWT"})",
                               R"({"alg":"EdDSA","typ":"at+jwt"})", R"({"alg":"EdDSA","typ":"application/AT+JWT"})"})
        CHECK(verdict(ed().token(header, claims())) == "good");
    CHECK(verdict(ec().token(R"({"alg":"ES256","kid":"ec"})", claims())) == "good");
    CHECK(verdict(rsa().token(R"({"alg":"RS256"})", claims())) == "good");
    const auto result =
        verify_jwt(ed().token(R"({"alg":"EdDSA"})", claims([](auto& c) { c["jti"] = "t-1"; })), keys(), kRules, kNow);
    const auto& good = std::get<JwtClaims>(result);
    CHECK(good.subject == "ann");
    CHECK(good.issuer == "https://id.example");
    CHECK(good.id == "t-1");
    CHECK(good.expires == kNow + Millis(600'000));
    CHECK(parse_json(good.json).at("roles").at(0) == "admin");
    JwtKeys secret;
    const std::string words(32, 's');
    secret.add("", JwtKey::secret(Secret(words)));
    CHECK(verdict(mac_token(R"({"alg":"HS256"})", claims(), words), secret) == "good");
    CHECK(verdict(mac_token(R"({"alg":"HS256","kid":"any"})", claims(), words), secret) == "good");
    CHECK(verdict(mac_token(R"({"alg":"HS256"})", claims(), std::string(32, 't')), secret) == "signature");
}

TEST_CASE("jwt: the algorithm is the key's, whatever the token says")
{
    struct {
        const char* name;
        std::string token;
        const char* reason;
    } const cases[] = {
        {"none", to_base64url(R"({"alg":"none"})") + "." + to_base64url(claims()) + ".", "algorithm"},
        {"none with a signature", ed().token(R"({"alg":"none"})", claims()), "algorithm"},
        {"None", ed().token(R"({"alg":"None"})", claims()), "algorithm"},
        {"no algorithm", ed().token(R"({"kid":"ed"})", claims()), "malformed"},
        {"algorithm that is a number", ed().token(R"({"alg":1})", claims()), "malformed"},
        {"public key as a secret", mac_token(R"({"alg":"HS256"})", claims(), rsa().pem()), "algorithm"},
        {"public key as a secret, named", mac_token(R"({"alg":"HS256","kid":"rsa"})", claims(), rsa().pem()),
         "algorithm"},
        {"ES256 by the key of EdDSA", ec().token(R"({"alg":"EdDSA","kid":"ed"})", claims()), "signature"},
        {"EdDSA under the id of RSA", ed().token(R"({"alg":"EdDSA","kid":"rsa"})", claims()), "algorithm"},
        {"RS256 under the id of EC", rsa().token(R"({"alg":"RS256","kid":"ec"})", claims()), "algorithm"},
        {"RS512", rsa().token(R"({"alg":"RS512"})", claims()), "algorithm"},
        {"PS256", rsa().token(R"({"alg":"PS256","kid":"rsa"})", claims()), "algorithm"},
        {"ES256K", ec().token(R"({"alg":"ES256K"})", claims()), "algorithm"},
        {"lower case", ed().token(R"({"alg":"eddsa"})", claims()), "algorithm"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(verdict(c.token) == c.reason);
    }
}

TEST_CASE("jwt: keys come from us alone, and not from the token")
{
    const Signer own("Ed25519");
    const std::string jwk = own.jwk("own");
    struct {
        const char* name;
        std::string header;
        const char* reason;
    } const cases[] = {
        {"jwk", R"({"alg":"EdDSA","jwk":)" + jwk + "}", "signature"},
        {"jwk under our id", R"({"alg":"EdDSA","kid":"ed","jwk":)" + jwk + "}", "signature"},
        {"jku", R"({"alg":"EdDSA","jku":"http://127.0.0.1:1/keys"})", "signature"},
        {"x5u", R"({"alg":"EdDSA","x5u":"http://127.0.0.1:1/c"})", "signature"},
        {"x5c", R"({"alg":"EdDSA","x5c":["AAAA"]})", "signature"},
        {"unknown id", R"({"alg":"EdDSA","kid":"own"})", "unknown_key"},
        {"id with a path", R"({"alg":"EdDSA","kid":"../../etc/passwd"})", "unknown_key"},
        {"id that is empty", R"({"alg":"EdDSA","kid":""})", "unknown_key"},
        {"id that is a list", R"({"alg":"EdDSA","kid":["ed"]})", "malformed"},
        {"critical", R"({"alg":"EdDSA","crit":["b64"],"b64":false})", "critical"},
        {"critical, empty", R"({"alg":"EdDSA","crit":[]})", "critical"},
        {"critical, no list", R"({"alg":"EdDSA","crit":"x"})", "critical"},
        {"another type", R"({"alg":"EdDSA","typ":"logout+jwt"})", "type"},
        {"type that is a number", R"({"alg":"EdDSA","typ":1})", "malformed"},
        {"name twice", R"({"alg":"none","alg":"EdDSA"})", "malformed"},
        {"not an object", R"(["EdDSA"])", "malformed"},
        {"not JSON", "EdDSA", "malformed"},
        {"nested", R"({"alg":"EdDSA","x":)" + std::string(40, '[') + std::string(40, ']') + "}", "malformed"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(verdict(own.token(c.header, claims())) == c.reason);
    }
    CHECK(verdict(ed().token(R"({"alg":"EdDSA"})", claims()), JwtKeys()) == "unknown_key");
    for (int i = 0; i < 10'000; ++i)
        if (verdict(own.token(R"({"alg":"EdDSA","kid":")" + std::to_string(i) + "\"}", "{}")) != "unknown_key") FAIL(i);
    const JwtRules typed{.issuer = kRules.issuer, .audience = kRules.audience, .types = {"at+jwt"}};
    CHECK(verdict(ed().token(R"({"alg":"EdDSA","typ":"at+jwt"})", claims()), keys(), typed) == "good");
    CHECK(verdict(ed().token(R"({"alg":"EdDSA","typ":"JWT"})", claims()), keys(), typed) == "type");
    CHECK(verdict(ed().token(R"({"alg":"EdDSA"})", claims()), keys(), typed) == "type");
}

TEST_CASE("jwt: a token with any bit changed is none")
{
    for (const std::string& good : {ed().token(R"({"alg":"EdDSA","kid":"ed"})", claims()),
                                    ec().token(R"({"alg":"ES256","kid":"ec"})", claims())}) {
        CHECK(verdict(good) == "good");
        for (std::size_t i = 0; i < good.size(); ++i) {
            std::string other = good;
            other[i] = static_cast<char>(other[i] ^ 1);
            if (verdict(other) == "good") FAIL(i);
        }
    }
}

TEST_CASE("jwt: what is not three parts of base64url is malformed, and what is huge is not looked at")
{
    const std::string good = ed().token(R"({"alg":"EdDSA"})", claims());
    const std::string text = good.substr(0, good.rfind('.'));
    for (const std::string& token : {std::string(), std::string("."), std::string(".."), std::string("..."),
                                     std::string("a.b"), good + ".", good + ".x", "." + good, " " + good, good + " ",
                                     good + "=", good + "\n", text + ".", text + ".A", "Bearer " + good}) {
        CAPTURE(token);
        CHECK(verdict(token) == "malformed");
    }
    const std::string hollow = text.substr(0, text.find('.')) + ".." + good.substr(good.rfind('.') + 1);
    CHECK(verdict(hollow) == "signature");  // claims are not looked at before it
    CHECK(verdict(std::string(8'193, 'a')) == "too_large");
    CHECK(verdict(signed_by_ed([](auto& c) { c["x"] = std::string(8'000, 'x'); })) == "too_large");
    CHECK(verdict(signed_by_ed([](auto& c) { c["x"] = std::string(4'000, 'x'); })) == "good");
    CHECK(verdict(text + "." + to_base64url(std::string(64, '\0'))) == "signature");
    CHECK(verdict(text + "." + to_base64url(std::string(63, 'x'))) == "signature");
    const std::string psychic = to_base64url(R"({"alg":"ES256","kid":"ec"})") + "." + to_base64url(claims());
    CHECK(verdict(psychic + "." + to_base64url(std::string(64, '\0'))) == "signature");  // r = s = 0
}

TEST_CASE("jwt: claims are required, checked and of the right type")
{
    using Object = json::object;
    struct {
        const char* name;
        std::function<void(Object&)> change;
        const char* reason;
    } const cases[] = {
        {"no issuer", [](Object& c) { c.erase("iss"); }, "missing"},
        {"another issuer", [](Object& c) { c["iss"] = "https://id.example/"; }, "issuer"},
        {"issuer in a list", [](Object& c) { c["iss"] = json::array{"https://id.example"}; }, "malformed"},
        {"no audience", [](Object& c) { c.erase("aud"); }, "missing"},
        {"another audience", [](Object& c) { c["aud"] = "cadre2"; }, "audience"},
        {"among others", [](Object& c) { c["aud"] = json::array{"other", "cadre"}; }, "good"},
        {"not among them", [](Object& c) { c["aud"] = json::array{"other"}; }, "audience"},
        {"nobody", [](Object& c) { c["aud"] = json::array{}; }, "audience"},
        {"audience with a number", [](Object& c) { c["aud"] = json::array{"cadre", 1}; }, "malformed"},
        {"no subject", [](Object& c) { c.erase("sub"); }, "missing"},
        {"empty subject", [](Object& c) { c["sub"] = ""; }, "bad_subject"},
        {"subject of 128", [](Object& c) { c["sub"] = std::string(126, 'x') + "\xC3\xA4\xC3\xA4"; }, "good"},
        {"subject of 129", [](Object& c) { c["sub"] = std::string(129, 'x'); }, "bad_subject"},
        {"subject that is a number", [](Object& c) { c["sub"] = 7; }, "malformed"},
        {"no end", [](Object& c) { c.erase("exp"); }, "missing"},
        {"end as text", [](Object& c) { c["exp"] = "1800000600"; }, "malformed"},
        {"end before time", [](Object& c) { c["exp"] = -1; }, "malformed"},
        {"end of all times", [](Object& c) { c["exp"] = 1e300; }, "malformed"},
        {"end with decimals", [](Object& c) { c["exp"] = kSecond + 0.5; }, "good"},
        {"ended 59 s ago",
         [](Object& c) {
             c["exp"] = kSecond - 59;
             c["iat"] = kSecond - 100;
         },
         "good"},
        {"ended 60 s ago",
         [](Object& c) {
             c["exp"] = kSecond - 60;
             c["iat"] = kSecond - 100;
         },
         "expired"},
        {"begins in 60 s", [](Object& c) { c["nbf"] = kSecond + 60; }, "good"},
        {"begins in 61 s", [](Object& c) { c["nbf"] = kSecond + 61; }, "not_yet"},
        {"made in 60 s", [](Object& c) { c["iat"] = kSecond + 60; }, "good"},
        {"made in 61 s", [](Object& c) { c["iat"] = kSecond + 61; }, "not_yet"},
        {"lives an hour",
         [](Object& c) {
             c["iat"] = kSecond;
             c["exp"] = kSecond + 3600;
         },
         "good"},
        {"lives longer",
         [](Object& c) {
             c["iat"] = kSecond;
             c["exp"] = kSecond + 3601;
         },
         "long_lived"},
        {"made long ago", [](Object& c) { c["iat"] = kSecond - 7200; }, "long_lived"},
        {"without its beginning",
         [](Object& c) {
             c.erase("iat");
             c["exp"] = kSecond + 3601;
         },
         "long_lived"},
        {"id that is a number", [](Object& c) { c["jti"] = 7; }, "malformed"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(verdict(signed_by_ed(c.change)) == c.reason);
    }
    const std::string twice = R"({"iss":"https://id.example","aud":"cadre","sub":"bob","sub":"ann","exp":1800000600})";
    CHECK(verdict(ed().token(R"({"alg":"EdDSA"})", twice)) == "malformed");
    CHECK(verdict(ed().token(R"({"alg":"EdDSA"})", "[]")) == "malformed");
    CHECK(verdict(ed().token(R"({"alg":"EdDSA"})", R"({"sub":"\ud800"})")) == "malformed");
}

TEST_CASE("jwks: weak keys, secrets, private ones and those for something else are left out, each with its reason")
{
    const Signer weak("1024"), other("P-384");
    const std::string zeros(43, 'A'), one = "AQ" + std::string(41, 'A');
    struct {
        const char* name;
        std::string key;
        const char* says;  // "": taken
    } const cases[] = {
        {"ed", ed().jwk("k"), ""},
        {"ed for signatures", ed().jwk("k", R"(,"use":"sig","alg":"EdDSA","key_ops":["verify"])"), ""},
        {"ed by its new name", ed().jwk("k", R"(,"alg":"Ed25519")"), ""},
        {"rsa", rsa().jwk("k", R"(,"alg":"RS256")"), ""},
        {"weak rsa", weak.jwk("k"), "RSA of 1024 bits, which is weaker than 2048"},
        {"rsa with exponent 3", R"({"kty":"RSA","e":"Aw","n":")" + rsa().number("n") + "\"}", "exponent"},
        {"rsa with exponent 1", R"({"kty":"RSA","e":"AQ","n":")" + rsa().number("n") + "\"}", "exponent"},
        {"rsa with a huge exponent",
         R"({"kty":"RSA","e":")" + rsa().number("n") + R"(","n":")" + rsa().number("n") + "\"}", "exponent"},
        {"huge rsa", R"({"kty":"RSA","e":"AQAB","n":")" + std::string(1'400, 'B') + "\"}", "more than 8192 bits"},
        {"rsa for another algorithm", rsa().jwk("k", R"(,"alg":"PS256")"), "for the algorithm \"PS256\""},
        {"for encryption", rsa().jwk("k", R"(,"use":"enc")"), "not for signatures"},
        {"for signing only", rsa().jwk("k", R"(,"key_ops":["sign"])"), "not for verifying"},
        {"private", ed().jwk("k", R"(,"d":"AAAA")"), "private"},
        {"secret", R"({"kty":"oct","k":")" + zeros + "\"}", "secret"},
        {"off the curve", R"({"kty":"EC","crv":"P-256","x":")" + zeros + R"(","y":")" + one + "\"}",
         "not a point of P-256"},
        {"another curve", R"({"kty":"EC","crv":"P-384","x":"AAAA","y":"AAAA"})", "\"P-384\", which is not supported"},
        {"short point", R"({"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"})", "not a point of P-256"},
        {"point of small order", R"({"kty":"OKP","crv":"Ed25519","x":")" + one + "\"}", "small order"},
        {"zero", R"({"kty":"OKP","crv":"Ed25519","x":")" + zeros + "\"}", "small order"},
        {"short ed", R"({"kty":"OKP","crv":"Ed25519","x":"AAAA"})", "not a key of Ed25519"},
        {"x448", R"({"kty":"OKP","crv":"X25519","x":")" + zeros + "\"}", "not supported"},
        {"padding", R"({"kty":"OKP","crv":"Ed25519","x":")" + ed().raw_public() + "=\"}", "in base64url"},
        {"id that is a number", R"({"kty":"OKP","crv":"Ed25519","kid":7,"x":")" + ed().raw_public() + "\"}",
         "\"kid\" that is not a text"},
        {"not an object", "7", "not an object"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const Jwks set = parse_jwks(R"({"keys":[)" + c.key + "]}");
        CHECK(set.keys.size() == (*c.says ? 0 : 1));
        REQUIRE(set.refused.size() == (*c.says ? 1 : 0));
        if (*c.says) CHECK(set.refused[0].c_str() == doctest::Contains(c.says));
    }
    const Jwks twice = parse_jwks(R"({"keys":[)" + ed().jwk("k") + "," + ec().jwk("k") + "," + ec().jwk("e") + "]}");
    CHECK(twice.keys.size() == 2);
    CHECK(twice.refused == std::vector<std::string>{"\"k\": the key has an id that another one has already"});
    for (const char* text : {"", "[]", "{}", R"({"keys":{}})", "7"}) CHECK_THROWS_AS(parse_jwks(text), Error);
    CHECK_THROWS_AS(parse_jwks(R"({"keys":[)" + std::string(300'000, ' ') + "]}"), Error);
    std::string many = R"({"keys":[0)";
    for (int i = 0; i < 100; ++i) many += ",0";
    CHECK_THROWS_AS(parse_jwks(many + "]}"), Error);
}

TEST_CASE("jwt keys: from PEM, and a secret only where it is the one key")
{
    JwtKeys configured;
    configured.add("", JwtKey::pem(ed().pem()));
    configured.add("", JwtKey::pem(rsa().pem()));
    CHECK(verdict(ed().token(R"({"alg":"EdDSA","kid":"whatever"})", claims()), configured) == "good");
    CHECK(verdict(rsa().token(R"({"alg":"RS256"})", claims()), configured) == "good");
    const Secret secret(std::string(32, 's'));
    CHECK_THROWS_WITH_AS(configured.add("", JwtKey::secret(secret)), doctest::Contains("beside other keys"), Error);
    JwtKeys alone;
    alone.add("", JwtKey::secret(secret));
    CHECK_THROWS_AS(alone.add("", JwtKey::pem(ed().pem())), Error);
    CHECK_THROWS_AS(alone.add("x", JwtKey::secret(secret)), Error);
    CHECK(alone.size() == 1);
    CHECK_THROWS_WITH_AS(JwtKey::secret(Secret(std::string(31, 's'))), doctest::Contains("fewer than 32 bytes"), Error);
    for (const std::string& pem : {std::string("nonsense"), Signer("1024").pem(), Signer("P-384").pem()})
        CHECK_THROWS_AS(JwtKey::pem(pem), Error);
}

TEST_CASE("jwt: without an id, eight keys of the algorithm are tried and no more")
{
    JwtKeys many;
    std::vector<std::unique_ptr<Signer>> signers;
    for (int i = 0; i < 9; ++i) {
        signers.push_back(std::make_unique<Signer>("Ed25519"));
        many.add(std::to_string(i), JwtKey::pem(signers.back()->pem()));
    }
    CHECK(verdict(signers[7]->token(R"({"alg":"EdDSA"})", claims()), many) == "good");
    CHECK(verdict(signers[8]->token(R"({"alg":"EdDSA"})", claims()), many) == "signature");
    CHECK(verdict(signers[8]->token(R"({"alg":"EdDSA","kid":"8"})", claims()), many) == "good");
}
