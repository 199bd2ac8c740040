#include "base/json_writer.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace cadre;

namespace {

std::string string_text(std::string_view text)
{
    std::string out;
    append_json_string(out, text);
    return out;
}

std::string number_text(double number)
{
    std::string out;
    append_json_number(out, number);
    return out;
}

std::string ecmascript_text(double number)
{
    std::string out;
    append_ecmascript_number(out, number);
    return out;
}

}  // namespace

TEST_CASE("strings are escaped no more than JSON asks, and bytes that are not UTF-8 are replaced")
{
    struct {
        std::string_view text;
        const char* json;
    } const cases[] = {
        {"", R"("")"},
        {"plain", R"("plain")"},
        {"a\"b\\c/d", R"("a\"b\\c/d")"},
        {"\b\f\n\r\t", R"("\b\f\n\r\t")"},
        {std::string_view("\0\x1F\x7F", 3), "\"\\u0000\\u001f\x7F\""},
        {"\u00E9\u20AC\U0001F600\u2028", "\"\u00E9\u20AC\U0001F600\u2028\""},
        {"a\xFFz", "\"a\uFFFDz\""},
        {"cut \xE2\x82", "\"cut \uFFFD\uFFFD\""},
        {"surrogate \xED\xA0\x80", "\"surrogate \uFFFD\uFFFD\uFFFD\""},
    };
    for (const auto& c : cases) CHECK(string_text(c.text) == c.json);
}

TEST_CASE("a character is escaped or replaced wherever it stands")
{
    for (std::size_t length = 1; length < 40; ++length)
        for (std::size_t at = 0; at < length; ++at) {
            const std::string before(at, 'x'), after(length - at - 1, 'y');
            CHECK(string_text(before + '"' + after) == '"' + before + "\\\"" + after + '"');
            CHECK(string_text(before + '\x1F' + after) == '"' + before + "\\u001f" + after + '"');
            CHECK(string_text(before + '\x7F' + after) == '"' + before + '\x7F' + after + '"');
            CHECK(string_text(before + '\xFF' + after) == '"' + before + "\uFFFD" + after + '"');
        }
}

TEST_CASE("doubles have the fewest digits that read back equal, in plain and in ECMAScript's form")
{
    struct {
        double number;
        const char* plain;
        const char* ecmascript;
    } const cases[] = {
        {0.0, "0.0", "0"},
        {-0.0, "-0.0", "0"},
        {2.0, "2.0", "2"},
        {-1.5, "-1.5", "-1.5"},
        {0.1, "0.1", "0.1"},
        {0.1 + 0.2, "0.30000000000000004", "0.30000000000000004"},
        {123456.789, "123456.789", "123456.789"},
        {1e20, "100000000000000000000.0", "100000000000000000000"},
        {1e21, "1e+21", "1e+21"},
        {-1.5e300, "-1.5e+300", "-1.5e+300"},
        {123456789012345680000.0, "123456789012345680000.0", "123456789012345680000"},
        {1e-6, "0.000001", "0.000001"},
        {1.5e-6, "0.0000015", "0.0000015"},
        {1e-7, "1e-7", "1e-7"},
        {1.25e-7, "1.25e-7", "1.25e-7"},
        {9007199254740993.0, "9007199254740992.0", "9007199254740992"},
        {std::numeric_limits<double>::max(), "1.7976931348623157e+308", "1.7976931348623157e+308"},
        {std::numeric_limits<double>::min(), "2.2250738585072014e-308", "2.2250738585072014e-308"},
        {std::numeric_limits<double>::denorm_min(), "5e-324", "5e-324"},
        {std::numeric_limits<double>::infinity(), "null", "null"},
        {std::numeric_limits<double>::quiet_NaN(), "null", "null"},
    };
    for (const auto& c : cases) {
        CHECK(number_text(c.number) == c.plain);
        CHECK(ecmascript_text(c.number) == c.ecmascript);
    }
}

TEST_CASE("commas stand between elements and nowhere else")
{
    std::string out;
    JsonWriter(out)
        .begin_object()
        .field("id", 7)
        .key("tags")
        .begin_array()
        .value("a")
        .value(std::string("b"))
        .begin_array()
        .end_array()
        .null()
        .end_array()
        .key("empty")
        .begin_object()
        .end_object()
        .field("flag", true)
        .field("small", std::numeric_limits<std::int64_t>::min())
        .field("large", std::numeric_limits<std::uint64_t>::max())
        .field("unsigned", 4'000'000'000u)
        .field("ratio", 0.5)
        .key("ready")
        .raw(R"({"x":1})")
        .field("a\"b", "c")
        .end_object();
    CHECK(out == R"({"id":7,"tags":["a","b",[],null],"empty":{},"flag":true,"small":-9223372036854775808,)"
                 R"("large":18446744073709551615,"unsigned":4000000000,"ratio":0.5,"ready":{"x":1},"a\"b":"c"})");
}
