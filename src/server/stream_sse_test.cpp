// Streams as server-sent events, over real sockets: nothing is lost and nothing comes twice, wherever a client is cut off.
#include "base/json.hpp"
#include "support/served_home.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <map>

using namespace cadre;
using namespace cadre::server;
using namespace cadre::server::testing;
using namespace std::chrono_literals;

namespace {

constexpr const char* kTwoSteps = "- {text: 'one two three', chunks: 3}\n";

/// What a client that puts things together has: texts by step, and events by their JSON.
struct Told {
    std::map<std::string, std::string> texts{};
    std::vector<std::string> events{};
    std::vector<std::string> finals{};
    std::string end{};
    std::string last_id{};

    void take(const std::vector<Heard>& heard)
    {
        for (const Heard& one : heard) {
            last_id = one.id;
            if (one.type == "end") end = one.data;
            if (one.type != "message") continue;
            const json::value value = parse_json(one.data);
            if (value.at("type") != "content_chunk") {
                events.push_back(one.data);
                continue;
            }
            std::string& text = texts[std::string(value.at("step_id").as_string())];
            text += value.at("text").as_string();
            if (value.at("is_final").as_bool()) finals.push_back(text);
        }
    }
};

Told told_of(std::string_view stream)
{
    Told told;
    told.take(heard_in(stream));
    return told;
}

std::string path_of(const Id& task, std::string_view kind, std::string_view query = "")
{
    return "/tasks/" + to_string(task) + "/" + std::string(kind) + std::string(query);
}

}  // namespace

TEST_CASE("events: a task that has ended is told from its beginning: each step as one chunk before its end, then how "
          "it ended")
{
    ServedHome at;
    const Id task = at.finished(kTwoSteps);
    const std::string answer = at.get(path_of(task, "stream"), "Accept: text/event-stream\r\n");
    CHECK(status_of(answer) == 200);
    CHECK(answer.find("Cache-Control: no-cache, no-transform\r\n") != answer.npos);
    CHECK(body_of(answer).starts_with("retry: 1000\nid: 0\n\n"));
    const auto heard = heard_in(body_of(answer));
    std::vector<std::string> types;
    for (const Heard& one : heard)
        types.push_back(one.type == "message" ? std::string(parse_json(one.data).at("type").as_string()) : one.type);
    CHECK(types == std::vector<std::string>{"event_task_start", "event_agent_start", "content_chunk",
                                            "event_agent_complete", "event_task_complete", "end"});
    const json::value chunk = parse_json(heard[2].data);
    CHECK(chunk.at("text") == "one two three");
    CHECK(chunk.at("is_final") == true);
    CHECK(chunk.at("agent_name") == "a");
    const std::string step(chunk.at("step_id").as_string());
    CHECK(heard[1].id == "2");
    CHECK(heard[2].id == "2/" + step + "/end");
    CHECK(heard[3].id == "3");
    CHECK(heard[5].data == R"({"status":"completed","last":4})");
    CHECK(parse_json(heard[3].data).at("step_id").as_string() == step);
}

TEST_CASE("events: wherever a stream is cut, its last id brings the rest of it")
{
    ServedHome at;
    const Id task = at.finished("- text: 'one Ωμέγα three'\n");
    const std::string whole = body_of(at.get(path_of(task, "stream")));
    const Told all = told_of(whole);
    CHECK(all.texts.begin()->second == "one Ωμέγα three");
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
        CAPTURE(cut);
        net::SseDecoder decoder;
        Told told;
        const std::string beginning = whole.substr(0, cut);
        decoder.feed(beginning);
        std::vector<Heard> heard;
        while (const auto event = decoder.next())
            heard.push_back({std::string(event->type), std::string(event->data), std::string(event->id)});
        told.take(heard);
        std::string header;
        if (!told.last_id.empty()) header = "Last-Event-ID: " + told.last_id + "\r\n";
        const std::string answer = at.get(path_of(task, "stream"), header);
        if (status_of(answer) == 204) {
            CHECK(told.last_id == "4");
        } else {
            told.take(heard_in(body_of(answer)));
            CHECK(told.end == all.end);
        }
        CHECK(told.texts == all.texts);
        CHECK(told.events == all.events);
    }
}

