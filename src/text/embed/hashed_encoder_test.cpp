#include "text/embed/hashed_encoder.hpp"

#include "text/embed/kernels.hpp"

#include <doctest/doctest.h>

using namespace cadre::text;
using namespace cadre::text::embed;

namespace {

std::vector<float> of(std::string_view text)
{
    return HashedEncoder().encode(std::span(&text, 1)).front();
}

float likeness(std::string_view a, std::string_view b)
{
    return plain_kernels().dot(of(a).data(), of(b).data(), kHashedSize);
}

}  // namespace

TEST_CASE("hashed encoder: texts are alike as far as they use the same words, in any case and with other endings")
{
    CHECK(likeness("where is my parcel", "Where is my PARCEL?") == doctest::Approx(1));
    CHECK(likeness("where is my parcel", "where are my parcels") > 0.5);
    CHECK(likeness("where is my parcel", "play some jazz") < 0.25);
    CHECK(likeness("明日の天気を教えて", "明日の天気は") > likeness("明日の天気を教えて", "音楽をかけて"));
}

TEST_CASE("hashed encoder: every text with words has length 1, the others none")
{
    for (const char* text : {"a", "Größe", "中文", "\xFFx", "42"}) {
        CAPTURE(text);
        CHECK(likeness(text, text) == doctest::Approx(1));
    }
    for (const char* text : {"", "  ", "?!", "😀"}) {
        CAPTURE(text);
        CHECK(likeness(text, text) == 0);
    }
    CHECK(of("x").size() == kHashedSize);
}

TEST_CASE("hashed encoder: halves of surrogates are no words, and of 10 MB the beginning counts")
{
    CHECK(likeness("red \xED\xA0\x80 parcel \xED\xBF\xBF", "red parcel") > 0.9);
    std::string text;
    while (text.size() < 10'000'000) text += "where is my parcel ";
    CHECK(likeness(text, "where is my parcel") > 0.9);
    CHECK(likeness(std::string(10'000'000, 'x'), "parcel") < 0.2);
    CHECK(likeness(std::string(10'000'000, '\xED'), "parcel") == 0);
}
