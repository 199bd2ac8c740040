#include "base/base64.hpp"

#include <doctest/doctest.h>

namespace cadre {

TEST_CASE("bytes and their text, with and without padding")
{
    CHECK(to_base64("") == "");
    CHECK(to_base64("f") == "Zg==");
    CHECK(to_base64("fo") == "Zm8=");
    CHECK(to_base64("foo") == "Zm9v");
    CHECK(to_base64("\xFB\xFF") == "+/8=");
    CHECK(to_base64url("\xFB\xFF") == "-_8");
    for (const std::string text : {"", "f", "fo", "foo", "foob", "\xFB\xFF"}) {
        CHECK(from_base64(to_base64(text)) == text);
    }
    CHECK(from_base64("Zg") == "f");
}

TEST_CASE("what is not base64 is nothing")
{
    for (const char* text : {"Z", "Zg=", "Z===", "Zh==", "Zm9v!", "Zm 9v", "-_8=", "=", "===="})
        CHECK_FALSE(from_base64(text).has_value());
}

TEST_CASE("base64url: one text for the same bytes, and no other")
{
    for (const std::string text : {"", "f", "fo", "foo", "\xFB\xFF"}) CHECK(from_base64url(to_base64url(text)) == text);
    for (const char* text : {"Z", "Zg==", "Zg=", "Zh", "Zm9", "-_9", "+/8", "Zm 9v", "Zm9v\n", "Zm9v."})
        CHECK_FALSE(from_base64url(text).has_value());
}

}  // namespace cadre
