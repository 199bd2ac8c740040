#include "mcp/oauth/token_request.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "mcp/oauth/client_assertion.hpp"
#include "mcp/test_has.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

using namespace cadre;
using namespace cadre::mcp::oauth;
using cadre::mcp::test::Has;

namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Key p256()
{
    return {EVP_EC_gen("P-256"), EVP_PKEY_free};
}
Key rsa(unsigned bits)
{
    return {EVP_RSA_gen(bits), EVP_PKEY_free};
}

Secret pem_of(const Key& key)
{
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PKCS8PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    Secret pem(std::string(data, static_cast<std::size_t>(size)));
    BIO_free(bio);
    return pem;
}

std::string from_base64url(std::string_view text)
{
    std::string padded(text);
    for (char& c : padded) c = c == '-' ? '+' : c == '_' ? '/' : c;
    while (padded.size() % 4 != 0) padded += '=';
    std::string out(padded.size(), '\0');
    const int size =
        EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                        reinterpret_cast<const unsigned char*>(padded.data()), static_cast<int>(padded.size()));
    out.resize(static_cast<std::size_t>(size) - (padded.size() - text.size()));
    return out;
}

struct Jwt {
    explicit Jwt(const std::string& text)
    {
        const std::size_t first = text.find('.'), second = text.rfind('.');
        signed_part = text.substr(0, second);
        header = parse_json(from_base64url(text.substr(0, first))).as_object();
        claims = parse_json(from_base64url(text.substr(first + 1, second - first - 1))).as_object();
        signature = from_base64url(text.substr(second + 1));
    }
    bool verified_by(const Key& key) const
    {
        std::string der = signature;
        if (EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_EC) {
            const auto* bytes = reinterpret_cast<const unsigned char*>(signature.data());
            ECDSA_SIG* both = ECDSA_SIG_new();
            ECDSA_SIG_set0(both, BN_bin2bn(bytes, 32, nullptr), BN_bin2bn(bytes + 32, 32, nullptr));
            unsigned char* out = nullptr;
            const int size = i2d_ECDSA_SIG(both, &out);
            der.assign(reinterpret_cast<char*>(out), static_cast<std::size_t>(size));
            OPENSSL_free(out);
            ECDSA_SIG_free(both);
        }
        EVP_MD_CTX* digest = EVP_MD_CTX_new();
        EVP_DigestVerifyInit(digest, nullptr, EVP_sha256(), nullptr, key.get());
        const int good =
            EVP_DigestVerify(digest, reinterpret_cast<const unsigned char*>(der.data()), der.size(),
                             reinterpret_cast<const unsigned char*>(signed_part.data()), signed_part.size());
        EVP_MD_CTX_free(digest);
        return good == 1;
    }
    std::string signed_part, signature;
    json::object header, claims;
};

template <class F>
std::string error_of(F what)
{
    try {
        what();
    } catch (const Error& error) {
        return std::string(name_of(error.code())) + ": " + error.what();
    }
    return "none";
}

const Granter kGranter{.issuer = "https://as.example",
                       .token_url = "https://as.example/token",
                       .methods = {},
                       .resource = "https://s.example/mcp",
                       .scope = ""};
const Time kNow = Time{} + std::chrono::seconds(1'800'000'000);

net::HttpRequest asked(const Settings& settings, const Granter& granter = kGranter, const std::string& scope = "a b")
{
    return token_request(settings, granter, scope, kNow, "id-1");
}

}  // namespace

TEST_CASE("a token is asked for with the secret where the authorization server wants it")
{
    const Settings settings{.client_id = "me:1", .client_secret = Secret("s3cret & more")};
    const auto basic = asked(settings);
    CHECK(basic.method == "POST");
    CHECK(basic.url == "https://as.example/token");
    CHECK(basic.body == "grant_type=client_credentials&scope=a%20b&resource=https%3A%2F%2Fs.example%2Fmcp");
    // me%3A1:s3cret%20%26%20more
    CHECK(net::find_header(basic.headers, "Authorization") == "Basic bWUlM0ExOnMzY3JldCUyMCUyNiUyMG1vcmU=");

    Granter granter = kGranter;
    granter.methods = {"none", "client_secret_post"};
    const auto post = asked(settings, granter, "");
    CHECK(post.body ==
          "grant_type=client_credentials&resource=https%3A%2F%2Fs.example%2Fmcp&client_id=me%3A1&client_secret="
          "s3cret%20%26%20more");
    CHECK_FALSE(net::find_header(post.headers, "Authorization"));
    granter.methods = {"private_key_jwt"};
    CHECK(error_of([&] { asked(settings, granter); }) == Has("takes no client secret"));
    Settings forced = settings;
    forced.method = Method::client_secret_basic;
    CHECK(error_of([&] { asked(forced, granter); }) == "none");
    forced.method = Method::private_key_jwt;
    CHECK(error_of([&] { asked(forced, granter); }) == "unauthorized: there is no private key");
}

