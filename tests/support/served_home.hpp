// A server of a temporary home on the loopback, with models that follow a script, and clients that speak bytes: what tests of routes
// and streams share.
#pragma once

#include "base/random.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "home/home_owner.hpp"
#include "net/http_server.hpp"
#include "net/sse.hpp"
#include "server/audit.hpp"
#include "server/dispatcher.hpp"
#include "server/rate.hpp"
#include "server/repeats.hpp"
#include "server/route_table.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/sign_in.hpp"
#include "server/streams.hpp"
#include "storage/temporary_folder.hpp"
#include "support/http_world.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cadre::server::testing {

using test::body_of;
using test::Client;
using test::status_of;

/// What came as server-sent events.
struct Heard {
    std::string type{};
    std::string data{};
    std::string id{};
};

inline std::vector<Heard> heard_in(std::string_view stream)
{
    net::SseDecoder decoder;
    decoder.feed(stream);
    std::vector<Heard> all;
    while (const auto event = decoder.next())
        all.push_back({std::string(event->type), std::string(event->data), std::string(event->id)});
    return all;
}

/// Tests ask more often than anybody may.
inline std::vector<Route> without_rates(std::vector<Route> routes)
{
    for (Route& route : routes) route.rate = RateClass::exempt;
    return routes;
}

struct ServedHome {
    explicit ServedHome(StreamLimits limits = {}, std::optional<ApiKey> admin = {}, net::HttpServerOptions options = {})
        : owner(open()),
          rates(system_random()),
          audit(folder.path() / "home" / "audit", loop.clock()),
          repeats(owner->runtime().store(), loop.clock()),
          sign_in(owner->runtime().store(), std::move(admin), loop.clock()),
          service{.loop = loop,
                  .home = *owner,
                  .settings = settings,
                  .sign_in = sign_in,
                  .rates = rates,
                  .audit = audit,
                  .repeats = repeats,
                  .metrics = metrics,
                  .log = Log(descriptor_sink(2), Level::off),
                  .version = "1",
                  .secret = "secret"},
          routes(without_rates(all_routes())),
          dispatcher(service, routes)
    {
        service.routes = &routes;
        service.streams = std::make_shared<Streams>(service, limits);
        door = std::make_unique<net::HttpServer>(loop, dispatcher, std::move(options));
        dispatcher.set_gate(Gate({door->url()}, {}));
        wait(owner->drive_all_by_itself());
    }
    ~ServedHome()
    {
        door.reset();
        service.streams.reset();
        for (const Id& task : begun) wait(owner->runtime().host().park_at_once(task));
        wait(owner->leave());
    }

    std::unique_ptr<home::HomeOwner> open()
    {
        auto lock = storage::HomeLock::try_acquire(folder.path() / "home");
        REQUIRE(lock);
        const home::RuntimeOptions runtime{
            .place = {.folder = folder.path(), .environment = [](const std::string&) { return std::nullopt; }},
            .home = folder.path() / "home"};
        return std::make_unique<home::HomeOwner>(loop, runtime, std::move(*lock), [](const std::exception_ptr&) {});
    }

    template <class T>
    T wait(Async<T> work)
    {
        return cadre::run(loop, with_timeout(std::move(work), test::kLimit, "the test"));
    }

    /// A task whose model follows that script; it runs at once.
    Id begin(const std::string& script, std::string description = "hi")
    {
        const auto file = folder.path() / ("script" + std::to_string(++scripts) + ".yaml");
        std::ofstream(file) << script;
        home::Create wanted{
            .task = {.team = {.name = "t", .description = "d", .agents = {{.name = "a", .role = "r", .prompt = "p"}}},
                     .description = std::move(description),
                     .model = "script:" + file.string()}};
        begun.push_back(wait(owner->perform(by, std::move(wanted))).task);
        return begun.back();
    }
    Id finished(const std::string& script, std::string description = "hi")
    {
        const Id task = begin(script, std::move(description));
        wait(owner->runtime().host().until_resting(task));
        return task;
    }

    std::string request(std::string_view path, std::string_view headers = "", std::string_view method = "GET",
                        std::string_view body = "") const
    {
        // HTTP/1.0: an answer without chunks, and the end of the connection is its end
        std::string text(method);
        text += " " + std::string(path) + " HTTP/1.0\r\nHost: 127.0.0.1:" + std::to_string(door->port()) + "\r\n";
        if (!body.empty())
            text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
        return text + std::string(headers) + "\r\n" + std::string(body);
    }
    /// All that comes back until `words` or the end.
    std::string talk(std::string text, std::string words = {})
    {
        Client client(loop);
        return wait(talk_to(client, std::move(text), std::move(words)));
    }
    Async<std::string> talk_to(Client& client, std::string text, std::string words = {})
    {
        co_await client.connect(door->port());
        co_await client.send(std::move(text));
        co_return co_await client.read_until(std::move(words));
    }
    std::string get(std::string_view path, std::string_view headers = "") { return talk(request(path, headers)); }

    storage::TemporaryFolder folder;
    net::Loop loop;
    std::unique_ptr<home::HomeOwner> owner;
    config::ServerSettings settings{};
    Metrics metrics;
    RateBuckets rates;
    Audit audit;
    Repeats repeats;
    SignIn sign_in;
    Service service;
    RouteTable routes;
    Dispatcher dispatcher;
    std::unique_ptr<net::HttpServer> door;
    engine::Principal by = engine::local_user("local");
    std::vector<Id> begun;
    int scripts = 0;
};

}  // namespace cadre::server::testing
