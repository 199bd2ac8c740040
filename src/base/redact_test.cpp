#include "base/redact.hpp"

#include <doctest/doctest.h>

#include <ctime>
#include <string>

using namespace cadre;

namespace {

constexpr const char* kJwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
constexpr const char* kPem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nAKCAQ==\n-----END RSA PRIVATE KEY-----";

}  // namespace

TEST_CASE("credentials are masked, and nothing around them")
{
    struct {
        std::string text;
        const char* shown;
    } const cases[] = {
        // schemes
        {"got Bearer 0123456789abcdef, thanks", "got Bearer [redacted], thanks"},
        {"bearer AbCdEfGh", "bearer [redacted]"},
        {"curl -H 'Authorization: Bearer hunter two' http://x", "curl -H 'Authorization: [redacted]' http://x"},
        {"basic dXNlcjpwYXNzd29yZA==", "basic [redacted]"},
        {"Bearer  0123456789abcdef", "Bearer  [redacted]"},
        {"Bearer\t0123456789abcdef", "Bearer\t[redacted]"},
        {R"(Authorization: Digest username="u", response="X")", "Authorization: [redacted]"},
        {R"(curl -H 'Authorization: Digest username="u", response="X"' http://x)",
         "curl -H 'Authorization: [redacted]' http://x"},
        {R"({"h":"Authorization: Digest username=\"u\", response=\"X\"","n":1})",
         R"({"h":"Authorization: [redacted]","n":1})"},
        {R"({"h":"Authorization: Basic dTpw=","n":1})", R"({"h":"Authorization: [redacted]","n":1})"},
        {R"({"h":"Authorization: Basic dTpw="})", R"({"h":"Authorization: [redacted]"})"},
        // vendors' keys
        {"key sk-proj-abc123DEF456ghi789 used", "key [redacted] used"},
        {"(sk-ant-api03-abcdefghijklmnop)", "([redacted])"},
        {"ghp_0123456789abcdefghijABCDEFGHIJ012345", "[redacted]"},
        {"github_pat_11ABCDEFG0123456789_abcdefghij", "[redacted]"},
        {"xoxb-123456789012-abcdefghij", "[redacted]"},
        {"id AKIAIOSFODNN7EXAMPLE.", "id [redacted]."},
        {"?key=AIzaSyA1234567890abcdefghijklmnopqrstu&x=1", "?key=[redacted]&x=1"},
        {"my_sk-0123456789abcdef", "my_[redacted]"},
        {"SG.0123abcdefghijklmnop.ABCDEFGH. And", "[redacted]. And"},
        {"hvs.CAESIabcdefghijklmnop0123", "[redacted]"},
        // JSON web tokens
        {std::string("jwt ") + kJwt + " end", "jwt [redacted] end"},
        {std::string("[") + kJwt + "]", "[[redacted]]"},
        {std::string("jwt_") + kJwt, "jwt_[redacted]"},
        {std::string("x-a-") + kJwt + ",", "x-a-[redacted],"},
        {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0 was cut", "[redacted] was cut"},
        // URLs
        {"postgres://ann:s3cret@db:5432/x", "postgres://ann:[redacted]@db:5432/x"},
        {"redis://:p@ss@host", "redis://:[redacted]@host"},
        {"see https://a:b@c and https://d:e@f", "see https://a:[redacted]@c and https://d:[redacted]@f"},
        {"https://TOKEN@github.com/x", "https://[redacted]@github.com/x"},
        {"git+https://0a1b2c@host", "git+https://[redacted]@host"},
        {"https://TOKEN:@host", "https://[redacted]:@host"},
        {"postgres://u:a/b@h", "postgres://u:[redacted]@h"},
        {"postgres://u:a/b?c#d@e@h/db?x=1@2", "postgres://u:[redacted]@h/db?x=1@2"},
        {"http://u:80@h and http://[::1]:x@h", "http://u:[redacted]@h and http://[::1]:[redacted]@h"},
        {R"({"u":"https:\/\/a:b@c\/d"})", R"({"u":"https:\/\/a:[redacted]@c\/d"})"},
        {"https://h/?key=abc&sig=def", "https://h/?key=[redacted]&sig=[redacted]"},
        {"/p?x=1&amp;signature=abc&auth=d", "/p?x=1&amp;signature=[redacted]&auth=[redacted]"},
        {R"(/p?x=1\u0026X-Amz-Signature=abc)", R"(/p?x=1\u0026X-Amz-Signature=[redacted])"},
        // private keys
        {std::string("a ") + kPem + " z", "a [redacted] z"},
        {"-----BEGIN PRIVATE KEY-----\nMIIE and the rest was cut", "[redacted]"},
        {"-----BEGIN PRIVATE KEY-----\n-----END CERTIFICATE-----\nMIIE\n-----END PRIVATE KEY----- z", "[redacted] z"},
        {"-----BEGIN PRIVATE KEY-----\nMIIE\n-----END CERTIFICATE-----\nmore", "[redacted]"},
        // names and values
        {"api_key=abc", "api_key=[redacted]"},
        {"OPENAI_API_KEY=abc PATH=/bin", "OPENAI_API_KEY=[redacted] PATH=/bin"},
        {"password: hunter2, user: ann", "password: [redacted], user: ann"},
        {"x-api-key: abc\nhost: y", "x-api-key: [redacted]\nhost: y"},
        {"https://h/?access_token=abc&x=1", "https://h/?access_token=[redacted]&x=1"},
        {"Server=a;Pwd=b;Db=c", "Server=a;Pwd=[redacted];Db=c"},
        {"tool --api-key abc --verbose", "tool --api-key [redacted] --verbose"},
        {"tool --password=abc", "tool --password=[redacted]"},
        {R"({"api_key": "a b\"c", "n": 1})", R"({"api_key": "[redacted]", "n": 1})"},
        {R"({"token":12345,"n":1})", R"({"token":"[redacted]","n":1})"},
        {R"({"text":"{\"secret\":\"a b\",\"n\":1}"})", R"({"text":"{\"secret\":\"[redacted]\",\"n\":1}"})"},
        {R"({"text":"login \"password=abc\""})", R"({"text":"login \"password=[redacted]\""})"},
        {R"({"password":"cut off he)", R"({"password":"[redacted])"},
        {"{'client_secret': 'abc'}", "{'client_secret': '[redacted]'}"},
        {"secret => abc", "secret => [redacted]"},
        {"{b'api_key': b'abc', u'token': u\"x\"}", "{b'api_key': b'[redacted]', u'token': u\"[redacted]\"}"},
        {R"(headers["Authorization"] = "Bearer abc")", R"(headers["Authorization"] = "[redacted]")"},
        {"<password>a b</password><n>1</n>", "<password>[redacted]</password><n>1</n>"},
        {R"(<w:Password Type="text">abc</w:Password>)", R"(<w:Password Type="text">[redacted]</w:Password>)"},
        {R"({"name": "api_key", "value": "abc"})", R"({"name": "api_key", "value": "[redacted]"})"},
        // arrays and objects
        {R"({"api_key":["abc","d]ef"],"n":1})", R"({"api_key":"[redacted]","n":1})"},
        {R"({"authorization":["Bearer abc"]})", R"({"authorization":"[redacted]"})"},
        {R"({"password":{"value":"abc","n":[1]},"n":1})", R"({"password":"[redacted]","n":1})"},
        {R"({"secrets": [ [], {"a": {"b": "x"}} ], "n":1})", R"({"secrets": "[redacted]", "n":1})"},
        {R"({"t":"{\"secrets\":[\"a\"],\"n\":1}"})", R"({"t":"{\"secrets\":\"[redacted]\",\"n\":1}"})"},
        {R"({"api_keys":["cut off)", R"({"api_keys":"[redacted]")"},
        {"{'api_keys': ('a', 'b'), 'n': 1}", "{'api_keys': '[redacted]', 'n': 1}"},
        {"{ password: { value: 'abc' }, n: 1 }", "{ password: [redacted], n: 1 }"},
        {"apiKeys: [\n  'abc'\n]\nn: 1", "apiKeys: [redacted]\nn: 1"},
        {"api_keys=[ab, cd]", "api_keys=[redacted]"},
        {R"({"tokens":"abc","tokens":["abc"]})", R"({"tokens":"[redacted]","tokens":"[redacted]"})"},
        // without quotation marks
        {"user ann, password: hunter2", "user ann, password: [redacted]"},
        {"user ann, password: 123456", "user ann, password: [redacted]"},
        {"user ann, password: ab!cd", "user ann, password: [redacted]"},
        {"the secret: abcdefghijklmnop.", "the secret: [redacted]"},
        {"  - password: swordfish\n", "  - password: [redacted]\n"},
        {"db.password: swordfish # old", "db.password: [redacted] # old"},
        {"-H 'X-Api-Key: swordfish'", "-H 'X-Api-Key: [redacted]'"},
        {"Set-Cookie: id=1; Path=/\r\nX: y", "Set-Cookie: [redacted]\r\nX: y"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(redact(c.text) == c.shown);
        CHECK(redact(redact(c.text)) == c.shown);
    }
}

