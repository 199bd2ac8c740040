// What does durability cost? Steps per second and the latency that they add, restart, replay, memory and disk, on SQLite in
// a temporary folder (TMPDIR: on a disk, not in memory). A step is a model call and a tool call with their intents: four
// records, two waits for the disk.
//
//     durable_bench [QUESTION…]      steps large restart replay memory size; all of them without arguments
//     durable_bench steps 256        with that many tasks only
#include "allocations.hpp"
#include "base/join.hpp"
#include "base/signal.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/queries.hpp"
#include "engine/run.hpp"
#include "quick_world.hpp"
#include "samples.hpp"
#include "storage/memory/memory_store.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/temporary_folder.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>

using namespace cadre;
using namespace cadre::engine;
using bench::cpu_seconds;
using bench::Samples;
using bench::seconds_since;
using bench::SteadyClock;

namespace {

namespace fs = std::filesystem;

std::uintmax_t bytes_in(const fs::path& folder)
{
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) bytes += entry.file_size();
    return bytes;
}

/// A host on a store of its own.
struct Bench {
    explicit Bench(storage::Store& store)
        : world(store), host(world.env, patterns), queries(store, &host), commands(host, queries)
    {}
    ~Bench() { world.wait(host.close()); }

    /// Creates that many tasks, all at once.
    std::vector<Id> begin(int count, const std::string& pattern, std::vector<std::string> tools = {"look"})
    {
        std::vector<Id> ids;
        std::vector<Async<bool>> created;
        for (int i = 0; i < count; ++i) {
            ids.push_back(new_id(world.random));
            TaskSpec spec{.description = "Do it.", .agent = "worker", .pattern = pattern};
            created.push_back(host.create("local", ids.back(), std::move(spec), bench::team_of(tools)));
        }
        world.wait(all(std::move(created)));
        return ids;
    }
    Id begin(const std::string& pattern, std::vector<std::string> tools = {"look"})
    {
        return begin(1, pattern, std::move(tools)).front();
    }

    bench::QuickWorld world;
    Patterns patterns;
    Host host;
    Queries queries;
    Commands commands;
};

// ---- steps: how many, and how long does one take? ----

/// What the workers measure, while they do.
struct Meter {
    Samples steps, large_steps;
    Signal start;
    bool measuring = false;
    bool over = false;
};

/// One step. A model answers the agent's `look` and `fetch` by its name.
Async<> step(Run& run, Samples& samples, const Meter& meter)
{
    const auto start = SteadyClock::now();
    const Step said = co_await run.think(run.agent());
    co_await run.use(run.agent(), said.calls);
    if (meter.measuring) samples.add(seconds_since(start));
}

/// Conversations of ten steps, one after the other, until the meter says that it is over.
Async<model::Reply> work(Run& run, Meter& meter, Samples& samples)
{
    co_await meter.start.wait();
    while (!meter.over) {
        co_await run.node("talk", [&](Run& talk) -> Async<> {
            talk.tell(run.prompt());
            for (int i = 0; i < 10 && !meter.over; ++i) co_await step(talk, samples, meter);
        });
    }
    co_return run.reply("done");
}

struct Rate {
    double steps_per_second = 0, cpu_us = 0, p50 = 0, p99 = 0, large_per_second = 0;
};

Rate measure(int small_tasks, int large_tasks, double seconds)
{
    const storage::TemporaryFolder folder;
    const auto store = storage::SqliteStore::open(folder.path());
    Meter meter;
    Bench bench(*store);
    bench.patterns.add({"small", [&](Run& run) { return work(run, meter, meter.steps); }});
    bench.patterns.add({"large", [&](Run& run) { return work(run, meter, meter.large_steps); }});
    bench.world.model->answer = [](const llm::Request& request) {
        return bench::calls(request.tools->front().name, {{"query", "what the weather will be like tomorrow"}});
    };
    auto tasks = bench.begin(small_tasks, "small");
    for (const Id& task : bench.begin(large_tasks, "large", {"fetch"})) tasks.push_back(task);

    const auto run_for = [&](double wanted) {
        const auto start = SteadyClock::now();
        bench.world.loop.run_until([&] { return seconds_since(start) >= wanted; });
    };
    meter.start.notify();
    run_for(seconds / 4);
    meter.measuring = true;
    const double cpu = cpu_seconds();
    const auto start = SteadyClock::now();
    run_for(seconds);
    meter.measuring = false;
    const double took = seconds_since(start);
    Rate rate{.steps_per_second = double(meter.steps.size()) / took,
              .cpu_us = (cpu_seconds() - cpu) * 1e6 / double(std::max<std::size_t>(meter.steps.size(), 1)),
              .p50 = meter.steps.ms(0.5),
              .p99 = meter.steps.ms(0.99),
              .large_per_second = double(meter.large_steps.size()) / took};
    meter.over = true;
    for (const Id& task : tasks) bench.world.wait(bench.host.until_resting(task));
    return rate;
}

