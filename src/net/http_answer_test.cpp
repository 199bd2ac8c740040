#include "net/http_answer.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::net;

TEST_CASE("an answer's head says how its body ends")
{
    const Time now = time_from_iso("1994-11-06T08:49:37Z");
    CHECK(head_text(200, {{"X", "1"}}, {.length = 5, .now = now}) ==
          "HTTP/1.1 200 OK\r\nX: 1\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 5\r\n\r\n");
    CHECK(head_text(299, {}, {.framing = HttpFraming::chunks, .keep_alive = false, .now = now}) ==
          "HTTP/1.1 299 Unknown\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nTransfer-Encoding: chunked\r\nConnection: "
          "close\r\n\r\n");
    for (const HttpHeader& header : {HttpHeader{"A", "b\nc"}, HttpHeader{"A", std::string("b\0c", 3)},
                                     HttpHeader{"A b", "c"}, HttpHeader{"", "c"}, HttpHeader{"A\r\nB", "c"}})
        CHECK_THROWS_AS(head_text(200, {header}, {}), Error);
}

TEST_CASE("an event's data keeps its lines")
{
    CHECK(event_text("a") == "data: a\n\n");
    CHECK(event_text("a\nb\r\nc\rd", "x") == "event: x\ndata: a\ndata: b\ndata: c\ndata: d\n\n");
    CHECK(event_text("") == "data: \n\n");
    CHECK(event_text("a\n") == "data: a\ndata: \n\n");
    CHECK(event_text({.data = "a", .name = "x", .id = "7/s/3", .retry = Millis(1000)}) ==
          "retry: 1000\nid: 7/s/3\nevent: x\ndata: a\n\n");
    CHECK(event_text({.id = "8"}) == "id: 8\n\n");
    CHECK(event_text({.data = "", .id = "8"}) == "id: 8\ndata: \n\n");
    for (const std::string_view bad :
         {std::string_view("a\nb"), std::string_view("a\rb"), std::string_view("a\0b", 3)}) {
        CHECK_THROWS_AS(event_text({.data = "a", .id = bad}), Error);
        CHECK_THROWS_AS(event_text({.data = "a", .name = bad}), Error);
    }
    CHECK(event_comment("still there") == ": still there\n\n");
}
