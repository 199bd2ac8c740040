// What does Cadre add to a model over HTTP? The whole way, from the journal to the socket, against a vendor without latency that runs in
// another process; each figure beside a bare client on plain sockets that parses the same JSON, in the same run.
//
//     model_run_bench [QUESTION…]      start runs home streams latency memory; all of them without arguments
//
// A run is one agent, one tool, two model calls. CPU is that of this process, all threads.
#include "allocations.hpp"
#include "bare_client.hpp"
#include "base/join.hpp"
#include "engine/host.hpp"
#include "engine/run.hpp"
#include "llm/endpoint.hpp"
#include "llm/http_model.hpp"
#include "llm/key_gate.hpp"
#include "machine.hpp"
#include "net/http_client.hpp"
#include "patterns/patterns.hpp"
#include "quick_world.hpp"
#include "repeat.hpp"
#include "samples.hpp"
#include "storage/memory/memory_store.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/temporary_folder.hpp"
#include "stub_vendor.hpp"
#include "through_home.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using bench::BareClient;
using bench::cpu_seconds;
using bench::median;
using bench::Samples;
using bench::say_load;
using bench::seconds_since;
using bench::SteadyClock;
using bench::StubVendor;

namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 5;

/// What was spent per piece of work: the usual of several rounds, in microseconds.
struct Cost {
    std::vector<double> us{};
    double usual() const { return median(us); }

    template <class Work>
    void measure(double pieces, Work work)
    {
        const double before = cpu_seconds();
        work();
        us.push_back((cpu_seconds() - before) * 1e6 / pieces);
    }
};

/// Notes when the first text of each answer came, and how much.
class TimedModel final : public llm::Model {
public:
    explicit TimedModel(std::shared_ptr<llm::Model> model) : model_(std::move(model)) {}

    std::string spec() const override { return model_->spec(); }
    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink& sink) override
    {
        Timer timer(*this, sink);
        co_return co_await model_->complete(std::move(request), timer);
    }

    Samples first_token;
    std::size_t tokens = 0;

private:
    class Timer final : public llm::ChunkSink {
    public:
        Timer(TimedModel& owner, llm::ChunkSink& sink) : owner_(owner), sink_(sink), begun_(SteadyClock::now()) {}
        void chunk(std::string_view text) noexcept override
        {
            if (!std::exchange(any_, true)) owner_.first_token.add(seconds_since(begun_));
            ++owner_.tokens;
            sink_.chunk(text);
        }

    private:
        TimedModel& owner_;
        llm::ChunkSink& sink_;
        SteadyClock::time_point begun_;
        bool any_ = false;
    };

    std::shared_ptr<llm::Model> model_;
};

/// The whole of it: a host on a store, and a model at the vendor, with its limiter and its breaker, as `cadre run` has them.
struct Cadre {
    /// `vendor` stands in for the way to it; null: over HTTP.
    Cadre(storage::Store& store, const std::string& url, net::Http* vendor = nullptr) : world(store), http(world.loop)
    {
        const model::LlmConfig config{
            .provider = "openai", .model = "gpt-5-mini", .api_key = "key", .base_url = url, .timeout = 600};
        llm::Endpoint endpoint =
            llm::endpoint_of(model::built_in_providers(), config, [](const std::string&) { return std::nullopt; });
        gate = std::make_unique<llm::KeyGate>("openai", world.loop, world.random, world.env.log);
        timed = std::make_shared<TimedModel>(
            llm::patient(std::make_shared<llm::HttpModel>(vendor ? *vendor : http, std::move(endpoint), gate.get())));
        world.env.models = [this](const model::LlmConfig&, const Id&, const std::string&) { return timed; };
        patterns::add_patterns(patterns);
        host = std::make_unique<engine::Host>(world.env, patterns);
    }
    ~Cadre() { world.wait(host->close()); }

