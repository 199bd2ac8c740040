#include "base/metrics.hpp"

#include "base/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

using namespace cadre;

namespace {

std::size_t lines_with(const std::string& text, std::string_view words)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1)) ++found;
    return found;
}

}  // namespace

TEST_CASE("metrics: both forms, with escapes, bounds and sums")
{
    Metrics metrics;
    const auto requests =
        metrics.counters("cadre_requests_total", "Requests\nby \"route\" and \\ path.", {"route", "status"});
    requests.with({"tasks", "200"}).add();
    requests.with({"tasks", "200"}).add(2);
    requests.with({"a\"b\\c\nd", "500"}).add(0.5);
    metrics.gauge("cadre_connections", "Open connections.").set(-3);
    constexpr double bounds[] = {0.5, 1, 10};
    const Histogram waits = metrics.histogram("cadre_wait_seconds", "Waits.", bounds);
    for (const double value : {0.1, 0.5, 0.75, 10.0, 11.0}) waits.observe(value);
    const std::string samples = R"(cadre_requests_total{route="a\"b\\c\nd",status="500"} 0.5
cadre_requests_total{route="tasks",status="200"} 3
)";
    const std::string histogram = R"(# HELP cadre_wait_seconds Waits.
# TYPE cadre_wait_seconds histogram
cadre_wait_seconds_bucket{le="0.5"} 2
cadre_wait_seconds_bucket{le="1.0"} 3
cadre_wait_seconds_bucket{le="10.0"} 4
cadre_wait_seconds_bucket{le="+Inf"} 5
cadre_wait_seconds_count 5
cadre_wait_seconds_sum 22.35
)";
    const std::string gauge = "# HELP cadre_connections Open connections.\n# TYPE cadre_connections gauge\n"
                              "cadre_connections -3\n";
    CHECK(metrics.text(MetricsForm::prometheus) ==
          gauge + R"(# HELP cadre_requests_total Requests\nby "route" and \\ path.
# TYPE cadre_requests_total counter
)" + samples + histogram);
    CHECK(metrics.text(MetricsForm::open_metrics) == gauge +
                                                         R"(# HELP cadre_requests Requests\nby \"route\" and \\ path.
# TYPE cadre_requests counter
)" + samples + histogram + "# EOF\n");
}

TEST_CASE("metrics: after 2,000 sets of labels, further ones are counted together")
{
    Metrics metrics;
    const auto calls = metrics.counters("cadre_calls_total", "Calls.", {"tool", "result"});
    for (int i = 0; i < 2'500; ++i) calls.with({std::to_string(i), "ok"}).add();
    calls.with({"7", "ok"}).add();  // one of the first
    const std::string text = metrics.text(MetricsForm::prometheus);
    CHECK(lines_with(text, "\ncadre_calls_total{") == 2'001);
    CHECK(text.find("cadre_calls_total{tool=\"_other\",result=\"_other\"} 500\n") != text.npos);
    CHECK(text.find("cadre_calls_total{tool=\"7\",result=\"ok\"} 2\n") != text.npos);
}

TEST_CASE("metrics: a name is one thing, and has the form of one")
{
    Metrics metrics;
    metrics.counter("cadre_a_total", "A.").add();
    metrics.counter("cadre_a_total", "A.").add();
    CHECK(metrics.text(MetricsForm::prometheus).find("\ncadre_a_total 2\n") != std::string::npos);
    CHECK_THROWS_AS(metrics.gauges("cadre_a_total", "A.", {}), Error);
    CHECK_THROWS_AS(metrics.counters("cadre_a_total", "A.", {"x"}), Error);
    CHECK_THROWS_AS(metrics.counter("cadre_b", "B."), Error);
    CHECK_THROWS_AS(metrics.gauge("2b", "B."), Error);
    CHECK_THROWS_AS(metrics.gauge("a b", "B."), Error);
    CHECK_THROWS_AS(metrics.gauges("b", "B.", {"a-b"}), Error);
    CHECK_THROWS_AS(metrics.counters("cadre_c_total", "C.", {"x"}).with({}), Error);
}

TEST_CASE("metrics: threads lose nothing, and a histogram's count is that of its buckets while they count")
{
    Metrics metrics;
    const Counter counter = metrics.counter("cadre_a_total", "A.");
    const auto histograms = metrics.histograms("cadre_b_seconds", "B.", {"x"});
    constexpr int kEach = 20'000;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            for (int k = 0; k < kEach; ++k) {
                counter.add();
                histograms.with({i % 2 == 0 ? "even" : "odd"}).observe(k % 3);
            }
        });
    for (int i = 0; i < 50; ++i) {
        const std::string text = metrics.text(MetricsForm::prometheus);
        const auto number_after = [&](std::string_view words) {
            const std::size_t at = text.find(words);
            return at == text.npos ? 0 : std::stoll(text.substr(at + words.size()));
        };
        CHECK(number_after("cadre_b_seconds_bucket{x=\"odd\",le=\"+Inf\"} ") ==
              number_after("cadre_b_seconds_count{x=\"odd\"} "));
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(metrics.text(MetricsForm::prometheus).find("\ncadre_a_total 80000\n") != std::string::npos);
}
