#include "base/json.hpp"
#include "base/json_error.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

using namespace cadre;
using test::error_of;

namespace {

std::string repeated(std::string_view text, int times)
{
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

std::string object_with(const std::vector<std::string>& keys)
{
    std::string out = "{";
    for (const auto& key : keys) out += '"' + key + "\":0,";
    out.back() = '}';
    return out;
}

/// Keys that fall into one bucket of Boost's table, if that has room for `count`, a power of two, and the address that
/// glibc gives to a fresh one of this size.
std::vector<std::string> keys_that_collide_in_boost(std::size_t count)
{
    std::vector<std::string> keys;
    for (std::uint32_t i = 0; keys.size() < count; ++i) {
        std::string key;
        for (int shift = 0; shift < 20; shift += 4) key += static_cast<char>('a' + (i >> shift) % 16);
        std::uint64_t hash = 0xCBF29CE484222325 + 0x10;
        for (const char c : key) hash = (static_cast<std::uint64_t>(c) ^ hash) * 0x100000001B3;
        const auto last = hash % count;  // the letter that makes the next step of FNV-1a give a multiple of `count`
        if (last >= 'a' && last <= 'z') keys.push_back(key + static_cast<char>(last));
    }
    return keys;
}

/// In seconds of this process's own time: other programs do not count.
double time_to_parse(const std::string& text)
{
    const std::clock_t start = std::clock();
    parse_json(text);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("what JSON allows is read")
{
    CHECK(parse_json(" [1, -2 , true,\tfalse,\r\nnull , \"x\", {} , [] ] ") ==
          json::value({1, -2, true, false, nullptr, "x", json::object{}, json::array{}}));
    CHECK(parse_json("7") == 7);
    CHECK(parse_json(R"("\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00")") == "\"\\/\b\f\n\r\t\u00E9\U0001F600");
    CHECK(parse_json("\"\u20AC\U0001F600\"") == "\u20AC\U0001F600");
    CHECK(parse_json(R"({"":1," ":2})") == json::value({{"", 1}, {" ", 2}}));
    CHECK(parse_json(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})").at("b").as_array().size() == 2);
}

TEST_CASE("doubles are read to the nearest value, however long their text is")
{
    struct {
        std::string text;
        double number;
    } const cases[] = {
        {"0.1", 0.1},
        {"-0.0", -0.0},
        {"1E+2", 100.0},
        {"9007199254740993.0", 9007199254740992.0},  // halfway: to even
        {"8.41e21", 8.41e21},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"1.7976931348623157e308", std::numeric_limits<double>::max()},
        {"4.9e-324", std::numeric_limits<double>::denorm_min()},
        {"1e-400", 0.0},
        {"-1e-400", -0.0},
        {"1e-99999999999", 0.0},
        {"1e-9223372036854775808", 0.0},
        {"-1e-99999999999999999999", -0.0},
        {"-1.5E-99999999999", -0.0},
        {"0e99999999999", 0.0},
        {"-0.0e+99999999999", -0.0},
        {"5e000000000000000002", 500.0},
        {"18446744073709551616", 18446744073709551616.0},
        {"-9223372036854775809", -9223372036854775809.0},
        {"0." + repeated("0", 5000) + "123e5001", 1.23},
        {repeated("1", 300), 1.1111111111111111e299},
        {"0." + repeated("3", 10'000), 1.0 / 3.0},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text.substr(0, 60));
        for (const std::string& text : {c.text, '[' + c.text + ']', ' ' + c.text + repeated(" ", 40)}) {
            const json::value value = parse_json(text);
            const double number = value.is_array() ? value.as_array()[0].as_double() : value.as_double();
            CHECK(number == c.number);
            CHECK(std::signbit(number) == std::signbit(c.number));
        }
    }
    CHECK(parse_json("9223372036854775807").as_int64() == std::numeric_limits<std::int64_t>::max());
    CHECK(parse_json("-9223372036854775808").as_int64() == std::numeric_limits<std::int64_t>::min());
    CHECK(parse_json("18446744073709551615").as_uint64() == std::numeric_limits<std::uint64_t>::max());
    CHECK(parse_json("-0").as_int64() == 0);
}

TEST_CASE("exponents beyond reason are read wherever they stand, and texts that look like them stay as they are")
{
    const json::value value =
        parse_json(R"({"a\"1e99999999999":[1e-99999999999,"\\1e99999999999",true,-0e-00099999999999 ,1e2]})");
    CHECK(to_text(value) == R"({"a\"1e99999999999":[0.0,"\\1e99999999999",true,-0.0,100.0]})");
}

TEST_CASE("a refusal says what kind it is, where and why")
{
    const auto refused = [](std::string_view text) -> JsonError {
        try {
            parse_json(text, {.depth = 2});
        } catch (const JsonError& error) {
            return error;
        }
        throw std::logic_error("it was not refused");
    };
    const JsonError syntax = refused("[1,\n \"é\" 2]");
    CHECK(syntax.flaw() == JsonFlaw::syntax);
    CHECK(syntax.at().line == 2);
    CHECK(syntax.at().column == 6);
    CHECK(syntax.reason() == "syntax error at \"2\"");
    CHECK(refused("{\"a\": 1, \"a\": 2}").flaw() == JsonFlaw::duplicate_key);
    CHECK(refused("[[[]]]").flaw() == JsonFlaw::limit);
    CHECK(refused("[[[]]]").code() == Code::too_large);
}

TEST_CASE("what is wrong is refused with its place and its reason")
{
    struct {
        std::string_view text;
        const char* says;
    } const cases[] = {
        {"", "line 1, column 1: the JSON text is empty"},
        {" \n ", "line 1, column 1: the JSON text is empty"},
        {"\xEF\xBB\xBF{}", "line 1, column 1: a byte order mark; JSON must be UTF-8 without one"},
        {"[1,", "line 1, column 4: the text ends too early"},
        {"\"abc", "line 1, column 5: the text ends too early"},
        {"tru", "line 1, column 4: the text ends too early"},
        {"{\n  \"a\": 1,\n}", "line 3, column 1: syntax error at \"}\""},
        {"[1 2]", "line 1, column 4: syntax error at \"2\""},
        {"[1,]", "line 1, column 4: syntax error at \"]\""},
        {"{a:1}", "line 1, column 2: syntax error at \"a\""},
        {"[01]", "line 1, column 3: syntax error at \"1\""},
        {"[+1]", "line 1, column 2: syntax error at \"+\""},
        {"[.5]", "line 1, column 2: syntax error at \".\""},
        {"[1.]", "line 1, column 4: syntax error at \"]\""},
        {"[1e]", "line 1, column 4: syntax error at \"]\""},
        {"[NaN]", "line 1, column 2: syntax error at \"N\""},
        {"[-]", "line 1, column 3: syntax error at \"]\""},
        {"[nil, 1]", "line 1, column 3: syntax error at \"i\""},
        {"[\u00E9\u00E9]", "line 1, column 2: syntax error at \"\u00E9\""},
        {"// no\n1", "line 1, column 1: syntax error at \"/\""},
        {"'a'", "line 1, column 1: syntax error at \"'\""},
        {"\"a\nb\"", "line 1, column 3: syntax error at \"\\n\""},
        {"[1] x", "line 1, column 5: text after the end of the JSON"},
        {"1 1", "line 1, column 3: text after the end of the JSON"},
        {std::string_view("1\0", 2), "line 1, column 2: text after the end of the JSON"},
        {"[1e309]", "line 1, column 2: the number is too large"},
        {"[ -1e309 ]", "line 1, column 3: the number is too large"},
        {"1e99999999999", "line 1, column 1: the number is too large"},
        {"-1.5E+9223372036854775807", "line 1, column 1: the number is too large"},
        {"0.01e99999999999999999999", "line 1, column 1: the number is too large"},
        {"[1e-99999999999, \"1e-99999999999\", x]", "line 1, column 36: syntax error at \"x\""},
        {"\"\u20AC\xFF\"", "line 1, column 3: bytes that are not UTF-8"},
        {"\"\\n\xC0\xAF\"", "line 1, column 4: bytes that are not UTF-8"},
        {"\"\xED\xA0\x80\"", "line 1, column 2: bytes that are not UTF-8"},
        {"\"abc\xE2\x82", "line 1, column 5: bytes that are not UTF-8"},
        {R"("ab\udc00 and more text")", "line 1, column 4: a \\u escape that is a lone surrogate"},
        {R"("\udc00 and more text")", "lone surrogate"},
        {R"("\ud800\u0041 and more")", "lone surrogate"},
        {R"("\ud800\u0041")", "lone surrogate"},
        {R"("\ud800")", "lone surrogate"},
        {R"("\uDBff and more text")", "lone surrogate"},
        {R"("\ud800\n")", "lone surrogate"},
        {R"("\udc00")", "lone surrogate"},
        {R"("\ud83d\ude00"x)", "text after the end"},
        {R"("\ud800)", "the text ends too early"},
        {R"("\u12g4 and more text")", "a \\u escape that stands for no character"},
        {R"("\x41")", "line 1, column 3: syntax error at \"x\""},
        {R"("\\ud800\x")", "line 1, column 10: syntax error at \"x\""},
        {R"("\)", "line 1, column 3: the text ends too early"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const auto error = error_of([&] { parse_json(c.text); });
        CHECK(error == doctest::Contains("malformed: line "));
        CHECK(error == doctest::Contains(c.says));
    }
}

TEST_CASE("duplicate keys are named, with the place of the second")
{
    struct {
        std::string text;
        std::string says;
    } const cases[] = {
        {R"({"name":1,"name":2})", R"(line 1, column 11: duplicate key "name")"},
        {"{\n \"a\": {\"x\": 1},\n \"b\": {\"y\": 1, \"z\": 2, \"y\": 3}\n}",
         R"(line 3, column 24: duplicate key "y")"},
        {R"({"name":1,"n\u0061me":2})", R"(line 1, column 11: duplicate key "name")"},
        {R"({"n\u0061me":1,"name":2})", R"(line 1, column 16: duplicate key "name")"},
        {R"({"":1,"":2})", R"(line 1, column 7: duplicate key "")"},
        {R"([{"a\nb":1,"a\nb":2}])", R"(duplicate key "a\nb")"},
        {"{\"" + std::string(5000, 'k') + "\":1,\"" + std::string(5000, 'k') + "\":2}",
         "duplicate key \"" + std::string(40, 'k') + "…\""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text.substr(0, 60));
        CHECK(error_of([&] { parse_json(c.text); }) == doctest::Contains(c.says.c_str()));
    }
}

TEST_CASE("limits are exact, and passing one is too_large")
{
    const JsonLimits limits{.bytes = 100, .depth = 3, .nodes = 5};
    CHECK_NOTHROW(parse_json("[[[]]]", limits));
    CHECK_NOTHROW(parse_json("[1,2,3,4]", limits));
    CHECK_NOTHROW(parse_json(R"({"a":1,"b":2})", limits));
    CHECK_NOTHROW(parse_json('"' + std::string(98, 'x') + '"', limits));
    struct {
        std::string text;
        const char* says;
    } const cases[] = {
        {"[[[[]]]]", "too_large: line 1, column 4: nested more than 3 deep"},
        {R"({"a":[{"b":[]}]})", "too_large: line 1, column 12: nested more than 3 deep"},
        {"[1,2,3,4,5]", "too_large: line 1, column 11: more than 5 values and keys"},
        {R"({"a":1,"b":[0]})", "too_large: line 1, column 14: more than 5 values and keys"},
        {'"' + std::string(99, 'x') + '"', "too_large: 101 bytes of JSON; the limit is 100"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(error_of([&] { parse_json(c.text, limits); }) == c.says);
    }
    CHECK(error_of([] { parse_json(repeated("[", 1'000'000)); }) == doctest::Contains("nested more than 64 deep"));
    CHECK_NOTHROW(parse_json(repeated("[", 64) + repeated("]", 64)));
}

TEST_CASE("of many keys too the second of two equal ones is the duplicate")
{
    std::vector<std::string> keys;
    for (int i = 10; i < 40; ++i) keys.push_back("k" + std::to_string(i));
    keys[3] = keys[28];
    const std::string place = "line 1, column " + std::to_string(2 + 28 * 8);
    CHECK(error_of([&] { parse_json(object_with(keys)); }) ==
          doctest::Contains((place + ": duplicate key \"k38\"").c_str()));
}

TEST_CASE("strings are read whole, wherever in them a character stands that is escaped or is not ASCII")
{
    for (std::size_t length = 1; length < 40; ++length)
        for (std::size_t at = 0; at < length; ++at)
            for (const std::string special : {"\"", "\\", "\n", "\x1F", "\x7F", "\u00E9", "\U0001F600"}) {
                const std::string text = std::string(at, 'x') + special + std::string(length - at - 1, 'y');
                const json::value value = {text, {{text, 1}}};
                CAPTURE(text);
                CHECK(parse_json(to_text(value)) == value);
            }
}

TEST_CASE("an object of 49,999 keys is read, and one duplicate among them found")
{
    std::vector<std::string> keys(49'999);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = "key " + std::to_string(i * 7919 % 1'000'003);
    CHECK(parse_json(object_with(keys)).as_object().size() == keys.size());
    keys.back() = keys[25'000];
    CHECK(error_of([&] { parse_json(object_with(keys)); }) ==
          doctest::Contains(("duplicate key " + in_quotes(keys[25'000])).c_str()));
}

TEST_CASE("keys chosen to collide in Boost's own hash are read as fast as others")
{
    constexpr std::size_t kCount = 4096;
    std::vector<std::string> ordinary(kCount);
    for (std::size_t i = 0; i < kCount; ++i) ordinary[i] = "k" + std::to_string(10'000 + i);
    const std::string hostile = object_with(keys_that_collide_in_boost(kCount));
    const double worst = time_to_parse(hostile);  // the first table of this size, so its address is the one expected
    const double usual = time_to_parse(object_with(ordinary));
    CHECK(worst < 8 * usual + 0.005);
}

TEST_CASE("a text may be parsed into memory of the caller's")
{
    json::monotonic_resource memory;
    const json::value value =
        parse_json(R"({"a\u0062":[1,"a text that is longer than any small string"]})", {}, &memory);
    CHECK(value.storage().get() == &memory);
    CHECK(value.at("ab").at(1).storage().get() == &memory);
    CHECK(to_text(value) == R"({"ab":[1,"a text that is longer than any small string"]})");
    CHECK(json::value(value, {}).storage().get() != &memory);
    CHECK(parse_json("[1e-99999999999]", {}, &memory).storage().get() == &memory);
}
