// What a task remembers: how much, what of it fits a query, and summing it up.
#include "base/async.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "server/call.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/stream_task.hpp"

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;

/// What is to be found.
struct MemoryQuery {
    std::string query{};
    int limit = 10;
    std::optional<double> threshold{};
    std::vector<model::MemoryType> types{};
};

const Entity& describe(const MemoryQuery*)
{
    static const Entity entity{
        .name = "memory_query",
        .doc = "Finds what a task may read of the memory, by words and meaning.",
        .fields = {field("query", &MemoryQuery::query, "What is to be found.",
                         {.required = true, .min_length = 1, .max_length = 2000}),
                   field("limit", &MemoryQuery::limit, "Items at most.", {.min = 1, .max = 100}),
                   field("threshold", &MemoryQuery::threshold, "Items that fit less are left out; null: 0.25.",
                         {.min = 0, .max = 1}),
                   field("types", &MemoryQuery::types, "Only these; none: all.", {.max_length = 4})},
        .home = {Home::Kind::message}};
    return entity;
}

struct Consolidate {
    std::string topic{};
};

const Entity& describe(const Consolidate*)
{
    static const Entity entity{.name = "consolidate",
                               .doc = "Sums up what happened.",
                               .fields = {field("topic", &Consolidate::topic,
                                                "What about; empty: whatever belongs together.", {.max_length = 2000})},
                               .home = {Home::Kind::message}};
    return entity;
}

Async<home::MemorySummary> summary(Call& call)
{
    home::SummarizeMemory request{.task = call.task()};
    co_return co_await call.service().home.perform(call.by(), std::move(request));
}

Async<home::FoundMemories> search(Call& call, MemoryQuery body)
{
    home::SearchMemory request{.task = call.task(),
                               .query = std::move(body.query),
                               .limit = body.limit,
                               .threshold = body.threshold,
                               .types = std::move(body.types)};
    co_return co_await call.service().home.perform(call.by(), std::move(request));
}

Async<home::ConsolidatedMemory> consolidate(Call& call, Consolidate body)
{
    home::ConsolidateMemory request{.task = call.task(), .topic = std::move(body.topic)};
    co_return co_await call.service().home.perform(call.by(), std::move(request));
}

}  // namespace

std::vector<Route> memory_routes()
{
    using engine::Act;
    return {
        with_stream(typed({.path = "/tasks/{task_id}/memory",
                           .name = "memory_summary",
                           .doc = "How much a task may read of the memory.",
                           .requirements = "API-13, API-36"},
                          summary),
                    "memory"),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/memory/search",
               .name = "search_memory",
               .doc = "What a task may read of the memory and fits a query, the best first.",
               .act = Act::read,
               .rate = RateClass::heavy,
               .requirements = "API-14"},
              search),
        typed({.method = Method::post,
               .path = "/tasks/{task_id}/memory/consolidate",
               .name = "consolidate_memory",
               .doc = "Sums up what happened, and says so in the task's journal.",
               .act = Act::work,
               .rate = RateClass::heavy,
               .requirements = "API-15"},
              consolidate),
    };
}

}  // namespace cadre::server
