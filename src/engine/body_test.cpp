#include "engine/body.hpp"

#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;

namespace {

storage::Record with(std::string body)
{
    return {.seq = 7, .body = std::move(body)};
}

}  // namespace

TEST_CASE("a record's body: members are read by type, whatever lies beside them")
{
    const auto record = with(R"({"text":"a \"quoted\" \\","plain":"x,y}","n":-12,"half":1.5,"yes":true,"no":null,)"
                             R"("deep":{"list":[1,{"text":"}"}],"s":"\\\""},"empty":"","last":[]})");
    const Body body(record);
    CHECK(body.text("text") == R"(a "quoted" \)");
    CHECK(body.text("plain") == "x,y}");
    CHECK(body.text("empty").empty());
    CHECK(body.number("n") == -12);
    CHECK(body.decimal("half") == 1.5);
    CHECK(body.flag("yes"));
    CHECK(body.has("no"));
    CHECK(body.find("no")->is_null());
    CHECK(body.find("deep")->at("list").at(1).at("text") == "}");
    CHECK(body.find("deep")->at("s") == R"(\")");
    CHECK(body.find("last")->as_array().empty());
    CHECK(body.object().size() == 9);
}

TEST_CASE("a record's body: what is not there, or of another type, is empty")
{
    const auto record = with(R"({"text":5,"n":"5","half":1.5})");
    const Body body(record);
    CHECK(body.text("text").empty());
    CHECK(body.number("n") == 0);
    CHECK(body.number("half") == 0);
    CHECK_FALSE(body.flag("text"));
    CHECK_FALSE(body.has("list"));
    CHECK(body.find("list") == nullptr);
    CHECK(Body(with("{}")).object().empty());
}

TEST_CASE("a record's body: other people's spelling of JSON is read too")
{
    const auto record = with("{ \"a\\u0062\" : 1,\n \"text\":\"x\" }");
    const Body body(record);
    CHECK(body.number("ab") == 1);
    CHECK(body.text("text") == "x");
}

TEST_CASE("a record's body: what cannot be read names the record")
{
    for (const char* text :
         {"", "[]", "{", R"({"a":1)", R"({"a":1}})", R"({"a":})", R"({"a")", R"({"a":"x})", R"({"a":1,})", "null"}) {
        CAPTURE(text);
        const auto record = with(text);
        const Body body(record);
        for (int i = 0; i < 2; ++i) CHECK(test::error_of([&] { body.has("a"); }) == doctest::Contains("record 7"));
    }
    const auto record = with(R"({"a":{"b":x}})");
    CHECK(test::error_of([&] { Body(record).find("a"); }) == doctest::Contains("record 7"));
}
