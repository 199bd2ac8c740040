#include "server/otlp.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/run.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "net/loop.hpp"
#include "server/task_spans.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

using namespace cadre;
using namespace cadre::server;
using namespace std::chrono_literals;
using engine::Span;
using engine::SpanKind;
using engine::SpanStatus;

namespace {

const Time kNoon = time_from_iso("2026-11-18T12:00:00Z");

/// Takes what comes, slowly if told so.
struct OtlpSink final : net::HttpHandler {
    Async<> handle(net::HttpExchange& exchange) override
    {
        bodies.push_back(co_await net::read_all(exchange));
        const int status = refusals-- > 0 ? 503 : 200;
        co_await exchange.reply(net::HttpAnswer{.status = status});
    }
    std::vector<std::string> bodies;
    int refusals = 0;
};

struct OtlpWorld {
    explicit OtlpWorld(OtlpOptions options)
        : sink_server(loop, sink, {}),
          http(loop, {}),
          exporter(loop, http, with_url(std::move(options)), metrics, Log(nullptr, Level::off))
    {}
    OtlpOptions with_url(OtlpOptions options)
    {
        options.url = sink_server.url() + "/v1/traces";
        return options;
    }
    bool counts(const std::string& line)
    {
        return metrics.text(MetricsForm::prometheus).find(line) != std::string::npos;
    }

    net::Loop loop;
    OtlpSink sink;
    net::HttpServer sink_server;
    net::HttpClient http;
    Metrics metrics;
    OtlpExporter exporter;
};

}  // namespace

TEST_CASE("otlp: what does not fit into the queue is dropped and counted, the rest is sent in batches, again where "
          "that helps")
{
    OtlpWorld world({.queue = 5, .batch = 2, .pause = 1ms});
    world.sink.refusals = 1;
    for (int i = 0; i < 7; ++i)
        world.exporter.add({.trace = std::string(32, 'a'), .id = std::string(16, 'b'), .name = "n"});
    run(world.loop, world.exporter.finish(30s));
    CHECK(world.sink.bodies.size() == 4);
    CHECK(world.counts(R"(cadre_otlp_spans_total{result="dropped"} 2)"));
    CHECK(world.counts(R"(cadre_otlp_spans_total{result="sent"} 5)"));
    CHECK(world.exporter.trouble().empty());
}

TEST_CASE("otlp: a span is written as the protocol says: ids as hex, numbers as texts, kinds as numbers")
{
    const OtlpSpan span{.trace = "4bf92f3577b34da6a3ce929d0e0e4736",
                        .id = "00f067aa0ba902b7",
                        .parent = "00f067aa0ba902b8",
                        .name = "chat m",
                        .kind = OtlpSpan::Kind::client,
                        .begin = kNoon,
                        .end = kNoon + 1500ms,
                        .error = "failed",
                        .attributes = {{"a", std::string("b")}, {"n", std::int64_t{7}}}};
    const auto json = parse_json(otlp_text({&span, 1}, "1.2.3"));
    const auto& first = json.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").at(0);
    CHECK(first == parse_json(R"({"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7",
"parentSpanId":"00f067aa0ba902b8","name":"chat m","kind":3,"startTimeUnixNano":"1795003200000000000",
"endTimeUnixNano":"1795003201500000000","attributes":[{"key":"a","value":{"stringValue":"b"}},
{"key":"n","value":{"intValue":"7"}}],"status":{"code":2,"message":"failed"}})"));
}

TEST_CASE("otlp: headers of the environment")
{
    CHECK(otlp_headers("a=b, c=d%20e,bad,x=%zz") == net::HttpHeaders{{"a", "b"}, {"c", "d e"}});
    CHECK(otlp_headers("").empty());
}

TEST_CASE(
    "task spans: nested as the trace is, below the request that asked, the same each time they are made, without words")
{
    engine::Trace trace{.task = id_from("6f1c2b3a-0000-4000-8000-0123456789ab"), .last = kNoon + 9s};
    const auto add = [&](SpanKind kind, int depth, const char* name, SpanStatus status = SpanStatus::done) {
        Span span{.kind = kind,
                  .status = status,
                  .depth = depth,
                  .path = name,
                  .name = name,
                  .begin = kNoon,
                  .input = "secret"};
        trace.spans.push_back(span);
    };
    add(SpanKind::task, 0, "ann");
    add(SpanKind::step, 1, "m");
    add(SpanKind::call, 2, "calculator", SpanStatus::failed);
    add(SpanKind::step, 1, "m");
    const auto spans = spans_of(trace, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    REQUIRE(spans.size() == 4);
    CHECK(spans[0].parent == "00f067aa0ba902b7");
    CHECK(spans[1].parent == spans[0].id);
    CHECK(spans[2].parent == spans[1].id);
    CHECK(spans[3].parent == spans[0].id);
    CHECK(spans[1].id != spans[3].id);
    CHECK(spans[2].error == "failed");
    CHECK(spans[2].end == kNoon + 9s);
    CHECK(otlp_text(spans, "1").find("secret") == std::string::npos);
    CHECK(otlp_text(spans, "1") ==
          otlp_text(spans_of(trace, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), "1"));
    CHECK(spans_of(trace, "")[0].trace == "6f1c2b3a000040008000"
                                          "0123456789ab");
    CHECK(spans_of(trace, "")[0].parent.empty());
    CHECK(spans_of(trace, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00").empty());
}
