// For tests: an MCP server from a script, in virtual time.
#pragma once

#include "base/async.hpp"
#include "base/channel.hpp"
#include "base/json.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"
#include "mcp/client.hpp"
#include "mcp/test_has.hpp"

#include <boost/json.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace cadre::mcp::test {

struct Silent final : LogSink {
    void write(Level, std::string_view line) override { text += line; }
    std::string text;
};

inline Log quiet()
{
    return Log(std::make_shared<Silent>(), Level::off);
}

/// What lies behind a ScriptedTransport; outlives it, so that tests can look.
struct World {
    std::vector<Request> requests{};
    std::vector<Notification> notifications{};
    std::vector<Response> responses{};
    std::vector<net::HttpHeaders> headers{};  // of the requests
    std::map<std::string, std::function<void(World&, const Request&)>> methods{};
    std::function<void(World&, const Response&)> on_response{};
    Channel<Incoming> inbox{100'000};
    std::set<std::int64_t> abandoned{};
    bool unsent = false;  // what abandon() answers
    bool http = false;
    bool origin = false;
    bool closed = false;
    std::string end = "ended with exit code 1";
    std::optional<Era> era{};

    void push(std::string_view text, std::optional<std::int64_t> during = {})
    {
        for (Message& message : read_messages(text)) inbox.try_send(Arrived{std::move(message), during});
    }
    void result(const Request& request, json::object result)
    {
        inbox.try_send(Arrived{Response{.id = request.id, .outcome = std::move(result)}, {}});
    }
    void error(const Request& request, std::int64_t code, json::value data = nullptr)
    {
        RpcError error{.code = code, .message = "no"};
        if (!data.is_null()) error.data = std::move(data);
        inbox.try_send(Arrived{Response{.id = request.id, .outcome = std::move(error)}, {}});
    }
    int count(std::string_view method) const
    {
        int found = 0;
        for (const Request& request : requests) found += request.method == method;
        return found;
    }
    const Request& last(std::string_view method) const
    {
        for (auto request = requests.rbegin(); request != requests.rend(); ++request)
            if (request->method == method) return *request;
        throw Error(Code::not_found, "no such request");
    }
};

class ScriptedTransport final : public Transport {
public:
    explicit ScriptedTransport(std::shared_ptr<World> world) : world_(std::move(world)) {}

    void send(Outgoing message) override
    {
        World& world = *world_;
        if (auto* request = std::get_if<Request>(&message.message)) {
            world.requests.push_back(*request);
            world.headers.push_back(message.headers);
            const auto known = world.methods.find(request->method);
            if (known != world.methods.end()) known->second(world, *request);
        } else if (auto* notification = std::get_if<Notification>(&message.message)) {
            world.notifications.push_back(*notification);
        } else {
            world.responses.push_back(std::get<Response>(message.message));
            if (world.on_response) world.on_response(world, world.responses.back());
        }
    }
    bool abandon(std::int64_t id) noexcept override
    {
        world_->abandoned.insert(id);
        return world_->unsent;
    }
    Async<std::optional<Incoming>> receive() override { co_return co_await world_->inbox.receive(); }
    std::string end() const override { return world_->end; }
    Async<> close() override
    {
        world_->closed = true;
        co_return;
    }
    void established(Era era, const std::string&) override { world_->era = era; }
    bool is_http() const override { return world_->http; }
    bool tells_origin() const override { return world_->origin; }

private:
    std::shared_ptr<World> world_;
};

inline json::object object(std::string_view text)
{
    return parse_json(text).as_object();
}

inline std::shared_ptr<World> legacy_world(std::string_view capabilities = R"({"tools":{}})",
                                           std::string version = "2025-11-25")
{
    auto world = std::make_shared<World>();
    world->methods["server/discover"] = [](World& w, const Request& r) { w.error(r, kMethodNotFound); };
    world->methods["initialize"] = [offered = object(capabilities), version](World& w, const Request& r) {
        w.result(r, {{"protocolVersion", version},
                     {"capabilities", offered},
                     {"serverInfo", {{"name", "s"}, {"version", "1"}}}});
    };
    return world;
}

inline std::shared_ptr<World> modern_world(std::string_view capabilities = R"({"tools":{}})")
{
    auto world = std::make_shared<World>();
    world->methods["server/discover"] = [offered = object(capabilities)](World& w, const Request& r) {
        w.result(r, {{"resultType", "complete"},
                     {"supportedVersions", {kModernVersion}},
                     {"capabilities", offered},
                     {"ttlMs", 0},
                     {"cacheScope", "private"},
                     {"_meta", {{kMetaServer, {{"name", "s"}, {"version", "1"}}}}}});
    };
    return world;
}

/// A client on a loop of virtual time.
struct Bench {
    explicit Bench(std::shared_ptr<World> w, ClientOptions options = {}) : world(std::move(w))
    {
        options.server = "s";
        client =
            std::make_unique<Client>(loop, std::make_unique<ScriptedTransport>(world), std::move(options), quiet());
    }
    Bench& open()
    {
        run(loop, client->open());
        return *this;
    }
    /// `result`, or `code: text`, with `!` when it surely was not sent.
    template <class T>
    std::string outcome(Async<T> work)
    {
        try {
            return cadre::to_text(json::value(run(loop, std::move(work))));
        } catch (const tools::NotDispatched& error) {
            return std::string(name_of(error.code())) + "!: " + error.what();
        } catch (const Error& error) {
            return std::string(name_of(error.code())) + ": " + error.what();
        }
    }
    Millis passed() { return std::chrono::floor<Millis>(loop.now() - Instant{}); }

    SimLoop loop;
    std::shared_ptr<World> world;
    std::unique_ptr<Client> client;
};

struct Person final : Handlers {
    Async<json::object> sample(json::object params) override
    {
        asked.push_back(std::move(params));
        co_await sleep_for(thinks);
        co_return json::object{{"role", "assistant"}, {"content", {{"type", "text"}, {"text", "42"}}}, {"model", "m"}};
    }
    Async<json::object> elicit(json::object params) override
    {
        asked.push_back(std::move(params));
        co_await sleep_for(thinks);
        co_return json::object{{"action", "accept"}, {"content", {{"colour", "blue"}}}};
    }
    Millis thinks{0};
    std::vector<json::object> asked;
};

}  // namespace cadre::mcp::test