TEST_CASE("ordinary text stays as it is")
{
    const char* const texts[] = {
        "",
        "max_tokens: 100",
        R"({"max_tokens":100,"total_tokens":5,"token_count":7,"cost_per_token":0.1,"eos_token":"</s>"})",
        "6f1c24f2-3a5b-4c7d-8e9f-0123456789ab",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "Basic Authentication is a basic understanding; bearer instruments bear interest",
        "task-0123456789abcdef and sk-learn and sk-some-long-class-name-here",
        "http://host:8080/path?x=1 and ssh://git@github.com/x and http://[::1]:80/a@b",
        "the password is checked, the secret is kept",
        R"({"ask":"Your password:","next":"x"})",
        R"({"password":null,"has_secret":true,"credentials":{},"secrets":[ ],"secret":""})",
        R"({"tokens":1234567,"usage":{"tokens":{"prompt":5,"output":7}},"token":17,"api_keys":3,"x_tokens":[1,2]})",
        "tokens: 123456, token=17, input token: 17, <tokens>12345</tokens>",
        "Unexpected token: IDENTIFIER",
        "Unexpected token: [ at line 3, unexpected token: {",
        R"({"error":"Unexpected token: [","next":"x","more":"unexpected token: }"})",
        "the password: please enter it",
        "token: the next one",
        "password: is required",
        "budget \"-5tokens\" is not understood",
        "the cookie: yes we eat one",
        "secret: none",
        "usage: login <user> <password> and <token>",
        "http://host:80,me@x and http://[::1]:80/@x and https://x.y/a:b@c and postgres://ann@db",
        "foo://time 12:30 me@example.org, http://h/?q=key&keyboard=1&monkey=2",
        "cadre::Secret::reveal and secret://vault/path",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "primary_key=7 idempotency_key=8 keyboard=9 PWD=/home",
        "eyJhbGciOiJI.no",
        "email ann@example.com at 10:30",
    };
    for (const char* text : texts) CHECK(redact(text) == text);
}