    Async<> one(Samples* samples)
    {
        const auto begun = SteadyClock::now();
        const Id id = new_id(world.random);
        engine::TaskSpec spec{.description = "Do it.", .agent = "worker", .pattern = "react@1"};
        co_await host->create("local", id, std::move(spec), bench::team_of({"look"}));
        co_await host->until_resting(id);
        if (samples) samples->add(seconds_since(begun));
    }
    Async<> several(int count, Samples* samples)
    {
        for (int i = 0; i < count; ++i) co_await one(samples);
    }
    /// That many runs, so many at once.
    void run(int count, int at_once, Samples* samples = nullptr)
    {
        std::vector<Async<>> workers;
        for (int i = 0; i < at_once; ++i) workers.push_back(several(count / at_once, samples));
        world.wait(all(std::move(workers)));
    }
    /// Begins them; they do not end.
    void hold(int count)
    {
        std::vector<Async<bool>> created;
        for (int i = 0; i < count; ++i) {
            engine::TaskSpec spec{.description = "Do it.", .agent = "worker", .pattern = "react@1"};
            created.push_back(host->create("local", new_id(world.random), std::move(spec), bench::team_of({"look"})));
        }
        world.wait(all(std::move(created)));
        const auto begun = SteadyClock::now();
        const auto wanted = static_cast<std::size_t>(count);
        world.loop.run_until([&] { return http.open() >= wanted && seconds_since(begun) > 1; });
    }

    bench::QuickWorld world;
    net::HttpClient http;
    std::unique_ptr<llm::KeyGate> gate;
    std::shared_ptr<TimedModel> timed;
    engine::Patterns patterns;
    std::unique_ptr<engine::Host> host;
};

// ---- runs: what does one cost? ----

void ask_runs(const StubVendor& vendor)
{
    std::printf("%8s %14s %14s %10s %10s %10s\n", "at once", "in memory, us", "durable, us", "bare, us", "memory/bare",
                "durable/bare");
    for (const int at_once : {1, 64, 512}) {
        const int count = at_once == 1 ? 200 : at_once * 8;
        const storage::TemporaryFolder folder;
        const auto sqlite = storage::SqliteStore::open(folder.path());
        storage::MemoryStore memory;
        Cadre quick(memory, vendor.url("run"));
        Cadre durable(*sqlite, vendor.url("run"));
        BareClient bare(vendor.port(), "run");
        const auto pieces = static_cast<double>(count);
        Cost of_memory, of_disk, of_bare;
        quick.run(count, at_once);  // so that everything is warm
        durable.run(at_once, at_once);
        bare.run(count, at_once);
        for (int round = 0; round < kRounds; ++round) {
            of_memory.measure(pieces, [&] { quick.run(count, at_once); });
            of_disk.measure(pieces, [&] { durable.run(count, at_once); });
            of_bare.measure(pieces, [&] { bare.run(count, at_once); });
        }
        std::printf("%8d %14.1f %14.1f %10.1f %10.2f %10.2f\n", at_once, of_memory.usual(), of_disk.usual(),
                    of_bare.usual(), of_memory.usual() / of_bare.usual(), of_disk.usual() / of_bare.usual());
        std::fflush(stdout);
    }
}

// ---- home: the same as a user's program does it ----

void ask_home(const StubVendor& vendor)
{
    std::printf("%8s %24s %24s\n", "at once", "home in memory, us", "home durable, us");
    for (const int at_once : {1, 64}) {
        const int tasks = at_once == 1 ? 200 : at_once * 8;
        const auto usual = [&](bool durable) {
            return median(bench::tasks_through_home(vendor.url("run"), tasks, at_once, kRounds, durable));
        };
        std::printf("%8d %24.1f %24.1f\n", at_once, usual(false), usual(true));
        std::fflush(stdout);
    }
}

// ---- streams: what does a token cost, and when does the first one come? ----

