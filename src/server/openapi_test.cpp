#include "server/openapi.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "model/task.hpp"
#include "model/team.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace cadre;
using namespace cadre::server;

namespace {

constexpr Fault kFaults[] = {{409, "already_answered", "Somebody was faster."},
                             {409, "call_changed", "Look again."},
                             {422, "no_fit", "Not one of the choices."}};

std::vector<Route> documented()
{
    const model::Entity& team = describe(static_cast<const model::Team*>(nullptr));
    const model::Entity& task = describe(static_cast<const model::Task*>(nullptr));
    return {
        {.path = "/health", .name = "health", .doc = "How it is.", .act = std::nullopt, .rate = RateClass::exempt},
        {.method = Method::post,
         .path = "/teams/{team_id}/{path*}",
         .name = "make_team",
         .doc = "Makes a team.",
         .request = &team,
         .response = &task,
         .success = 201,
         .faults = kFaults},
        {.path = "/tasks", .name = "list_tasks", .doc = "Lists.", .query = &task, .form = Form::stream},
    };
}

void collect(const json::value& value, std::set<std::string>& references)
{
    if (const auto* array = value.if_array())
        for (const json::value& item : *array) collect(item, references);
    if (const auto* object = value.if_object())
        for (const auto& member : *object) {
            if (member.key() == "$ref") references.insert(std::string(member.value().as_string()));
            collect(member.value(), references);
        }
}

}  // namespace

TEST_CASE("openapi: every reference leads to a schema, and each schema is there once")
{
    const auto routes = documented();
    const json::value document = openapi_document(routes, {.version = "1.2.3"});
    std::set<std::string> references;
    collect(document, references);
    CHECK(references.contains("#/components/schemas/team"));
    CHECK(references.contains("#/components/schemas/agent"));  // a part of it
    for (const std::string& reference : references) {
        CAPTURE(reference);
        constexpr std::string_view place = "#/components/schemas/";
        REQUIRE(reference.starts_with(place));
        CHECK(document.at("components").at("schemas").as_object().contains(reference.substr(place.size())));
    }
    CHECK(to_text(document).find("$defs") == std::string::npos);
}

TEST_CASE("openapi: a route says its parameters, its body, and how it can fail")
{
    const auto routes = documented();
    const json::value document = openapi_document(routes, {.version = "1.2.3"});
    const json::value& make = document.at_pointer("/paths/~1teams~1{team_id}~1{path}/post");
    CHECK(make.at("operationId") == "make_team");
    CHECK(make.at_pointer("/parameters/0/name") == "team_id");
    CHECK(make.at_pointer("/parameters/1/name") == "path");
    CHECK(make.at_pointer("/requestBody/content/application~1json/schema/$ref") == "#/components/schemas/team");
    CHECK(make.at_pointer("/responses/201/content/application~1json/schema/$ref") == "#/components/schemas/task");
    CHECK(make.at_pointer("/responses/409/description") ==
          "`already_answered`: Somebody was faster. `call_changed`: Look again.");
    CHECK(make.at_pointer("/responses/422/description").as_string().ends_with("`no_fit`: Not one of the choices."));
    for (const char* status : {"400", "401", "403", "404", "413", "415", "429", "500", "503"})
        CHECK(make.at("responses").as_object().contains(status));
    const json::object& health = document.at_pointer("/paths/~1health/get").as_object();
    CHECK(health.at("security").as_array().empty());
    for (const char* status : {"401", "403", "404", "413", "415", "422", "429"})
        CHECK(!health.at("responses").as_object().contains(status));
    const json::value& list = document.at_pointer("/paths/~1tasks/get");
    CHECK(list.at_pointer("/parameters/0/in") == "query");
    CHECK(list.at_pointer("/responses/200/content").as_object().contains("text/event-stream"));
}
