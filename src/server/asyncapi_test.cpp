#include "server/asyncapi.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace cadre;
using namespace cadre::server;

namespace {

void collect_references(const json::value& value, std::set<std::string>& references)
{
    if (const auto* array = value.if_array())
        for (const json::value& item : *array) collect_references(item, references);
    if (const auto* object = value.if_object())
        for (const auto& member : *object) {
            if (member.key() == "$ref") references.insert(std::string(member.value().as_string()));
            collect_references(member.value(), references);
        }
}

/// Boost's at_pointer() finds nothing in objects of many members.
bool leads_somewhere(const json::value& value, std::string_view path)
{
    const std::string_view name = path.substr(0, path.find('/'));
    const auto* object = value.if_object();
    const json::value* found = object ? object->if_contains(name) : nullptr;
    if (!found || name.size() == path.size()) return found != nullptr;
    return leads_somewhere(*found, path.substr(name.size() + 1));
}

}  // namespace

TEST_CASE("asyncapi: every reference leads somewhere")
{
    const json::value document = asyncapi_document({.version = "1"});
    std::set<std::string> references;
    collect_references(document, references);
    CHECK(references.size() > 50);
    for (const std::string& reference : references) {
        CAPTURE(reference);
        REQUIRE(reference.starts_with("#/"));
        CHECK(leads_somewhere(document, std::string_view(reference).substr(2)));
    }
}

TEST_CASE("asyncapi: each stream tells what its filter lets through")
{
    const json::value document = asyncapi_document({.version = "1", .host = "example.com", .is_secure = true});
    const auto messages = [&](const std::string& channel) {
        return document.at_pointer("/channels/" + channel + "/messages").as_object();
    };
    CHECK(messages("content").size() == 1);
    CHECK(messages("content").contains("content_chunk"));
    CHECK(messages("events").size() == 30);
    CHECK(messages("stream").size() == 31);
    CHECK(messages("hitl").size() == 2);
    CHECK(messages("guardrails").contains("event_guardrail_violation"));
    CHECK(!messages("guardrails").contains("event_task_start"));
    CHECK(document.at_pointer("/channels/memory/address") == "/tasks/{task_id}/memory");
    CHECK(document.at_pointer("/servers/websocket/protocol") == "wss");
    CHECK(document.at_pointer("/operations/receive_console/action") == "receive");
}
