// Any text is refused as a token, in bounded time; and what stands between two dots never counts unsigned.
#include "base/base64.hpp"
#include "base/error.hpp"
#include "expect.hpp"
#include "server/auth/jwks.hpp"
#include "server/auth/jwt.hpp"

#include <string>

using namespace cadre;
using namespace cadre::server;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    static const JwtKeys keys =
        parse_jwks(
            R"({"keys":[{"kid":"a","kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})")
            .keys;
    const JwtRules rules{.issuer = "i", .audience = "a"};
    const Time now = Time(Millis(1'800'000'000'000));
    EXPECT(std::holds_alternative<JwtReason>(verify_jwt(text, keys, rules, now)));
    // the same as a header and as claims, which would else rarely be base64
    const std::string part = to_base64url(text);
    EXPECT(std::holds_alternative<JwtReason>(verify_jwt(part + "." + part + "." + part, keys, rules, now)));
    const std::string header = to_base64url(R"({"alg":"EdDSA","kid":"a"})");
    EXPECT(std::holds_alternative<JwtReason>(verify_jwt(header + "." + part + "." + part, keys, rules, now)));
    try {
        parse_jwks(text);
    } catch (const Error&) {}
    return 0;
}