/// The same rows in plain SQLite, `batch` to a commit, prepared and bound beforehand: what no engine can beat.
double plain_inserts_per_second(int batch, double seconds)
{
    const storage::TemporaryFolder folder;
    sqlite3* database = nullptr;
    sqlite3_stmt* insert = nullptr;
    const auto check = [&](int code) {
        if (code != SQLITE_OK && code != SQLITE_DONE) {
            std::fprintf(stderr, "SQLite: %s\n", sqlite3_errmsg(database));
            std::exit(1);
        }
    };
    check(sqlite3_open((folder.path() / "plain.db").c_str(), &database));
    check(sqlite3_exec(
        database,
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE record(id INTEGER PRIMARY KEY, task "
        "INTEGER, seq INTEGER, path TEXT, ask BLOB, body TEXT, hash BLOB, UNIQUE(task, seq))",
        nullptr, nullptr, nullptr));
    check(sqlite3_prepare_v2(database, "INSERT INTO record(task, seq, path, ask, body, hash) VALUES(?,?,?,?,?,?)", -1,
                             &insert, nullptr));
    const std::string path = "talk/123/think:5", bytes(32, 'h'), body(300, 'x');
    check(sqlite3_bind_text(insert, 3, path.data(), int(path.size()), SQLITE_STATIC));
    check(sqlite3_bind_blob(insert, 4, bytes.data(), 16, SQLITE_STATIC));
    check(sqlite3_bind_text(insert, 5, body.data(), int(body.size()), SQLITE_STATIC));
    check(sqlite3_bind_blob(insert, 6, bytes.data(), 32, SQLITE_STATIC));
    const auto start = SteadyClock::now();
    int rows = 0;
    while (seconds_since(start) < seconds) {
        check(sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr));
        for (int i = 0; i < batch; ++i, ++rows) {
            check(sqlite3_bind_int(insert, 1, i));
            check(sqlite3_bind_int(insert, 2, rows / batch));
            check(sqlite3_step(insert));
            check(sqlite3_reset(insert));
        }
        check(sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr));
    }
    const double rate = rows / seconds_since(start);
    sqlite3_finalize(insert);
    sqlite3_close(database);
    return rate;
}

std::vector<int> task_counts;  // from the command line

void ask_steps()
{
    if (task_counts.empty()) task_counts = {1, 16, 256, 4096};

    std::printf("%8s %12s %12s %10s %10s %22s\n", "tasks", "steps/s", "CPU us/step", "p50 ms", "p99 ms",
                "plain SQLite, steps/s");
    for (const int tasks : task_counts) {
        const Rate rate = measure(tasks, 0, 3);
        std::printf("%8d %12.0f %12.1f %10.2f %10.2f %22.0f\n", tasks, rate.steps_per_second, rate.cpu_us, rate.p50,
                    rate.p99, plain_inserts_per_second(2 * tasks, 1) / 4);
        std::fflush(stdout);
    }
}

void ask_large()
{
    const Rate alone = measure(16, 0, 3);
    const Rate beside = measure(15, 1, 3);
    std::printf("16 small tasks:                  p50 %.2f ms, p99 %.2f ms, %.0f steps/s\n", alone.p50, alone.p99,
                alone.steps_per_second);
    std::printf("15 beside one with 1 MiB a step: p50 %.2f ms, p99 %.2f ms, %.0f steps/s, the large one %.0f\n",
                beside.p50, beside.p99, beside.steps_per_second, beside.large_per_second);
    std::printf("p99 of the others: %.2f times\n", beside.p99 / alone.p99);
}

