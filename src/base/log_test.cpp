#include "base/log.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <fcntl.h>
#include <limits>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace cadre;

namespace {

class FixedClock : public Clock {
public:
    Time now() const override { return time_from_iso("2025-01-15T10:30:05.250Z"); }
    Instant instant() const override { return {}; }
};

struct Lines : LogSink {
    void write(Level, std::string_view line) override { text += line; }
    std::string text;
};

struct Fixture {
    FixedClock clock;
    std::shared_ptr<Lines> lines = std::make_shared<Lines>();
    Log log{lines, Level::info, clock};

    json::value line() const { return parse_json(lines->text); }
};

/// A pipe whose ends close with it.
struct Pipe {
    Pipe() { REQUIRE(pipe2(ends, O_CLOEXEC) == 0); }
    ~Pipe()
    {
        close_reader();
        ::close(ends[1]);
    }
    void close_reader()
    {
        if (ends[0] >= 0) ::close(ends[0]);
        ends[0] = -1;
    }
    int ends[2];
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a line is one JSON object: time, level, message, ids, fields")
{
    const Log task_log = log.with("request", "r1").with("task", "t1");
    task_log.warning("disk \"almost\" full", {{"free", 5},
                                              {"port", std::uint16_t{8080}},
                                              {"most", std::numeric_limits<std::uint64_t>::max()},
                                              {"ratio", 0.5},
                                              {"ok", false},
                                              {"disk", std::string("a\nb")}});
    CHECK(lines->text == R"({"time":"2025-01-15T10:30:05.250Z","level":"warning","message":"disk \"almost\" full",)"
                         R"("request":"r1","task":"t1","free":5,"port":8080,"most":18446744073709551615,"ratio":0.5,)"
                         R"("ok":false,"disk":"a\nb"})"
                         "\n");
}

TEST_CASE_FIXTURE(Fixture, "lines below the level are not written")
{
    log.debug("hidden");
    CHECK(lines->text.empty());
    log.info("shown");
    CHECK(line().at("message") == "shown");

    lines->text.clear();
    Log(lines, Level::off, clock).error("hidden");
    CHECK(lines->text.empty());
}

TEST_CASE("levels are found by their names")
{
    for (const auto level : {Level::debug, Level::info, Level::warning, Level::error, Level::off})
        CHECK(find_level(name_of(level)) == level);
    CHECK(!find_level("loud"));
}

TEST_CASE_FIXTURE(Fixture, "secrets show in no part of a line")
{
    log.with("url", "http://a:canary1@b")
        .info("password=canary2",
              {{"api_key", "canary3"}, {"token", 12345}, {"note", "Bearer canary4canary4"}, {"max_tokens", 100}});
    CHECK(lines->text.find("canary") == std::string::npos);
    CHECK(line().at("token") == "[redacted]");
    CHECK(line().at("max_tokens") == 100);
}

TEST_CASE_FIXTURE(Fixture, "names that mean secrets hide texts, and numbers that count nothing")
{
    log.info("x", {{"api_keys", "canary"}, {"tokens", "canary"}, {"used_tokens", 123456}, {"secrets", 3}});
    CHECK(lines->text.find("canary") == std::string::npos);
    CHECK(line().at("used_tokens") == 123456);
    CHECK(line().at("secrets") == 3);
}

TEST_CASE_FIXTURE(Fixture, "no line says a name twice: the last id counts, a field makes way")
{
    log.with("task", "1")
        .with("run", "r")
        .with("task", "2")
        .with("time", "t")
        .info("m", {{"task", "3"}, {"task", 4}, {"message", "5"}, {"level", "6"}, {"truncated", true}, {"time", 7}});
    CHECK(lines->text == R"({"time":"2025-01-15T10:30:05.250Z","level":"info","message":"m","task":"2","run":"r",)"
                         R"("time_":"t","task_":"3","task__":4,"message_":"5","level_":"6","truncated_":true,)"
                         R"("time__":7})"
                         "\n");
}

TEST_CASE_FIXTURE(Fixture, "names are redacted, escaped and cut")
{
    const std::string key = "sk-proj-canaryCANARY0123456789", longest(1000, '"');
    log.with(key, "id").info("m", {{key, 1}, {"a\"b\n", 2}, {longest, 3}});
    CHECK(lines->text.find("canary") == std::string::npos);
    CHECK(line().at("[redacted]") == "id");
    CHECK(line().at("[redacted]_") == 1);
    CHECK(line().at("a\"b\n") == 2);
    CHECK(line().at(longest.substr(0, 64)) == 3);
}

TEST_CASE_FIXTURE(Fixture, "no number of ids makes a line too long")
{
    Log many = log;
    for (int i = 0; i < 200; ++i) many = many.with("id" + std::to_string(i), std::string(200, 'x'));
    many.info("m", {{"text", std::string(100, 'y')}});
    CHECK(lines->text.size() <= 16 * 1024);
    CHECK(line().at("id0").as_string().size() == 200);
    CHECK(line().at("truncated") == true);
}

TEST_CASE_FIXTURE(Fixture, "a line is cut at 16 KiB, says so, and stays JSON with its ids")
{
    const std::string plain(100'000, 'x'), escaped(100'000, '\x01'), wide = [] {
        std::string text;
        for (int i = 0; i < 30'000; ++i) text += "\u20AC";
        return text;
    }();
    for (const std::string* text : {&plain, &escaped, &wide}) {
        for (const bool in_message : {true, false}) {
            lines->text.clear();
            log.with("task", "t1").info(in_message ? *text : "short", {{"first", 1}, {"text", *text}, {"last", *text}});
            CHECK(lines->text.size() <= 16 * 1024);
            CHECK(lines->text.size() > 12 * 1024);
            CHECK(lines->text.find("\uFFFD") == std::string::npos);
            CHECK(line().at("truncated") == true);
            CHECK(line().at("task") == "t1");
            CHECK(line().at("first") == 1);
        }
    }
    lines->text.clear();
    log.with("task", plain).info("short");
    CHECK(line().at("task").as_string().size() < 300);
}

TEST_CASE("a descriptor gets whole lines, from any number of threads")
{
    Pipe pipe;
    const Log log(descriptor_sink(pipe.ends[1]), Level::info);
    std::thread other([&] {
        for (int i = 0; i < 100; ++i) log.info("other");
    });
    for (int i = 0; i < 100; ++i) log.info("this");
    other.join();

    std::string text(65'536, '\0');
    text.resize(static_cast<std::size_t>(::read(pipe.ends[0], text.data(), text.size())));
    int count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) {
        const auto end = text.find('\n', at);
        REQUIRE(end != std::string::npos);
        CHECK(parse_json(text.substr(at, end - at)).at("level") == "info");
        at = end + 1;
    }
    CHECK(count == 200);
}

TEST_CASE("a line that cannot be written is lost, and the program goes on")
{
    Pipe pipe;
    pipe.close_reader();
    const Log log(descriptor_sink(pipe.ends[1]), Level::info);
    CHECK_NOTHROW(log.info("not read"));
    CHECK_NOTHROW(Log(descriptor_sink(-1), Level::info).info("not written"));
}
