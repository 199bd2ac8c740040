// For tests: a server on loopback over a home of its own, and a client of it.
#pragma once

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/run.hpp"
#include "home/home_owner.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"
#include "server/server.hpp"
#include "storage/temporary_folder.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

namespace cadre::test {

/// An answer, read to its end.
struct Reply {
    int status = 0;
    net::HttpHeaders headers{};
    std::string body{};

    json::object object() const { return parse_json(body).as_object(); }
    std::string text(std::string_view member) const
    {
        const json::value all = parse_json(body);
        const json::value* found = all.as_object().if_contains(member);
        return found && found->is_string() ? std::string(found->as_string()) : std::string();
    }
    std::string header(std::string_view name) const
    {
        return std::string(net::find_header(headers, name).value_or(""));
    }
};

/// Nothing is refused for coming too often.
inline config::ServerSettings unhurried(config::ServerSettings settings = {})
{
    for (const char* name : {"read", "write", "create", "stream", "heavy", "admin", "sign_in"})
        settings.rates[name] = {.requests = 1'000'000, .seconds = 1};
    return settings;
}

struct Asked {
    std::string method = "GET";
    std::string path{};
    std::string token{};
    std::string body{};
    net::HttpHeaders headers{};
};

/// Keeps what it is told.
struct KeptLog final : LogSink {
    void write(Level, std::string_view line) override { text += line; }
    std::string text;
};

/// A home with a model that asks a person, and the server on it.
class AccessWorld {
public:
    explicit AccessWorld(config::ServerSettings settings = {}, std::map<std::string, std::string> environment = {})
        : settings_(std::move(settings)), environment_(std::move(environment)), client(loop)
    {
        settings_.listen = {"127.0.0.1:0"};
        write_project();
        open();
    }
    AccessWorld(const AccessWorld&) = delete;
    AccessWorld& operator=(const AccessWorld&) = delete;
    ~AccessWorld() { close(); }

    void open()
    {
        auto lock = storage::HomeLock::try_acquire(home());
        REQUIRE(lock);
        const home::RuntimeOptions options{
            .place = {.folder = folder.path() / "project",
                      .environment = [this](const std::string& name) -> std::optional<std::string> {
                          const auto found = environment_.find(name);
                          if (found == environment_.end()) return std::nullopt;
                          return found->second;
                      }},
            .home = home()};
        owner = std::make_unique<home::HomeOwner>(loop, options, std::move(*lock), [](const std::exception_ptr&) {});
        server = std::make_unique<server::Server>(loop, *owner, settings_, admin_key, Log(log, Level::info), "1.0");
        wait(owner->drive_all_by_itself());
        server->open();
    }
    /// A team whose model does what a task is about: "approve me" wants a consent, "ask me" an answer; everything else is done at once.
    void write_project() const
    {
        const auto project = folder.path() / "project";
        std::filesystem::create_directories(project / "teams");
        std::ofstream(project / "script.json") << R"([{"when":{"after_tool":true},"text":"Done.","times":"any"},
                  {"when":{"contains":"approve me"},"times":"any",
                   "tool_calls":[{"name":"calculator","arguments":{"expression":"2+3"}}]},
                  {"when":{"contains":"ask me"},"times":"any",
                   "tool_calls":[{"name":"ask_human","arguments":{"question":"Which?"}}]},
                  {"text":"Done.","times":"any"}])";
        std::ofstream(project / "cadre.yaml")
            << "version: 1.0.0\nteam: desk\nmodel: script:" << (project / "script.json").string() << "\n";
        std::ofstream(project / "teams" / "desk.json")
            << R"({"name":"desk","description":"Works.","version":"1.0.0","default_llm":{},"tools":[],
                  "permissions":{"ask":["calculator"]},
                  "agents":[{"name":"worker","role":"Works.","prompt":"You work.","tools":["calculator","ask_human"]}]})";
    }
    void close()
    {
        wait(server->drain());
        server.reset();
        wait(owner->leave());
        owner.reset();
    }
    void restart()
    {
        close();
        open();
    }

    template <class T>
    T wait(Async<T> work)
    {
        return run(loop, std::move(work));
    }
    std::filesystem::path home() const { return folder.path() / "home"; }
    std::string admin() const { return std::string(admin_key.text().reveal()); }

    Reply ask(Asked asked) { return wait(send(std::move(asked))); }
    Reply get(std::string path, std::string token) { return ask({.path = std::move(path), .token = std::move(token)}); }
    Reply post(std::string path, std::string token, std::string body = {}, net::HttpHeaders headers = {})
    {
        return ask({"POST", std::move(path), std::move(token), std::move(body), std::move(headers)});
    }
    Async<Reply> send(Asked asked)
    {
        net::HttpRequest request{.method = std::move(asked.method),
                                 .url = server->urls().front() + asked.path,
                                 .headers = std::move(asked.headers),
                                 .body = std::move(asked.body)};
        if (!asked.token.empty()) request.headers.push_back({"Authorization", "Bearer " + asked.token});
        if (!request.body.empty()) request.headers.push_back({"Content-Type", "application/json"});
        const auto reply = co_await client.send(std::move(request));
        Reply out{.status = reply->status(), .headers = reply->headers()};
        out.body = co_await net::read_all(*reply);
        co_return out;
    }

    /// The text of a new key.
    std::string key(const std::string& subject, const std::string& role, const std::string& tenant = "local")
    {
        const Reply made =
            post("/keys", admin(),
                 R"({"subject":")" + subject + R"(","roles":[")" + role + R"("],"tenant":")" + tenant + "\"}");
        REQUIRE(made.status == 201);
        return made.text("key");
    }

    /// A new task, at rest.
    std::string task(const std::string& token, const std::string& about)
    {
        const Reply made = post("/tasks", token, R"({"description":")" + about + R"(","start":true})");
        REQUIRE(made.status == 201);
        const std::string id = made.text("id");
        const Reply rest = ask({.path = "/tasks/" + id, .token = token, .headers = {{"Prefer", "wait=30"}}});
        REQUIRE(rest.status == 200);
        return id;
    }
    /// The open question of a task.
    std::string question(const std::string& task)
    {
        const auto open = get("/tasks/" + task + "/hitl/requests", admin()).object();
        const json::array& requests = open.at("requests").as_array();
        REQUIRE(requests.size() == 1);
        return std::string(requests.front().at("request_id").as_string());
    }

private:
    config::ServerSettings settings_;
    std::map<std::string, std::string> environment_;

public:
    storage::TemporaryFolder folder;
    net::Loop loop;
    std::shared_ptr<KeptLog> log = std::make_shared<KeptLog>();
    server::ApiKey admin_key = server::new_api_key(system_random());
    net::HttpClient client;
    std::unique_ptr<home::HomeOwner> owner;
    std::unique_ptr<server::Server> server;
};

}  // namespace cadre::test
