#include "server/byte_range.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre::server;

TEST_CASE("ranges: a part of a file, its end, what lies behind it, and what is not a part")
{
    struct {
        const char* header;
        const char* says;
    } const cases[] = {
        {"bytes=0-0", "0+1"},
        {"bytes=2-4", "2+3"},
        {"bytes=2-", "2+8"},
        {"bytes=-3", "7+3"},
        {"bytes=-99", "0+10"},
        {"bytes=9-99", "9+1"},
        {"bytes=10-", "10+0"},
        {"bytes=-0", "10+0"},
        {"bytes=18446744073709551615-", "18446744073709551615+0"},
        {"", "all"},
        {"bytes=", "all"},
        {"bytes=a-b", "all"},
        {"bytes=4-2", "all"},
        {"bytes=0-1,3-4", "all"},
        {"lines=0-1", "all"},
        {"bytes=99999999999999999999-", "all"},
    };
    for (const auto& one : cases) {
        CAPTURE(one.header);
        const auto range = byte_range(one.header, 10);
        CHECK((range ? std::to_string(range->first) + "+" + std::to_string(range->size) : "all") == one.says);
    }
    CHECK(byte_range("bytes=0-", 0)->size == 0);
}