void ask_streams(const StubVendor& vendor)
{
    std::printf("%8s %12s %12s %8s %24s %24s\n", "streams", "us a token", "bare", "ratio", "first token p50, p99 ms",
                "bare p50, p99 ms");
    for (const int streams : {256, 1000}) {
        Cost ours, of_bare;
        Samples first, first_bare;
        for (int round = 0; round < 3; ++round) {
            storage::MemoryStore memory;
            Cadre quick(memory, vendor.url("stream"));
            const auto tokens = static_cast<double>(streams) * bench::kTokens;
            ours.measure(tokens, [&] { quick.run(streams, streams); });
            BareClient bare(vendor.port(), "stream");
            of_bare.measure(tokens, [&] { bare.stream(streams); });
            for (const double part : {0.5, 0.99}) {
                first.add(quick.timed->first_token.ms(part));
                first_bare.add(bare.first_token.ms(part));
            }
            if (quick.timed->tokens != bare.tokens)
                std::printf("  pieces differ: %zu and %zu\n", quick.timed->tokens, bare.tokens);
            if (round == 2)
                std::printf("%8d %12.2f %12.2f %8.2f %15.2f, %7.2f %15.2f, %7.2f\n", streams, ours.usual(),
                            of_bare.usual(), ours.usual() / of_bare.usual(), quick.timed->first_token.ms(0.5),
                            quick.timed->first_token.ms(0.99), bare.first_token.ms(0.5), bare.first_token.ms(0.99));
        }
        std::fflush(stdout);
    }
}

// ---- latency: what is added to a model that takes 200 ms? ----

void ask_latency(const StubVendor& vendor)
{
    constexpr int kAtOnce = 64;
    constexpr double kModel = 2 * bench::kSlowMs;
    const storage::TemporaryFolder folder;
    const auto sqlite = storage::SqliteStore::open(folder.path());
    storage::MemoryStore memory;
    Cadre quick(memory, vendor.url("slow"));
    Cadre durable(*sqlite, vendor.url("slow"));
    BareClient bare(vendor.port(), "slow");
    Samples of_memory, of_disk;
    quick.run(kAtOnce, kAtOnce);
    durable.run(kAtOnce, kAtOnce);
    bare.run(kAtOnce, kAtOnce);
    bare.runs.clear();
    for (int round = 0; round < kRounds; ++round) {
        quick.run(kAtOnce, kAtOnce, &of_memory);
        durable.run(kAtOnce, kAtOnce, &of_disk);
        bare.run(kAtOnce, kAtOnce);
    }
    std::printf("added to two calls of 200 ms, %d runs at once, p50 and p99 in ms: in memory %.2f, %.2f; durable %.2f, "
                "%.2f; bare %.2f, %.2f\n",
                kAtOnce, of_memory.ms(0.5) - kModel, of_memory.ms(0.99) - kModel, of_disk.ms(0.5) - kModel,
                of_disk.ms(0.99) - kModel, bare.runs.ms(0.5) - kModel, bare.runs.ms(0.99) - kModel);
}

// ---- memory: what does a run that waits for its model take? ----

void ask_memory(const StubVendor& vendor)
{
    constexpr int kWaiting = 5000;
    const auto per = [](std::size_t before) { return double(bench::heap_in_use() - before) / 1024 / kWaiting; };
    storage::MemoryStore memory;
    Cadre quick(memory, vendor.url("hold"));
    std::size_t before = bench::heap_in_use();
    quick.hold(kWaiting);
    const double ours = per(before);
    BareClient bare(vendor.port(), "hold");
    before = bench::heap_in_use();
    bare.hold(kWaiting);
    std::printf(
        "memory of a run that waits for its model, %d of them: %.1f KiB; bare %.1f KiB (heap of this process)\n",
        kWaiting, ours, per(before));
}

// ---- start: from nothing to the first answer ----

struct Started {
    double ms = 0;
    double mib = 0;
};

Started start(const std::vector<std::string>& words)
{
    const auto begun = SteadyClock::now();
    const pid_t process = ::fork();
    if (process == 0) {
        std::vector<char*> arguments;
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        // not with freopen: it writes what the parent has printed and not yet sent on, a second time
        const int nowhere = ::open("/dev/null", O_WRONLY);
        if (nowhere < 0 || ::dup2(nowhere, STDOUT_FILENO) < 0) std::_Exit(126);
        ::execv(arguments[0], arguments.data());
        std::_Exit(127);
    }
    int status = 0;
    rusage used{};
    ::wait4(process, &status, 0, &used);
    if (status != 0) {
        std::fprintf(stderr, "%s ended with %d\n", words[0].c_str(), status);
        std::exit(1);
    }
    return {seconds_since(begun) * 1000, double(used.ru_maxrss) / 1024};
}

