// How long does an event of about 400 bytes take to and from its struct, beside Boost.JSON on the same text alone?
#include "base/json.hpp"
#include "model/event.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <benchmark/benchmark.h>
#include <boost/json.hpp>

using namespace cadre;
using namespace cadre::model;

namespace {

const char* const kEvent =
    R"({"type":"event_tool_call","tool_call":{"id":"tc_0b9d7e5c3a1f4e8db6c4a29f8e7d6c5b","tool_name":"search",)"
    R"("args":{"query":"durable agents in production","limit":5,"region":"eu"},"expected_output_type":"json",)"
    R"("timeout":20,"retry_policy":null},"agent_name":"researcher","timestamp":"2025-11-02T10:30:00.250Z",)"
    R"("sandbox_id":"sbx_6f1c8a2e4b7d4c3fa9e05d1b2c3a4f60"})";

const char* const kPlainEvent =
    R"({"type":"event_guardrail_violation","violation_id":"vio_6f1c8a2e4b7d4c3fa9e05d1b2c3a4f60",)"
    R"("check_type":"content_filter","severity":"high","policy_violated":"no_personal_data","agent_name":"writer",)"
    R"("content_sample":"please call me under [phone] or write to [mail] as soon as the report is done, )"
    R"(I am in the office until five","action_taken":"blocked","timestamp":"2025-11-02T10:30:00.250Z"})";

void read_struct(benchmark::State& state, const char* text)
{
    for (auto _ : state) benchmark::DoNotOptimize(from_text<Event>(text));
}
void write_struct(benchmark::State& state, const char* text)
{
    const auto event = from_text<Event>(text);
    std::string out;
    for (auto _ : state) {
        out.clear();
        append_json(out, event);
        benchmark::DoNotOptimize(out.data());
    }
}
void parse_ours(benchmark::State& state, const char* text)
{
    for (auto _ : state) benchmark::DoNotOptimize(parse_json(text));
}
void parse_boost(benchmark::State& state, const char* text)
{
    for (auto _ : state) benchmark::DoNotOptimize(json::parse(text));
}
void serialize_boost(benchmark::State& state, const char* text)
{
    const json::value value = json::parse(text);
    for (auto _ : state) benchmark::DoNotOptimize(json::serialize(value));
}

BENCHMARK_CAPTURE(read_struct, tool_call, kEvent);
BENCHMARK_CAPTURE(read_struct, violation, kPlainEvent);
BENCHMARK_CAPTURE(write_struct, tool_call, kEvent);
BENCHMARK_CAPTURE(write_struct, violation, kPlainEvent);
BENCHMARK_CAPTURE(parse_ours, tool_call, kEvent);
BENCHMARK_CAPTURE(parse_ours, violation, kPlainEvent);
BENCHMARK_CAPTURE(parse_boost, tool_call, kEvent);
BENCHMARK_CAPTURE(parse_boost, violation, kPlainEvent);
BENCHMARK_CAPTURE(serialize_boost, tool_call, kEvent);

}  // namespace

BENCHMARK_MAIN();
