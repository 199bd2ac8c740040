// Streams as WebSockets, over real sockets.
#include "base/base64.hpp"
#include "base/hex.hpp"
#include "model/write.hpp"
#include "support/socket_client.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::server;
using namespace cadre::server::testing;
using namespace std::chrono_literals;

namespace {

std::string stream_path(const Id& task, std::string_view rest = "stream")
{
    return "/tasks/" + to_string(task) + "/" + std::string(rest);
}

}  // namespace

TEST_CASE("sockets: objects come bare, in their order, and the end is said")
{
    ServedHome at;
    const Id task = at.finished("- text: one two\n");
    SocketClient socket(at);
    const std::string head = socket.open(stream_path(task), "Sec-WebSocket-Protocol: other, cadre.v1\r\n");
    CHECK(status_of(head) == 101);
    CHECK(head.find("Sec-WebSocket-Protocol: cadre.v1\r\n") != head.npos);
    for (const char* type :
         {"event_task_start", "event_agent_start", "content_chunk", "event_agent_complete", "event_task_complete"}) {
        const json::value value = socket.next_json();
        CHECK(value.at("type") == type);
        if (value.at("type") == "content_chunk") CHECK(value.at("text") == "one two");
    }
    CHECK(!socket.next());
    CHECK(socket.close_code == 1000);
    CHECK(socket.close_reason == "ended");
}

TEST_CASE("sockets: with since or envelope each thing has its number, and brings a client back")
{
    ServedHome at;
    const Id task = at.finished("- text: one two\n");
    SocketClient socket(at);
    socket.open(stream_path(task, "stream?since=1"));
    const json::value start = socket.next_json();
    CHECK(start.at("seq") == 2);
    CHECK(start.at("event").at("type") == "event_agent_start");
    const json::value piece = socket.next_json();
    CHECK(piece.at("after") == 2);
    CHECK(piece.at("offset") == 0);
    const std::string step(piece.at("chunk").at("step_id").as_string());
    CHECK(piece.at("chunk").at("text") == "one two");

    SocketClient again(at);
    again.open(stream_path(task, "content?since=2&step=" + step + "&offset=4"));
    const json::value rest = again.next_json();
    CHECK(rest.at("offset") == 4);
    CHECK(rest.at("chunk").at("text") == "two");
    CHECK(!again.next());
    SocketClient all(at);
    all.open(stream_path(task, "events?envelope=1"));
    CHECK(all.next_json().at("seq") == 1);
}

TEST_CASE("sockets: what a model writes comes as it writes it, and a question does not end the stream")
{
    ServedHome at;
    const Id task = at.begin("- {text: 'abcdef', chunks: 6, pace_ms: 30}\n");
    SocketClient socket(at);
    socket.open(stream_path(task, "content"));
    int pieces = 0;
    std::string text;
    while (const auto message = socket.next()) {
        const json::value chunk = parse_json(*message);
        text += chunk.at("text").as_string();
        ++pieces;
    }
    CHECK(text == "abcdef");
    CHECK(pieces > 3);
    CHECK(socket.close_code == 1000);
}

TEST_CASE("sockets: who sends something is told that nobody listens")
{
    ServedHome at;
    const Id task = at.begin("- {text: late, delay_ms: 60000}\n");
    SocketClient socket(at);
    socket.open(stream_path(task, "hitl"));
    socket.send("hello");
    CHECK(!socket.next());
    CHECK(socket.close_code == 1003);
}

TEST_CASE("sockets: a server that leaves says so")
{
    ServedHome at;
    const Id task = at.begin("- {text: late, delay_ms: 60000}\n");
    SocketClient socket(at), console(at);
    socket.open(stream_path(task, "hitl"));
    console.open("/stream");
    at.service.draining = true;
    at.service.drained.notify();
    CHECK(!socket.next());
    CHECK(socket.close_code == 1001);
    CHECK(!console.next());
    CHECK(console.close_code == 1001);
}