TEST_CASE("a private key signs who asks, whom, and until when")
{
    for (const bool elliptic : {true, false}) {
        CAPTURE(elliptic);
        const Key key = elliptic ? p256() : rsa(2048);
        const Jwt jwt(signed_assertion({.client_id = "me", .audience = "https://as.example", .now = kNow, .id = "id-1"},
                                       pem_of(key)));
        CHECK(jwt.header == json::object{{"alg", elliptic ? "ES256" : "RS256"}, {"typ", "JWT"}});
        CHECK(to_text(json::value(jwt.claims)) ==
              R"({"iss":"me","sub":"me","aud":"https://as.example","jti":"id-1","iat":1800000000,"exp":1800000120})");
        CHECK(jwt.verified_by(key));
        CHECK_FALSE(jwt.verified_by(elliptic ? p256() : rsa(2048)));
    }
    const auto request = asked({.client_id = "me", .private_key = pem_of(p256())});
    CHECK(request.body == Has("client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&"
                              "client_assertion=ey"));
    CHECK_FALSE(net::find_header(request.headers, "Authorization"));
}

TEST_CASE("a key that is none, too weak or of another kind is refused without showing it")
{
    const auto sign = [](const Secret& pem) { return error_of([&] { signed_assertion({}, pem); }); };
    CHECK(sign(Secret("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")) ==
          Has("invalid: the private key is no PEM file"));
    CHECK(sign(Secret("hello")) == Has("invalid: the private key is no PEM file"));
    CHECK(sign(pem_of(rsa(1024))) == Has("with at least 2048 bits"));
    CHECK(sign(pem_of({EVP_EC_gen("P-384"), EVP_PKEY_free})) == Has("on the curve P-256"));
}

TEST_CASE("an answer of the token endpoint is a token or says why there is none")
{
    const auto token =
        read_token(200, R"({"access_token":"abc","token_type":"BEARER","expires_in":60,"scope":"a"})", "a b");
    CHECK(token.text.reveal() == "abc");
    CHECK(token.scope == "a");
    CHECK(token.lifetime == std::chrono::seconds(60));
    const auto bare = read_token(200, R"({"access_token":"abc","token_type":"bearer","expires_in":"soon"})", "a b");
    CHECK(bare.scope == "a b");
    CHECK_FALSE(bare.lifetime);

    struct {
        int status;
        const char* body;
        const char* says;
    } const cases[] = {
        {307, "", "forbidden: the token endpoint has moved (HTTP 307); secrets do not follow it there"},
        {401, R"({"error":"invalid_client","error_description":"no \u001b[2J"})",
         "unauthorized: the token endpoint refused with HTTP 401 (\"invalid_client, no "},
        {400, "<html>", "unauthorized: the token endpoint refused with HTTP 400"},
        {503, "", "unavailable: the token endpoint refused with HTTP 503"},
        {200, "{", "holds no token"},
        {200, R"({"access_token":"a b","token_type":"bearer"})", "holds no token"},
        {200, R"({"access_token":"a\r\nb","token_type":"bearer"})", "holds no token"},
        {200, R"({"access_token":7,"token_type":"bearer"})", "holds no token"},
        {200, R"({"access_token":"secret-token","token_type":"dpop"})", "none of the type Bearer"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.body);
        const std::string error = error_of([&] { read_token(c.status, c.body, ""); });
        CHECK(error == Has(c.says));
        CHECK(error.find("secret-token") == error.npos);
        CHECK(error.find('\x1b') == error.npos);
    }
    CHECK(margin(std::chrono::hours(1)) == std::chrono::seconds(30));
    CHECK(margin(std::chrono::seconds(10)) == std::chrono::seconds(1));
}
