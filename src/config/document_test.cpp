#include "config/document.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

using namespace cadre;
using namespace cadre::config;

namespace {

/// The JSON of a YAML text, or what is wrong with it.
std::string yaml(std::string_view text, std::string file = "a.yaml")
{
    Findings findings;
    const auto document = load(std::move(file), text, findings);
    if (!findings.empty()) return findings.text();
    return document ? to_text(document->value) : "nothing";
}

std::string json_file(std::string_view text)
{
    return yaml(text, "a.json");
}

}  // namespace

TEST_CASE("a word without quotes means what YAML 1.2 says, and nothing of YAML 1.1")
{
    struct {
        const char* text;
        const char* json;
    } const cases[] = {
        {"true", "true"},
        {"False", "false"},
        {"null", "null"},
        {"~", "null"},
        {"yes", "\"yes\""},
        {"no", "\"no\""},
        {"on", "\"on\""},
        {"tRUE", "\"tRUE\""},
        {"12", "12"},
        {"-12", "-12"},
        {"+12", "12"},
        {"007", "7"},
        {"0x1f", "31"},
        {"0o17", "15"},
        {"017", "17"},
        {"1_000", "\"1_000\""},
        {"12:30", "\"12:30\""},
        {"1.5", "1.5"},
        {"1e3", "1000.0"},
        {".5", "0.5"},
        {"1.", "1.0"},
        {"-0.0", "-0.0"},
        {"1e", "\"1e\""},
        {".", "\".\""},
        {"-", "\"-\""},
        {"1.2.3", "\"1.2.3\""},
        {"2025-11-02", "\"2025-11-02\""},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551615", "18446744073709551615"},
        {"18446744073709551616", "18446744073709552000.0"},
        {"1e-999", "0.0"},
        {"'12'", "\"12\""},
        {"\"true\"", "\"true\""},
        {"0x", "\"0x\""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(yaml(fmt::format("[{}]", c.text)) == fmt::format("[{}]", c.json));
    }
}

TEST_CASE("YAML that people write is read")
{
    CHECK(yaml("a: 1\nb:\n  - x\n  - y: [1, {z: 2}]\n") == R"({"a":1,"b":["x",{"y":[1,{"z":2}]}]})");
    CHECK(yaml("prompt: |\n  line 1\n  line 2\nnext: >-\n  folded\n  text\n") ==
          R"({"prompt":"line 1\nline 2\n","next":"folded text"})");
    CHECK(yaml("--- # one document\na: 'it''s'\n...\n") == R"({"a":"it's"})");
    CHECK(yaml("a:\nb: 1\n") == R"({"a":null,"b":1})");
    CHECK(yaml("\xEF\xBB\xBF"
               "a: é\r\nb: 2\r\n") == R"({"a":"é","b":2})");
    CHECK(yaml("{\"a\": [1, true], \"b\": \"x\\ty\"}") == R"({"a":[1,true],"b":"x\ty"})");
    std::string wide = "{\"a\":[";
    for (int i = 0; i < 2000; ++i) wide += "1,";
    CHECK(yaml(wide + "1]}") == wide + "1]}");
    CHECK(yaml(R"(a: "\x41\u00e9\U0001F600\N\_\L\P\e\0")") ==
          "{\"a\":\"Aé😀\xC2\x85\xC2\xA0\xE2\x80\xA8\xE2\x80\xA9\\u001b\\u0000\"}");
    CHECK(yaml("1: x\ntrue: y\n") == R"({"1":"x","true":"y"})");
}

TEST_CASE("anchors and aliases are replaced by what they stand for")
{
    CHECK(yaml("base: &b {x: 1}\nother: *b\nlist: [*b, *b]\n") ==
          R"({"base":{"x":1},"other":{"x":1},"list":[{"x":1},{"x":1}]})");
    CHECK(yaml("a: &n name\n*n : 1\n") == R"({"a":"name","name":1})");
    CHECK(yaml("a: &a [*a]\n") == "a.yaml:1:8: the alias stands inside what it refers to; write the value out");
    CHECK(yaml("a: *nobody\n") == "a.yaml:1:4: the alias refers to an anchor that is not defined above it");
}

TEST_CASE("what YAML allows and configuration does not is refused, each with its place and what to do")
{
    struct {
        const char* text;
        const char* says;
    } const cases[] = {
        {"a: 1\nb: 2\na: 3\n", "a.yaml:3:1: \"a\" is already there at 1:1; remove one of them"},
        {"a: !!str 1\n", "a.yaml:1:4: the tag \"tag:yaml.org,2002:str\" is not read; leave it out, and quote the value "
                         "if it is text"},
        {"a: !secret x\n",
         "a.yaml:1:4: the tag \"!secret\" is not read; leave it out, and quote the value if it is text"},
        {"b: &b {x: 1}\na:\n  <<: *b\n",
         "a.yaml:3:3: merge keys (<<) are not read; write the fields out, or use an alias for the whole value"},
        {"a: 1\n---\nb: 2\n", "a.yaml:2:1: a second document begins here; write one document per file"},
        {"? [a, b]\n: 1\n", "a.yaml:1:3: a key must be text, not a list or map; quote it if it begins with { or ["},
        {"{{ name }}: 1\n", "a.yaml:1:1: a key must be text, not a list or map; quote it if it begins with { or ["},
        {"~: 1\n", "a.yaml:1:1: a key must be text"},
        {"a: .inf\n", "a.yaml:1:4: \".inf\" is not a number that can be used here; quote it if it is text"},
        {"a: 1e999\n", "a.yaml:1:4: \"1e999\" is not a number that can be used here; quote it if it is text"},
        {"", "a.yaml:1:1: the file is empty"},
        {"# nothing\n", "a.yaml:1:1: the file is empty"},
        {"a: [1, 2\n",
         "a.yaml:1:4: the '[' that begins here is not closed; write ']' where it ends, and a ',' between its "
         "items"},
        {"a: \"x\n", "a.yaml:1:4: the quote that begins here is not closed; write \" where the text ends"},
        {"a: b: c\n", "a.yaml:1:5: a ':' where no value can begin; quote the text if it contains ': '"},
        {"a:\n\t- x\n", "a.yaml:2:2: a tab in the indentation; use spaces"},
        {"a:\n  - x\n b: 1\n", "a.yaml:3:2: the indentation does not fit the lines above"},
        {"a: \x01\n", "a.yaml:1:4: a control character; in double quotes write it as \\xNN"},
        {"a: \xFF\n", "a.yaml:1:4: bytes that are not UTF-8; save it as UTF-8"},
        {"é: x\x7f\n", "a.yaml:1:5: a control character; in double quotes write it as \\xNN"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(yaml(c.text) == c.says);
    }
}

TEST_CASE("all duplicate keys of a file are reported, wherever they are")
{
    CHECK(yaml("a: 1\na: 2\nb: {c: 1, c: 2}\n") == "a.yaml:2:1: \"a\" is already there at 1:1; remove one of them\n"
                                                   "a.yaml:3:11: \"c\" is already there at 3:5; remove one of them");
    CHECK(json_file("{\"a\": 1,\n \"a\": 2,\n \"b\": {\"\\u0063\": 1, \"c\": 2}}") ==
          "a.json:2:2: \"a\" is already there at 1:2; remove one of them\n"
          "a.json:3:21: \"c\" is already there at 3:8; remove one of them");
}

TEST_CASE("every value and name has its place, in characters")
{
    struct {
        const char* file;
        const char* text;
    } const cases[] = {
        {"a.yaml", "name: é\nagents:\n  - name: x\n    tools: [é, search]\n  - {name: y, 'a.b[0]': {c: 1}}\n"},
        {"a.json", "{\"name\": \"é\",\n\"agents\": [\n    {\"name\": \"x\",\n  \"tools\": [\"é\", \"search\"]},\n"
                   "  {\"name\": \"y\", \"a.b[0]\": {\"c\": 1}}]}"},
    };
    Findings findings;
    const auto yaml_file = load(cases[0].file, cases[0].text, findings);
    const auto json_text = load(cases[1].file, cases[1].text, findings);
    REQUIRE(findings.text() == "");
    CHECK(yaml_file->value == json_text->value);
    CHECK(yaml_file->key_at({"name"}) == Position{1, 1});
    CHECK(yaml_file->value_at({"name"}) == Position{1, 7});
    CHECK(yaml_file->value_at({"agents", 0ul, "tools", 1ul}) == Position{4, 16});
    CHECK(yaml_file->value_at({"agents", 1ul, "a.b[0]", "c"}) == Position{5, 29});
    CHECK(yaml_file->key_at({"agents", 1ul, "NAME"}) == Position{5, 6});
    CHECK(yaml_file->value_at({"agents", 1ul, "missing"}) == Position{5, 5});
    CHECK(yaml_file->value_at({"agents", 7ul}) == Position{3, 3});
    CHECK(json_text->value_at({"agents", 0ul, "tools", 1ul}) == Position{4, 18});
    CHECK(json_text->key_at({"agents", 1ul, "a.b[0]", "c"}) == Position{5, 28});
}

TEST_CASE("a value that was left out is where its name is")
{
    Findings findings;
    const auto document = load("a.yaml", "a:\n\nb:\n  c:\n", findings);
    CHECK(document->value_at({"a"}) == Position{1, 1});
    CHECK(document->value_at({"b", "c"}) == Position{4, 3});
}

TEST_CASE("hostile YAML ends in a sentence, soon and in little memory")
{
    std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        laughs += fmt::format("a{0}: &a{0} [", i);
        for (int j = 0; j < 10; ++j) laughs += fmt::format("*a{}, ", i - 1);
        laughs += "]\n";
    }
    CHECK(yaml(laughs).find("more than 100000 values and keys, aliases included") != std::string::npos);

    std::string fat = "a: &a \"" + std::string(900'000, 'x') + "\"\nb: [";
    for (int i = 0; i < 20; ++i) fat += "*a, ";
    CHECK(yaml(fat + "]\n").find("aliases add more than 8388608 bytes") != std::string::npos);

    for (const char* bracket : {"[", "{", "- ", "? ", "'", "\"", "&a ", "!", "*", "#", ": ", "{a: "}) {
        CAPTURE(bracket);
        std::string many = "a: \n ";
        for (int i = 0; i < 100'001; ++i) many += bracket;
        CHECK(yaml(many).size() < 200);
    }
    CHECK(yaml(std::string(64, '[') + std::string(64, ']')).starts_with("[["));
    CHECK(yaml(std::string(65, '[') + std::string(65, ']')) == "a.yaml:1:65: nested more than 64 deep");
    CHECK(yaml("a: &a " + std::string(40, '[') + std::string(40, ']') + "\nb: " + std::string(40, '[') + "*a" +
               std::string(40, ']')) == "a.yaml:2:44: nested more than 64 deep");

    std::string anchors;
    for (int i = 0; i < 60; ++i) anchors += fmt::format("&a{} [", i);
    for (int i = 0; i < 3000; ++i) anchors += "x, ";
    CHECK(yaml(anchors + std::string(60, ']')).find("more than 100000 values") != std::string::npos);

    CHECK(yaml(std::string((1 << 20) + 1, '#')) == "a.yaml:1:1: has 1048577 bytes; the limit is 1048576: split it");
    std::string keys;
    for (int i = 0; i < 60'000; ++i) keys += fmt::format("k{}: 1\n", i);
    CHECK(yaml(keys).find("more than 100000 values") != std::string::npos);
    std::string same;
    for (int i = 0; i < 5'000; ++i) same += "k: 1\n";
    CHECK(yaml(same).ends_with("and 4799 more"));
}