TEST_CASE("names tell what is secret")
{
    for (const char* name : {"password",
                             "Password",
                             "db_password",
                             "PASSWORD_2",
                             "passwordHash",
                             "api_key",
                             "apiKey",
                             "API-KEY",
                             "x-api-key",
                             "Authorization",
                             "Proxy-Authorization",
                             "client-secret",
                             "clientSecret",
                             "access_token",
                             "X-Auth-Token",
                             "aws_secret_access_key",
                             "private_key",
                             "passphrase",
                             "credentials",
                             "api_keys",
                             "passwords",
                             "secrets",
                             "access_tokens",
                             "tokens",
                             "cookie",
                             "jwt"}) {
        CAPTURE(name);
        CHECK(is_secret_name(name));
    }
    for (const char* name : {"",
                             "max_tokens",
                             "maxTokens",
                             "prompt_tokens",
                             "token_count",
                             "tokenizer",
                             "token_type",
                             "token_url",
                             "key",
                             "public_key",
                             "primary_key",
                             "idempotency_key",
                             "author",
                             "passed",
                             "secret_name",
                             "password_policy",
                             "cost_per_token",
                             "next_page_token",
                             "authorization_endpoint",
                             "session_id"}) {
        CAPTURE(name);
        CHECK(!is_secret_name(name));
    }
}

TEST_CASE("numbers of things are no secrets")
{
    for (const char* name : {"tokens", "access_tokens"}) CHECK(is_count(name, "1234567"));
    for (const char* name : {"token", "cancel_token", "secrets", "api_keys"}) {
        CAPTURE(name);
        CHECK(is_count(name, "17"));
        CHECK(!is_count(name, "12345"));
    }
    CHECK(is_count("tokens", "-1.5e3"));
    CHECK(!is_count("tokens", "12ab"));
    CHECK(!is_count("tokens", ""));
    CHECK(!is_count("password", "17"));
    CHECK(!is_count("dbpass", "17"));
}

TEST_CASE("a long text of near misses costs no more than its length")
{
    const auto time_for = [](std::string_view piece, std::size_t bytes) {
        std::string text;
        while (text.size() < bytes) text += piece;
        const std::clock_t start = std::clock();
        redact(text);
        return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    for (const std::string piece : {"sk-",
                                    "eyJ",
                                    "eyJ-",
                                    "Bearer ",
                                    "://",
                                    "://a:",
                                    "-----BEGIN ",
                                    "-----BEGIN PRIVATE KEY-----",
                                    "password",
                                    "password ",
                                    "password=",
                                    "password:\\",
                                    "password=\"",
                                    "password=[",
                                    "password='",
                                    "password=\" ",
                                    "token\\",
                                    "--token ",
                                    "password=a/b,@://u:",
                                    "-",
                                    "-a",
                                    "_eyJ",
                                    "-eyJaaaaaaaa",
                                    ".eyJaaaaaaaa-",
                                    "://a:b/",
                                    "://a:b/@",
                                    ":\\/\\/a:",
                                    "cookie: ",
                                    "cookie:",
                                    "cookie:a=\"",
                                    "cookie:a=\\\"",
                                    "authorization:a='",
                                    "<token>",
                                    "<a:token b",
                                    ":token>",
                                    "tokens:[",
                                    "\"tokens\":[",
                                    "\"tokens\":[1,",
                                    "\"tokens\":{\"a\":",
                                    "token:[ ",
                                    "token:[(",
                                    "\"token\",\"value\" ",
                                    "-----BEGIN PRIVATE KEY----------END X-----",
                                    "-----END PRIVATE KEY",
                                    "token: b",
                                    "token:b\"",
                                    "[redacted]"}) {
        CAPTURE(piece);
        // sixteen times the text: linear rules need sixteen times as long, quadratic ones 256 times
        const double small = time_for(piece, 4'000), large = time_for(piece, 64'000);
        CHECK(large < 80 * small + 0.02);
    }
}