TEST_CASE("events: what a model writes comes while it writes, and a cut inside a sentence goes unnoticed")
{
    ServedHome at;
    const Id task = at.begin("- {text: 'one two three four', chunks: 18, pace_ms: 50}\n");
    Told told;
    std::string id;
    {
        Client client(at.loop);
        const std::string answer = at.wait(at.talk_to(client, at.request(path_of(task, "stream")), "content_chunk"));
        const auto heard = heard_in(body_of(answer));
        REQUIRE(!heard.empty());
        id = heard.back().id;
        told.take(heard);
        CHECK(id.find('/') != id.npos);
        CHECK(told.finals.empty());
    }
    told.take(heard_in(body_of(at.get(path_of(task, "stream"), "Last-Event-ID: " + id + "\r\n"))));
    CHECK(told.finals == std::vector<std::string>{"one two three four"});
    const Told whole = told_of(body_of(at.get(path_of(task, "stream"))));
    CHECK(told.events == whole.events);
    CHECK(told.texts == whole.texts);
    CHECK(told.end == whole.end);
}

TEST_CASE("events: each path tells its own, and who has seen all gets 204")
{
    ServedHome at;
    const Id task = at.finished("- text: one\n");
    struct {
        const char* kind;
        std::size_t events;
        std::size_t texts;
    } const cases[] = {{"stream", 4, 1},     {"content", 0, 1},   {"events", 4, 0}, {"memory", 0, 0},
                       {"guardrails", 0, 0}, {"artifacts", 0, 0}, {"hitl", 0, 0}};
    for (const auto& c : cases) {
        CAPTURE(c.kind);
        const Told told = told_of(body_of(at.get(path_of(task, c.kind), "Accept: text/event-stream\r\n")));
        CHECK(told.events.size() == c.events);
        CHECK(told.texts.size() == c.texts);
        CHECK(told.end == R"({"status":"completed","last":4})");
        CHECK(told.last_id == "4");
        const std::string seen = "Accept: text/event-stream\r\nLast-Event-ID: 4\r\n";
        CHECK(status_of(at.get(path_of(task, c.kind), seen)) == 204);
    }
    CHECK(status_of(at.get(path_of(task, "stream", "?since=now"))) == 204);
    CHECK(told_of(body_of(at.get(path_of(task, "stream", "?since=2")))).events.size() == 2);
    CHECK(told_of(body_of(at.get(path_of(task, "stream", "?after=3")))).events.size() == 1);
}

TEST_CASE("events: a place that is not one, or is not there yet, is refused with what to do")
{
    ServedHome at;
    const Id task = at.finished("- text: one\n");
    const std::string bad = at.get(path_of(task, "stream", "?since=soon"));
    CHECK(status_of(bad) == 400);
    CHECK(bad.find("bad_since") != bad.npos);
    const std::string ahead = at.get(path_of(task, "stream"), "Last-Event-ID: 5\r\n");
    CHECK(status_of(ahead) == 416);
    CHECK(ahead.find(R"("last":4)") != ahead.npos);
    CHECK(status_of(at.get(path_of(new_id(), "stream"))) == 404);
    CHECK(status_of(at.get(path_of(task, "stream", "?colour=red"))) == 422);
}

// case 16 of the server
TEST_CASE("events: a silent stream shows that it lives, and says how far it has come")
{
    ServedHome at({.beat = 5ms});
    const Id task = at.begin("- {text: late, delay_ms: 60000}\n");
    Client client(at.loop);
    const std::string answer = at.wait(at.talk_to(client, at.request(path_of(task, "hitl")), "id: 2\n\n:"));
    CHECK(body_of(answer).starts_with("retry: 1000\nid: 0\n\n"));
    CHECK(body_of(answer).find("id: 2\n\n") != std::string::npos);  // nothing that it tells, and two events were passed
    CHECK(heard_in(body_of(answer)).empty());
}

