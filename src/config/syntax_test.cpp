// What is said of text that is neither JSON nor YAML: what is wrong, where it began and what to do.
#include "config/document.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre::config;

namespace {

std::string said_of(std::string_view text, std::string file)
{
    Findings findings;
    load(std::move(file), text, findings);
    return findings.text();
}

struct Case {
    const char* text;
    const char* says;
};

}  // namespace

TEST_CASE("a JSON file that is none is told what is wrong, where it began and what to do")
{
    const Case cases[] = {
        {"{\"a\": 1,\n  \"b\": }", "2:8: the value of \"b\" is missing; write one after its ':'"},
        {"{\"a\": 1", "1:1: the '{' that begins here is not closed; write '}' where it ends"},
        {"{\"a\": [1, 2,\n \"b\": 3}", "2:5: a ':' in a list; names and their values stand in { }: the '[' is at 1:7"},
        {"{\"a\": [1, 2\n}", "2:1: a '}' where the '[' of 1:7 is still open; write ']' before it"},
        {"{\"a\": {\"b\": [1", "1:13: the '[' that begins here is not closed; write ']' where it ends"},
        {"{\n  \"a\": 1,\n}", "2:9: a ',' with nothing after it; remove it"},
        {"[1, 2,]", "1:6: a ',' with nothing after it; remove it"},
        {"[1,, 2]", "1:4: a ',' too many; remove it"},
        {"{\"a\": 1\n \"b\": 2}", "2:2: a ',' is missing before this"},
        {"[\"a\" \"b\"]", "1:6: a ',' is missing before this"},
        {"{\"a\" 1}", "1:6: a ':' is missing between the name \"a\" and its value"},
        {"{a: 1}", "1:2: a name must stand in double quotes: \"a\""},
        {"{'a': 1}", "1:2: a name must stand in double quotes: \"a\""},
        {"{\"a\": 'b'}", "1:7: text must stand in double quotes, not in single ones"},
        {"{\"a\": hello}", "1:7: \"hello\" is no JSON; text must stand in double quotes"},
        {"{\"a\": True}", "1:7: True is not a word of JSON; write true, or quote it if it is text"},
        {"{\"a\": .5}", "1:7: \".5\" is not a number as JSON writes them: like 0.5 or 12"},
        {"{\"a\": 01}", "1:7: \"01\" is not a number as JSON writes them: like 0.5 or 12"},
        {"{\"a\": \"x,\n \"b\": 1}",
         "1:7: the quote that begins here is not closed on its line; close it, or write \\n for a line break"},
        {"{\"a\": \"x\ty\"}", "1:9: a tab inside of a text; write it as \\t"},
        {"// mine\n{}", "1:1: JSON has no comments; remove this one, or make the file a .yaml"},
        {"{} {}", "1:4: text after the end of the JSON; remove it"},
        {"{}]", "1:3: text after the end of the JSON; remove it"},
        {"", "1:1: the JSON text is empty"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(said_of(c.text, "a.json") == std::string("a.json:") + c.says);
    }
    CHECK(said_of("\xEF\xBB\xBF{\"a\": 1}", "a.json") == "");
}

TEST_CASE("what the parser knows better is left to it")
{
    CHECK(said_of(R"({"a": "\ud800", "b": })", "a.json").find("lone surrogate") != std::string::npos);
    CHECK(said_of(std::string(70, '['), "a.json").find("nested more than 64 deep") != std::string::npos);
}

TEST_CASE("a bracket or quote of YAML that is not closed is found where it begins, however late the parser notices")
{
    const std::string bracket = " that begins here is not closed; write ']' where it ends, and a ',' between its items";
    const Case brackets[] = {
        {"a: [1, 2\n", "1:4"},
        {"a: 1\ntools: [x, y\nagents:\n  - name: z\n", "2:8"},
        {"tools: [x, y\nname: z\nrole: 1\n", "1:8"},
        {"a: [[1, 2]\nb: 1\n", "1:4"},
        {"a: &x [1, 2\nb: 1\n", "1:7"},
    };
    for (const auto& c : brackets) {
        CAPTURE(c.text);
        CHECK(said_of(c.text, "a.yaml") == std::string("a.yaml:") + c.says + ": the '['" + bracket);
    }
    for (const char* text : {"a: {b: [1, 2], c: 1\nd: 2\n", "a: {\n", "a: {b: 1,\n", "a: {b\n"}) {
        CAPTURE(text);
        CHECK(said_of(text, "a.yaml").starts_with("a.yaml:1:4: the '{' that begins here is not closed; write '}'"));
    }

    const std::string quote = " that begins here is not closed; write \" where the text ends";
    const Case quotes[] = {
        {"a: \"x\n", "1:4"},
        {"a: it's\nb: \"x\nc: 1\n", "2:4"},
        {"a: 'y'\nb:\n  - \"z\"\n  - \"x\n  - w\n", "4:5"},
        {"a: say \"hi\nb: \"x # y\n", "2:4"},
    };
    for (const auto& c : quotes) {
        CAPTURE(c.text);
        CHECK(said_of(c.text, "a.yaml") == std::string("a.yaml:") + c.says + ": the quote" + quote);
    }
    CHECK(said_of("a: 'x\nb: 1\n", "a.yaml") ==
          "a.yaml:1:4: the quote that begins here is not closed; write ' where the text ends");
}

TEST_CASE("a quote that ends lines too late is told of, not the line that it ends on")
{
    CHECK(said_of("role: \"Decides\nprompt: \"You decide\"\n", "a.yaml") ==
          "a.yaml:1:7: the quote that begins here ends only lines below; close it where the text ends");
    CHECK(said_of("text: \"two\n  lines\"\nb: c: d\n", "a.yaml") ==
          "a.yaml:3:5: a ':' where no value can begin; quote the text if it contains ': '");
}

TEST_CASE("a comma that is missing in a list is told of where it is missing")
{
    CHECK(said_of("a: [\"x\" \"y\"]\n", "a.yaml") ==
          "a.yaml:1:9: a ',' is missing before this, or the ']' of the '[' that is open here");
}

TEST_CASE("a reference that needs quotes is told so")
{
    const std::string says = ": inside of [ ] and { } a reference must stand in quotes: \"${NAME}\"";
    CHECK(said_of("a: [x, ${X}]\n", "a.yaml") == "a.yaml:1:8" + says);
    CHECK(said_of("a: {b: ${X}, c: 1}\n", "a.yaml") == "a.yaml:1:8" + says);
    CHECK(said_of("a: [\"${X}\"]\nb: ${X}\n", "a.yaml") == "");
}
