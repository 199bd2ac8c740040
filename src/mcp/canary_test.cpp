// Secrets of ours that a server repeats.
#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/secret.hpp"
#include "mcp/content.hpp"
#include "mcp/json_rpc.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::mcp;

TEST_CASE("attack 14: a secret that a server repeats is masked in whatever it says")
{
    constexpr const char* kToken = "tok-5f0c2a9b7d31e846";
    const Secret secret{std::string(kToken)};
    const std::string picture = "\x89PNG" + std::string(kToken) + "tail";
    const json::value slots[] = {
        {{"tools", {{{"name", kToken}, {"description", kToken}, {"inputSchema", {{kToken, {{"enum", {kToken}}}}}}}}}},
        {{"content", {{{"type", "text"}, {"text", kToken}}}}, {"structuredContent", {{"deep", {{{"x", kToken}}}}}}},
        {{"content", {{{"type", "image"}, {"data", to_base64(picture)}, {"mimeType", "image/png"}}}}},
        {{"message", kToken}, {"requestedSchema", {{"properties", {{kToken, {{"title", kToken}}}}}}}},
        {{"contents", {{{"uri", kToken}, {"text", kToken}, {"blob", to_base64(picture)}}}}},
    };
    for (const json::value& slot : slots) {
        for (const json::object& message :
             {json::object{{"jsonrpc", "2.0"}, {"id", 1}, {"result", slot}},
              json::object{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "elicitation/create"}, {"params", slot}},
              json::object{{"jsonrpc", "2.0"}, {"method", "notifications/message"}, {"params", slot}},
              json::object{
                  {"jsonrpc", "2.0"}, {"id", 1}, {"error", {{"code", 1}, {"message", kToken}, {"data", slot}}}}}) {
            for (Message& read : read_messages(cadre::to_text(json::value(message)))) {
                const std::string text = to_text(std::move(read));
                CHECK_MESSAGE(text.find(kToken) == std::string::npos, text);
                CHECK_MESSAGE(text.find(to_base64(picture).substr(8, 20)) == std::string::npos, text);
                CHECK(text.find("[redacted]") != std::string::npos);
            }
        }
    }
}

TEST_CASE("a secret in two content blocks of one result is shown in neither")
{
    const Secret secret{std::string("tok-5f0c2a9b7d31e846")};
    const tools::Result result = to_result(json::object{
        {"content",
         {{{"type", "text"}, {"text", "it is tok-5f0c2a"}}, {{"type", "text"}, {"text", "9b7d31e846, yes"}}}}});
    CHECK(result.text == "it is [redacted]\n[redacted], yes");
}
