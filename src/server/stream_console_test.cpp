#include "support/socket_client.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace cadre;
using namespace cadre::server;
using namespace cadre::server::testing;
using namespace std::chrono_literals;

namespace {

std::string watch(int id, const Id& task, const std::string& more = "")
{
    return R"({"op":"watch","id":)" + std::to_string(id) + R"(,"task":")" + to_string(task) + "\"" + more + "}";
}

}  // namespace

TEST_CASE("console: one socket tells of several tasks, each under its id")
{
    ServedHome at;
    const Id first = at.finished("- text: one\n"), second = at.finished("- text: two\n");
    SocketClient socket(at);
    CHECK(status_of(socket.open("/stream")) == 101);
    socket.send(watch(1, first));
    socket.send(watch(2, second, R"(,"streams":["content","hitl"])"));
    std::map<std::int64_t, std::string> texts;
    std::map<std::int64_t, int> events;
    for (int ended = 0; ended < 2;) {
        const json::value value = socket.next_json();
        const std::int64_t id = value.at("id").as_int64();
        const json::object& object = value.as_object();
        if (object.contains("chunk")) texts[id] += value.at("chunk").at("text").as_string();
        if (object.contains("event")) ++events[id];
        if (!object.contains("end")) continue;
        CHECK(value.at("end").at("status") == "completed");
        CHECK(value.at("end").at("last") == 4);
        ++ended;
    }
    CHECK(texts == std::map<std::int64_t, std::string>{{1, "one"}, {2, "two"}});
    CHECK(events == std::map<std::int64_t, int>{{1, 4}});
    socket.send(watch(1, first, R"(,"after":"3")"));  // the id is free again
    CHECK(socket.next_json().at("seq") == 4);
}

TEST_CASE("console: what is wrong is said under its id, and the socket bears it")
{
    ServedHome at;
    const Id task = at.begin("- {text: late, delay_ms: 60000}\n");
    SocketClient socket(at);
    socket.open("/stream");
    struct {
        std::string request;
        const char* code;
        const char* says;
    } const cases[] = {
        {"nonsense", "malformed", ""},
        {R"({"op":"watch","id":7,"task":"x"})", "not_found", "no task"},
        {watch(7, new_id()), "not_found", "no task"},
        {watch(7, task, R"(,"streams":["gossip"])"), "invalid", "gossip"},
        {watch(7, task, R"(,"after":"x")"), "malformed", "not a place"},
        {watch(7, task, R"(,"colour":"red")"), "invalid", "colour"},
        {R"({"op":"dance","id":7})", "invalid", "op"},
        {R"({"op":"unwatch","id":7})", "not_found", "nothing is watched"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.request);
        socket.send(c.request);
        const json::value value = socket.next_json();
        if (value.as_object().contains("id")) CHECK(value.at("id") == 7);
        CHECK(value.at("error").at("code") == c.code);
        CHECK(std::string(value.at("error").at("detail").as_string()).c_str() == doctest::Contains(c.says));
    }
    socket.send(watch(1, task, R"(,"streams":["hitl"])"));
    socket.send(watch(1, task));
    CHECK(socket.next_json().at("error").at("code") == "conflict");
    socket.send(R"({"op":"unwatch","id":1})");
    CHECK(socket.next_json().at("unwatched") == true);
}

TEST_CASE("console: only so much is watched over one socket")
{
    ServedHome at;
    const Id task = at.begin("- {text: late, delay_ms: 60000}\n");
    SocketClient socket(at);
    socket.open("/stream");
    for (int id = 1; id <= 257; ++id) socket.send(watch(id, task, R"(,"streams":["hitl"])"));
    const json::value value = socket.next_json();
    CHECK(value.at("id") == 257);
    CHECK(value.at("error").at("code") == "limit");
}