// ---- restart: when are all unfinished tasks under way again? ----

/// Talks for ever; `answered` counts what this process's model has said.
Async<model::Reply> talk(Run& run)
{
    run.tell(run.prompt());
    while (true) {
        co_await run.think(run.agent());
        run.tell("Go on.");
    }
}

void ask_restart()
{
    constexpr int kTasks = 10'000;
    constexpr int kCalls = 9;  // two records each; with created and started, 20
    const storage::TemporaryFolder folder;
    {
        const auto store = storage::SqliteStore::open(folder.path());
        Bench bench(*store);
        bench.patterns.add({"talk", talk});
        bench.world.model->answer = [](const llm::Request& request) -> std::optional<llm::Completion> {
            if (request.nth > kCalls) return std::nullopt;
            return llm::Completion{.text = "I have done a part of it and will go on with the rest.", .usage = {10, 5}};
        };
        bench.begin(kTasks, "talk");
        bench.world.loop.run_until([&, done = false]() mutable { return std::exchange(done, true); });
    }
    const auto start = SteadyClock::now();
    const double cpu = cpu_seconds();
    const auto store = storage::SqliteStore::open(folder.path());
    Bench bench(*store);
    bench.patterns.add({"talk", talk});
    // the first answer of each task after the restart, and the question that follows it, which is asked when that is durable
    int answered = 0, going_on = 0;
    bench.world.model->answer = [&](const llm::Request& request) -> std::optional<llm::Completion> {
        if (request.nth == kCalls + 1) {
            ++answered;
            return llm::Completion{.text = "Here is some more of it.", .usage = {10, 5}};
        }
        ++going_on;
        return std::nullopt;
    };
    const std::size_t woken = bench.world.wait(bench.host.wake_all());
    const double until_woken = seconds_since(start);
    bench.world.loop.run_until([&] { return going_on == kTasks; });
    std::printf("%zu tasks of 20 records: all replayed after %.2f s, all with one more durable answer after %.2f s "
                "(CPU %.2f s)\n",
                woken, until_woken, seconds_since(start), cpu_seconds() - cpu);
}

// ---- replay: how long does a long run take? ----

void ask_replay()
{
    constexpr int kSteps = 2500;
    const storage::TemporaryFolder folder;
    const auto store = storage::SqliteStore::open(folder.path(), {});
    Bench bench(*store);
    bench.patterns.add({"steps", [](Run& run) -> Async<model::Reply> {
                            run.tell(run.prompt());
                            for (int i = 0; i < kSteps; ++i) {
                                const Step said = co_await run.think(run.agent());
                                co_await run.use(run.agent(), said.calls);
                            }
                            co_return run.reply("done");
                        }});
    bench.world.model->answer = [](const llm::Request&) {
        return bench::calls("look", {{"query", "what the weather will be like tomorrow"}});
    };
    const Id task = bench.begin("steps");
    bench.world.wait(bench.host.until_resting(task));
    Samples replays, reads, cpu;
    ReplayReport report;
    for (int i = 0; i < 5; ++i) {
        auto start = SteadyClock::now();
        const double cpu_start = cpu_seconds();
        report = bench.world.wait(bench.commands.replay(local_user("bench"), task));
        cpu.add(cpu_seconds() - cpu_start);
        replays.add(seconds_since(start));
        start = SteadyClock::now();
        bench.world.wait(store->read(task));
        reads.add(seconds_since(start));
    }
    std::printf(
        "%zu records: replayed in %.1f ms (median of 5; best %.1f, CPU %.1f), of which reading them takes %.1f%s%s\n",
        report.records, replays.ms(0.5), replays.ms(0), cpu.ms(0.5), reads.ms(0.5),
        report.diverged.empty() ? "" : "; DIVERGED: ", report.diverged.c_str());
}

// ---- memory: what does a task hold while it does nothing? ----