void ask_start(const StubVendor& vendor, const fs::path& self)
{
    const fs::path program = bench::find_program();
    bench::require(program, "build it: ninja cadre");
    const storage::TemporaryFolder folder;
    fs::create_directories(folder.path() / "agents");
    std::ofstream(folder.path() / "agents/clerk.json")
        << R"({"name":"clerk","role":"works","prompt":"You work.","tools":["calculator"]})";
    ::setenv("OPENAI_BASE_URL", vendor.url("run").c_str(), 1);
    ::setenv("OPENAI_API_KEY", "key", 1);
    ::setenv("CADRE_HOME", (folder.path() / "home").c_str(), 1);
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    std::vector<double> ours, mib, of_bare;
    for (int i = 0; i < 11; ++i) {
        const Started started =
            start({program.string(), "run", "--quiet", "--agent", "clerk", "--model", "openai/gpt-5-mini", "Do it."});
        ours.push_back(started.ms);
        mib.push_back(started.mib);
        of_bare.push_back(start({self.string(), "bare-once", std::to_string(vendor.port())}).ms);
    }
    fs::current_path(before);
    std::printf("process start to the end of the first run, durable: %.1f ms, %.1f MiB; bare %.1f ms\n", median(ours),
                median(mib), median(of_bare));
}

// ---- what is counted: the same run with a vendor in this process, without sockets ----

/// Sends its answers in the pieces that it is given, without anybody waiting.
class PromptVendor final : public net::Http {
public:
    using Events = std::vector<std::string>;
    PromptVendor(Events first, Events second) : first_(std::move(first)), second_(std::move(second)) {}

    Async<std::unique_ptr<net::HttpReply>> send(net::HttpRequest request) override
    {
        const bool has_result = request.body.find(R"("role":"tool")") != std::string::npos;
        co_return std::make_unique<Reply>(has_result ? second_ : first_);
    }

private:
    class Reply final : public net::HttpReply {
    public:
        explicit Reply(const Events& events) : events_(events) {}
        int status() const override { return 200; }
        const net::HttpHeaders& headers() const override { return headers_; }
        Async<std::optional<std::string_view>> read() override
        {
            if (next_ == events_.size()) co_return std::nullopt;
            co_return events_[next_++];
        }

    private:
        const Events& events_;
        std::size_t next_ = 0;
        const net::HttpHeaders headers_{{"Content-Type", "text/event-stream"}};
    };

    Events first_, second_;
};

struct Counted {
    explicit Counted(PromptVendor::Events first) : vendor(std::move(first), bench::answer_events()) {}

    storage::MemoryStore store{{.discard = true}};
    PromptVendor vendor;
    Cadre cadre{store, "http://127.0.0.1:9/v1", &vendor};
};

std::vector<bench::Piece> pieces()
{
    const auto runs = [](PromptVendor::Events first) {
        return [counted = std::make_shared<Counted>(std::move(first))] { counted->cadre.run(1, 1); };
    };
    return {{"run", [runs] { return runs(bench::call_events()); }},
            {"stream", [runs] {
                 PromptVendor::Events tokens(bench::kTokens, bench::token_event());
                 for (std::string& event : bench::end_events()) tokens.push_back(std::move(event));
                 return runs(std::move(tokens));
             }}};
}

}  // namespace

int main(int count, char** words)
{
    if (const auto code = bench::repeat(pieces(), count, words)) return *code;
    if (count == 3 && std::strcmp(words[1], "bare-once") == 0) {
        BareClient(std::atoi(words[2]), "run").run(1, 1);
        return 0;
    }
    const StubVendor vendor;  // before there are threads
    const std::vector<std::string> asked(words + 1, words + count);
    const auto wants = [&](const char* question) { return asked.empty() || std::ranges::count(asked, question) > 0; };
    say_load();
    // first, while this process is small: the memory of a child is never less than its parent's was
    if (wants("start")) ask_start(vendor, fs::canonical("/proc/self/exe"));
    if (wants("runs")) ask_runs(vendor);
    if (wants("home")) ask_home(vendor);
    if (wants("streams")) ask_streams(vendor);
    if (wants("latency")) ask_latency(vendor);
    if (wants("memory")) ask_memory(vendor);
    say_load();
}
