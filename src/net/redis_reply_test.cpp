#include "net/redis_reply.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre;
using net::RedisReader;
using net::RedisReply;
using Kind = RedisReply::Kind;

TEST_CASE("redis: a command is an array of byte strings, whatever is in them")
{
    const std::vector<std::string> words{"SET", "task:1\r\nFLUSHALL", std::string("a\0b", 3), ""};
    std::string expected = "*4\r\n$3\r\nSET\r\n$16\r\ntask:1\r\nFLUSHALL\r\n$3\r\na";
    expected += '\0';
    CHECK(net::redis_command_text(words) == expected + "b\r\n$0\r\n\r\n");
}

TEST_CASE("redis: replies of every kind are read, however they were cut on their way")
{
    const std::string bytes =
        "+OK\r\n-NOPERM no\r\n:-7\r\n$-1\r\n$3\r\na\r\n\r\n*3\r\n:1\r\n*1\r\n$1\r\nx\r\n$-1\r\n*0\r\n";
    const RedisReply inner{.kind = Kind::list, .list = {{.kind = Kind::text, .text = "x"}}};
    const std::vector<RedisReply> expected = {
        {.kind = Kind::status, .text = "OK"},
        {.kind = Kind::error, .text = "NOPERM no"},
        {.kind = Kind::number, .number = -7},
        {},
        {.kind = Kind::text, .text = "a\r\n"},
        {.kind = Kind::list, .list = {{.kind = Kind::number, .number = 1}, inner, {}}},
        {.kind = Kind::list},
    };
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        CAPTURE(piece);
        RedisReader reader;
        std::vector<RedisReply> read;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            reader.feed(std::string_view(bytes).substr(at, piece));
            while (auto reply = reader.next()) read.push_back(std::move(*reply));
        }
        CHECK(read == expected);
    }
}

TEST_CASE("redis: what is not the protocol, too deep or too large ends the conversation")
{
    const std::string deep = "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n";
    struct {
        const char* name;
        std::string bytes;
    } const cases[] = {
        {"HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n"},
        {"no number", ":seven\r\n"},
        {"a list of a billion", "*1000000000\r\n"},
        {"a list of less than nothing", "*-5\r\n"},
        {"too deep", deep},
        {"too large", "$20000000\r\n" + std::string(17 << 20, 'x')},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        RedisReader reader;
        reader.feed(c.bytes);
        CHECK_THROWS_AS(reader.next(), Error);
    }
}

TEST_CASE("redis: a refusal has a word and never stands for itself alone")
{
    const net::RedisRefusal refusal("WRONGPASS invalid username-password pair");
    CHECK(refusal.word() == "WRONGPASS");
    CHECK(refusal.what() == doctest::Contains("invalid username-password pair"));
}
