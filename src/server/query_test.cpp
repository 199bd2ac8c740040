#include "server/query.hpp"

#include "base/json.hpp"
#include "model/describe.hpp"
#include "net/http_request_parser.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::server;

namespace {

struct Wanted {
    std::string word{};
    std::optional<int> limit{};
    double share = 0;
    bool all = false;
    std::vector<std::string> status{};
};

const model::Entity& describe(const Wanted*)
{
    using model::field;
    static const model::Entity entity{
        .name = "wanted",
        .doc = "For tests.",
        .fields = {field("word", &Wanted::word, "A word."), field("limit", &Wanted::limit, "A number."),
                   field("share", &Wanted::share, "A part."), field("all", &Wanted::all, "A flag."),
                   field("status", &Wanted::status, "A list.")}};
    return entity;
}

std::string read(std::string_view query)
{
    try {
        return to_text(query_object(query, describe(static_cast<const Wanted*>(nullptr))));
    } catch (const net::HttpRefusal& refusal) {
        return std::to_string(refusal.status());
    }
}

}  // namespace

TEST_CASE("query: a value is what its field is")
{
    CHECK(read("") == "{}");
    CHECK(read("word=7&limit=7&share=0.5") == R"({"word":"7","limit":7,"share":0.5})");
    CHECK(read("all") == R"({"all":true})");
    CHECK(read("all=false&") == R"({"all":false})");
    CHECK(read("status=a&status=b") == R"({"status":["a","b"]})");
    CHECK(read("limit=x&all=maybe") == R"({"limit":"x","all":"maybe"})");
    CHECK(read("unknown=1") == R"({"unknown":"1"})");
}

TEST_CASE("query: escapes")
{
    CHECK(read("word=a+b%20c%26d") == R"({"word":"a b c&d"})");
    CHECK(read("word=%E6%9D%B1") == "{\"word\":\"東\"}");
    CHECK(read("word=%zz") == "400");
    CHECK(read("word=%4") == "400");
    CHECK(read("word=%ff") == "400");
    CHECK(read("word=a&word=b") == "400");
}
