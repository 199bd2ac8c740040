#include "base/id.hpp"

#include "base/random.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using test::error_of;

namespace {

constexpr const char* kUuid = "6f1c24f2-3a5b-4c7d-8e9f-0123456789ab";

/// Whether `text` has the form of `form`, where x is a lower-case hex digit and y one of 8, 9, a, b.
bool fits(std::string_view text, std::string_view form)
{
    constexpr std::string_view kHex = "0123456789abcdef";
    return std::equal(text.begin(), text.end(), form.begin(), form.end(), [&](char c, char wanted) {
        return wanted == 'x'   ? kHex.find(c) != kHex.npos
               : wanted == 'y' ? kHex.substr(8, 4).find(c) != kHex.npos
                               : c == wanted;
    });
}

const std::string k32Hex(32, 'x');

}  // namespace

TEST_CASE("new ids are UUIDs of version 4, and 100,000 of them differ")
{
    std::set<Id> seen;
    for (int i = 0; i < 100'000; ++i) {
        const Id id = new_id();
        REQUIRE(seen.insert(id).second);
        if (i < 1'000) REQUIRE(fits(to_string(id), "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"));
    }
}

TEST_CASE("ids from one seed are the same ids")
{
    SeededRandom one(42), two(42);
    CHECK(new_id(one) == new_id(two));
    CHECK(new_id(one) != new_id(one));
}

TEST_CASE("an id converts between its UUID form and its tc_ and step_ forms, both ways")  // UNI-10 U
{
    const Id id = id_from(kUuid);
    CHECK(to_string(id) == kUuid);
    CHECK(to_prefixed("tc_", id) == "tc_6f1c24f23a5b4c7d8e9f0123456789ab");
    CHECK(to_prefixed("step_", id) == "step_6f1c24f23a5b4c7d8e9f0123456789ab");
    for (int i = 0; i < 1'000; ++i) {
        const Id other = new_id();
        REQUIRE(id_from(to_string(other)) == other);
        REQUIRE(id_from_prefixed("tc_", to_prefixed("tc_", other)) == other);
        REQUIRE(id_from_prefixed("step_", to_prefixed("step_", other)) == other);
    }
}

TEST_CASE("prefixed ids have the prefix and 32 lower-case hex digits")
{
    CHECK(fits(to_prefixed("tc_", new_id()), "tc_" + k32Hex));
    CHECK(fits(to_prefixed("step_", new_id()), "step_" + k32Hex));
}

TEST_CASE("letters of an id may be of either case")
{
    CHECK(id_from("6F1C24F2-3A5B-4C7D-8E9F-0123456789AB") == id_from(kUuid));
    CHECK(id_from_prefixed("tc_", "tc_6F1C24F23A5B4C7D8E9F0123456789AB") == id_from(kUuid));
}

TEST_CASE("what is not a UUID of version 4 is refused and quoted")
{
    const char* const wrong[] = {
        "",
        "abc",
        "6f1c24f2-3a5b-1c7d-8e9f-0123456789ab",    // version 1
        "6f1c24f2-3a5b-4c7d-ce9f-0123456789ab",    // variant of another standard
        "00000000-0000-0000-0000-000000000000",    // the nil UUID
        "6f1c24f23a5b4c7d8e9f0123456789ab",        // no hyphens
        "6f1c24f2-3a5b-4c7d-8e9f-0123456789a",     // short
        "6f1c24f2-3a5b-4c7d-8e9f-0123456789abc",   // long
        "6f1c24f2-3a5b-4c7d-8e9f-0123456789ag",    // not hex
        "6f1c24f2 3a5b-4c7d-8e9f-0123456789ab",    // a space for a hyphen
        "6f1c24f-23a5b-4c7d-8e9f-0123456789ab",    // a hyphen out of place
        "{6f1c24f2-3a5b-4c7d-8e9f-0123456789ab}",  // in braces
        " 6f1c24f2-3a5b-4c7d-8e9f-0123456789ab",
    };
    for (const char* text : wrong) {
        CAPTURE(text);
        const std::string says = "malformed: " + in_quotes(text) + " is not a UUID of version 4";
        CHECK(error_of([&] { id_from(text); }) == says.c_str());
    }
    const char* const wrong_prefixed[] = {
        "6f1c24f23a5b4c7d8e9f0123456789ab",
        "step_6f1c24f23a5b4c7d8e9f0123456789ab",
        "tc_",
        "tc_6f1c24f23a5b4c7d8e9f0123456789a",
        "tc_6f1c24f23a5b4c7d8e9f0123456789abc",
        "tc_6f1c24f23a5b1c7d8e9f0123456789ab",
        "tc_6f1c24f2-3a5b-4c7d-8e9f-0123456789ab",
        "TC_6f1c24f23a5b4c7d8e9f0123456789ab",
    };
    for (const char* text : wrong_prefixed) {
        CAPTURE(text);
        CHECK(error_of([&] { id_from_prefixed("tc_", text); }) == doctest::Contains("malformed: "));
    }
}