TEST_CASE("events: a server that leaves says so, and when to come back")
{
    ServedHome at;
    const Id task = at.begin("- {text: late, delay_ms: 60000}\n");
    Client client(at.loop);
    at.wait(at.talk_to(client, at.request(path_of(task, "events"), "Accept: text/event-stream\r\n"), "agent_start"));
    at.service.draining = true;
    at.service.drained.notify();
    const std::string answer = at.wait(client.read_until(""));
    net::SseDecoder decoder;
    const std::string body = body_of(answer);
    decoder.feed(body);
    while (decoder.next()) {}
    CHECK(heard_in(body).back().type == "drain");
    CHECK(heard_in(body).back().id == "2");
    REQUIRE(decoder.retry());
    CHECK(*decoder.retry() >= 500ms);
    CHECK(*decoder.retry() < 2000ms);
}

TEST_CASE("events: a page for those who ask again, which waits for what comes")
{
    ServedHome at;
    const Id task = at.begin("- {text: one, delay_ms: 100}\n");
    const auto page = [&](const std::string& query) {
        const std::string answer = at.get(path_of(task, "events", query));
        REQUIRE(status_of(answer) == 200);
        return parse_json(body_of(answer));
    };
    const json::value first = page("?limit=1&wait=10");
    CHECK(first.at_pointer("/events/0/seq") == 1);
    CHECK(first.at_pointer("/events/0/event/type") == "event_task_start");
    CHECK(first.at("last") == 1);
    CHECK(first.at("ended") == false);
    std::int64_t last = 1;
    for (bool ended = false; !ended;) {
        const json::value next = page("?wait=10&after=" + std::to_string(last));
        CHECK(!next.at("events").as_array().empty());
        for (const json::value& line : next.at("events").as_array()) CHECK(line.at("seq").as_int64() == ++last);
        CHECK(next.at("last").as_int64() == last);
        ended = next.at("ended").as_bool();
    }
    CHECK(last == 4);
    CHECK(page("?after=4&wait=60").at("ended") == true);  // and does not wait for what never comes
}

TEST_CASE("events: there are only so many streams of a user, a tenant and a server, and the refusal says which")
{
    const auto refusal = [](StreamLimits limits) {
        ServedHome at(limits);
        const Id task = at.begin("- {text: late, delay_ms: 60000}\n");
        Client client(at.loop);
        at.wait(at.talk_to(client, at.request(path_of(task, "stream")), "retry"));
        const std::string second = at.get(path_of(task, "stream"));
        CHECK(status_of(second) == 429);
        return std::string(parse_json(body_of(second)).at("reason").as_string());
    };
    CHECK(refusal({.of_user = 1}) == "streams_of_user");
    CHECK(refusal({.of_tenant = 1}) == "streams_of_tenant");
    CHECK(refusal({.all = 1}) == "streams_of_server");
    ServedHome at({.of_user = 1});
    const Id task = at.finished("- text: one\n");
    for (int i = 0; i < 3; ++i) CHECK(status_of(at.get(path_of(task, "stream"))) == 200);  // who goes makes room
}

TEST_CASE("events: a client that never reads is cut off, and what it was owed is kept nowhere")
{
    ServedHome at({}, {}, {.patience = {.write = 100ms}});
    const Id task = at.finished("- text: one\n", std::string(8'000'000, 'x'));
    Client client(at.loop);
    client.socket.open(test::tcp::v4());
    client.socket.set_option(test::asio::socket_base::receive_buffer_size(4096));
    at.wait([](ServedHome& home, Client& one, std::string text) -> Async<> {
        co_await one.connect(home.door->port());
        co_await one.send(std::move(text));
        while (home.service.streams->open() == 0) co_await sleep_for(1ms);  // sleeps: between two looks
        while (home.service.streams->open() > 0) co_await sleep_for(1ms);   // sleeps: between two looks
    }(at, client, at.request(path_of(task, "stream"))));
    CHECK(at.service.streams->feed().tasks() == 0);
    CHECK(at.service.streams->feed().bytes() == 0);
}