// case 19 of the server
TEST_CASE("sockets: a token that is not good any more ends the stream")
{
    SeededRandom random(3);
    const ApiKey admin = new_api_key(random);
    ServedHome at({.check = 20ms}, admin);
    const Id task = at.begin("- {text: late, delay_ms: 60000}\n");
    const ApiKey key = new_api_key(random);
    StoredKey stored{.id = key.id, .hash = to_hex(key.hash()), .subject = "eve", .roles = {"viewer"}};
    at.wait(at.owner->runtime().store().put(
        {.kind = std::string(kKeyDocument), .key = key.id, .text = model::to_json_text(stored)}));
    SocketClient socket(at);
    const std::string bearer = to_base64url(key.text().reveal());
    CHECK(status_of(socket.open(stream_path(task, "hitl"),
                                "Sec-WebSocket-Protocol: cadre.v1, bearer." + bearer + "\r\n")) == 101);
    at.wait(at.owner->runtime().store().remove(std::string(kKeyDocument), key.id));
    at.sign_in.forget(key.id);
    CHECK(!socket.next());
    CHECK(socket.close_code == 4401);
}

TEST_CASE("sockets: credentials come by header, subprotocol or ticket, once, and never in the URL")
{
    SeededRandom random(3);
    const ApiKey admin = new_api_key(random);
    ServedHome at({}, admin);
    const Id task = at.finished("- text: one\n");
    const std::string token(admin.text().reveal());
    const std::string header = "Authorization: Bearer " + token + "\r\n";
    const std::string bearer = "Sec-WebSocket-Protocol: cadre.v1, bearer." + to_base64url(token) + "\r\n";
    const auto status = [&](const std::string& path, const std::string& headers) {
        SocketClient socket(at);
        return status_of(socket.open(path, headers));
    };
    const std::string path = stream_path(task);
    CHECK(status(path, "") == 401);
    CHECK(status(path, header) == 101);
    CHECK(status(path, bearer) == 101);
    CHECK(status(path, header + bearer) == 400);
    CHECK(status(path, "Sec-WebSocket-Protocol: cadre.v1, bearer.!!\r\n") == 400);
    const std::string in_url = at.get(path + "?token=" + token, "Accept: text/event-stream\r\n");
    CHECK(status_of(in_url) == 400);
    CHECK(in_url.find("token_in_url") != in_url.npos);
    CHECK(in_url.find(token) == in_url.npos);
    CHECK(status(path + "?x=" + token, "") == 400);

    const auto ticket = [&](const std::string& of) {
        const std::string answer = at.talk(at.request("/tickets", header, "POST", R"({"path":")" + of + R"("})"));
        REQUIRE(status_of(answer) == 201);
        return std::string(parse_json(body_of(answer)).at("ticket").as_string());
    };
    const std::string one = ticket(path);
    CHECK(status(path, "Sec-WebSocket-Protocol: cadre.v1, ticket." + one + "\r\n") == 101);
    CHECK(status(path, "Sec-WebSocket-Protocol: cadre.v1, ticket." + one + "\r\n") == 401);
    CHECK(status_of(at.get(path + "?ticket=" + ticket(path), "Accept: text/event-stream\r\n")) == 200);
    CHECK(status(stream_path(task, "events"), "Sec-WebSocket-Protocol: ticket." + ticket(path) + "\r\n") == 401);
    CHECK(status_of(at.talk(at.request("/tickets", header, "POST", R"({"path":"/a?b"})"))) == 422);
}

TEST_CASE("sockets: a handshake that is wrong, a task that is not there, and a place beyond the end are refused before "
          "the upgrade")
{
    ServedHome at;
    const Id task = at.finished("- text: one\n");
    const auto status = [&](const std::string& path) {
        SocketClient socket(at);
        return status_of(socket.open(path));
    };
    CHECK(status(stream_path(task, "stream?since=x")) == 400);
    CHECK(status(stream_path(task, "stream?since=99")) == 416);
    CHECK(status(stream_path(new_id())) == 404);
    CHECK(status_of(at.get("/stream")) == 426);
    CHECK(status_of(at.talk(
              "GET " + stream_path(task) + " HTTP/1.1\r\nHost: localhost:" + std::to_string(at.door->port()) +
              "\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\n\r\n")) == 426);
}

TEST_CASE("sockets: a client that answers no ping is cut off")
{
    ServedHome at({.ping = 10ms});
    const Id task = at.begin("- {text: late, delay_ms: 60000}\n");
    SocketClient socket(at);
    socket.answers_pings = false;
    socket.open(stream_path(task, "hitl"));
    CHECK_THROWS_AS(socket.next(), Error);
    CHECK(socket.pings == 2);
    at.wait([](ServedHome& home) -> Async<> {
        while (home.service.streams->open() > 0) co_await sleep_for(1ms);  // sleeps: between two looks
    }(at));
}
