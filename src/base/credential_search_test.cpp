#include "base/credential.hpp"
#include "base/random.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <span>
#include <string>

using namespace cadre;

namespace {

bool holds_one_somewhere(std::string_view text)
{
    for (std::size_t at = 0; at < text.size(); ++at)
        if (find_credential(text.substr(0, at), text.substr(at)).mask > 0) return true;
    return false;
}

}  // namespace

TEST_CASE("a credential is found wherever asking at every place finds one")
{
    constexpr std::string_view kPieces[] = {"password",
                                            "Pass-words",
                                            "to_ken",
                                            "tokens",
                                            "api_key2",
                                            "apikey_value",
                                            "secret_hash",
                                            "key",
                                            "sig",
                                            "auth",
                                            "X-Amz-Signature",
                                            "Bearer",
                                            "basic",
                                            "Authorization",
                                            "cookie",
                                            "db.password",
                                            "max_tokens",
                                            "dbpass",
                                            "PWD",
                                            "eyJhbGciOiJIUzI1NiJ9",
                                            "eyJzdWIiOiIxMjM0In0",
                                            "-----BEGIN",
                                            "-----END",
                                            "RSA PRIVATE KEY",
                                            "-----",
                                            "sk-",
                                            "ghp_",
                                            "AKIA",
                                            "SG.",
                                            "0123456789abcdefghij",
                                            "ABCDEFGHIJ0123456789",
                                            "https",
                                            "://",
                                            ":\\/\\/",
                                            "ann:s3cret@host",
                                            "[redacted]",
                                            "[",
                                            "]",
                                            "{",
                                            "}",
                                            "<",
                                            "</",
                                            ">",
                                            "\"",
                                            "\\\"",
                                            "'",
                                            ":",
                                            "=",
                                            "=>",
                                            "::",
                                            " ",
                                            "\t",
                                            "\n",
                                            ",",
                                            ".",
                                            "-",
                                            "--",
                                            "_",
                                            "?",
                                            "&",
                                            "&amp;",
                                            "\\u0026",
                                            ";",
                                            "12",
                                            "123456",
                                            "null",
                                            "\"value\":",
                                            "word",
                                            "s",
                                            "\xC3\xA9"};
    SeededRandom random(5);
    const auto any = [&](std::size_t below) {
        std::uint32_t bits = 0;
        random.fill(std::as_writable_bytes(std::span(&bits, 1)));
        return bits % below;
    };
    int found = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (std::size_t n = 1 + any(10); n > 0; --n) text += kPieces[any(std::size(kPieces))];
        CAPTURE(text);
        const bool holds = holds_one_somewhere(text);
        found += holds;
        REQUIRE(holds_credential(text) == holds);
    }
    CHECK(found > 1000);
}
