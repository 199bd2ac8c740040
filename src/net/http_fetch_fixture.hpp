// For tests: a request and all of its answer, and what the test waits for.
#pragma once

#include "base/async.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

namespace cadre::test {

struct Answer {
    int status = 0;
    net::HttpHeaders headers{};
    std::string body{};
};

inline Async<Answer> fetch(net::Http& http, net::HttpRequest request)
{
    const auto reply = co_await http.send(std::move(request));
    Answer answer{reply->status(), reply->headers()};
    answer.body = co_await net::read_all(*reply);
    co_return answer;
}

/// What went wrong, and whether anybody may have seen the request.
inline doctest::String failure(net::Loop& loop, net::Http& http, net::HttpRequest request)
{
    std::string text;
    try {
        text = "status " + std::to_string(run(loop, fetch(http, std::move(request))).status);
    } catch (const net::HttpError& error) {
        text = std::string(name_of(error.code())) + (error.dispatched() ? " after sending: " : " before sending: ") +
               error.what();
    }
    return text.c_str();
}

/// Turns the loop until a peer has got that far.
inline void await(net::Loop& loop, const std::function<bool()>& done)
{
    auto look = [](const std::function<bool()>& d) -> Async<> {
        while (!d()) co_await sleep_for(Millis(1));  // sleeps: polling, up to the deadline
    };
    run(loop, with_timeout(look(done), Millis(20'000), "the peer"));
}

inline std::string ok(std::string_view body, std::string_view headers = "")
{
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + std::string(headers) +
           "\r\n" + std::string(body);
}

}  // namespace cadre::test