void ask_memory()
{
    constexpr int kTasks = 10'000;
    {
        storage::MemoryStore store({.discard = true});
        Bench bench(store);
        bench.patterns.add({"talk", talk});
        bench.world.model->answer = [](const llm::Request&) { return std::nullopt; };
        bench.begin("talk");
        const std::size_t before = bench::heap_in_use();
        bench.begin(kTasks, "talk");
        std::printf("%d active runs, each in a model call: %.2f KiB each\n", kTasks,
                    double(bench::heap_in_use() - before) / kTasks / 1024);
    }
    const storage::TemporaryFolder folder;
    const auto store = storage::SqliteStore::open(folder.path());
    Bench bench(*store);
    bench.patterns.add({"ask", [](Run& run) -> Async<model::Reply> {
                            Question question{.agent = "worker"};
                            question.context["question"] = "May I?";
                            co_await run.ask(std::move(question));
                            co_return run.reply("done");
                        }});
    bench.patterns.add({"sleep", [](Run& run) -> Async<model::Reply> {
                            co_await run.sleep(std::chrono::hours(24));
                            co_return run.reply("done");
                        }});
    for (const char* pattern : {"ask", "sleep"}) {
        const auto put_away = [&] { return bench.host.active() == 0; };
        bench.begin(pattern);
        bench.world.loop.run_until(put_away);
        // SQLite's page cache has a bound of its own
        const auto held = [] { return double(bench::heap_in_use()) - double(sqlite3_memory_used()); };
        const double before = held();
        const auto stored = bytes_in(folder.path());
        bench.begin(kTasks, pattern);
        bench.world.loop.run_until(put_away);
        std::printf("%d tasks put away by %s: %.0f bytes of memory each; about %.0f bytes on the disk\n", kTasks,
                    pattern, (held() - before) / kTasks, double(bytes_in(folder.path()) - stored) / kTasks);
    }
}

// ---- size: how much is stored for what is new? ----

void ask_size()
{
    constexpr int kTurns = 1000;
    const storage::TemporaryFolder folder;
    std::uintmax_t content = 0, bodies = 0, records = 0;
    SeededRandom random(4);
    const auto some_text = [&](std::uint64_t least, std::uint64_t most) {
        std::string text(least + random.below(most - least), 'x');
        content += text.size();
        return text;
    };
    {
        const auto store = storage::SqliteStore::open(folder.path());
        Bench bench(*store);
        bench.world.registry.add(std::make_shared<bench::QuickTool>("find", [&] { return some_text(100, 1300); }));
        bench.patterns.add({"turns", [](Run& run) -> Async<model::Reply> {
                                run.tell(run.prompt());
                                for (int i = 0; i < kTurns; ++i) {
                                    const Step step = co_await run.think(run.agent());
                                    co_await run.use(run.agent(), step.calls);
                                }
                                co_return run.reply("done");
                            }});
        bench.world.model->answer = [&](const llm::Request&) {
            auto completion = bench::calls("find", {{"query", some_text(20, 200)}});
            completion.text = some_text(100, 1300);
            return completion;
        };
        const Id task = bench.begin("turns", {"find"});
        bench.world.wait(bench.host.until_resting(task));
        for (const auto& record : bench.world.wait(store->read(task))) {
            bodies += record.body.size();
            ++records;
        }
    }  // the store leaves its database without a log
    const auto stored = bytes_in(folder.path());
    std::printf("%d turns: %ju records with bodies of %ju bytes on average; stored %ju bytes (no log left): %.2f per "
                "byte of the "
                "bodies, %.2f per byte that model and tool have said\n",
                kTurns, records, bodies / records, stored, double(stored) / double(bodies),
                double(stored) / double(content));
}

struct Part {
    const char* name;
    void (*ask)();
};
constexpr Part kParts[] = {
    {"steps", ask_steps},   {"large", ask_large},   {"restart", ask_restart},
    {"replay", ask_replay}, {"memory", ask_memory}, {"size", ask_size},
};

}  // namespace

int main(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i)
        if (const int count = std::atoi(argv[i]); count > 0) task_counts.push_back(count);
    for (const Part& part : kParts) {
        const bool wanted =
            argc < 2 ||
            std::any_of(argv + 1, argv + argc, [&](const char* name) { return std::strcmp(name, part.name) == 0; });
        if (!wanted) continue;
        std::printf("-- %s\n", part.name);
        part.ask();
        std::fflush(stdout);
    }
}
