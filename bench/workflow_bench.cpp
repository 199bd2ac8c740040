// What do workflows cost an owner that has many? Ten thousand that wait for people on SQLite in a temporary folder (TMPDIR: on a disk, not
// in memory): how much memory the process has, and how long one takes from its answer to its end. And fan-outs of five model calls: CPU
// time a node of a thousand at once, beside that of one after the other.
//
//     workflow_bench [QUESTION…]      waiting fans; both without arguments
#include "base/join.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/queries.hpp"
#include "machine.hpp"
#include "model/graph.hpp"
#include "model/write.hpp"
#include "patterns/patterns.hpp"
#include "quick_world.hpp"
#include "samples.hpp"
#include "storage/memory/memory_store.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/temporary_folder.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::engine;
using bench::cpu_seconds;
using bench::SteadyClock;

namespace {

/// In MiB: "VmRSS:", "VmHWM:".
double memory_of_self(std::string_view what)
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(what)) return std::stod(line.substr(what.size())) / 1024;
    return 0;
}

model::NodeDef node_of(model::NodeType type)
{
    model::NodeDef node{.type = type};
    if (type == model::NodeType::agent) node.agent = "worker";
    return node;
}

/// A model call, a person, a model call.
std::string review()
{
    model::WorkflowSetup setup;
    setup.graph = {.name = "review", .patterns = {"react"}, .entry = "draft"};
    setup.graph.nodes["draft"] = node_of(model::NodeType::agent);
    setup.graph.nodes["agree"] = node_of(model::NodeType::human);
    setup.graph.nodes["thank"] = node_of(model::NodeType::agent);
    setup.graph.edges = {{.from = "draft", .to = "agree"}, {.from = "agree", .to = "thank"}};
    return model::to_json_text(setup);
}

constexpr int kArms = 5;
constexpr int kNodes = kArms + 2;

/// A model call, five at once, and one behind them all.
std::string fan()
{
    model::WorkflowSetup setup;
    setup.graph = {.name = "fan", .patterns = {"react"}, .entry = "begin"};
    for (const char* name : {"begin", "end"}) setup.graph.nodes[name] = node_of(model::NodeType::agent);
    for (int i = 0; i < kArms; ++i) {
        const std::string name = "arm" + std::to_string(i);
        setup.graph.nodes[name] = node_of(model::NodeType::agent);
        setup.graph.edges.push_back({.from = "begin", .to = json::value(name)});
        setup.graph.edges.push_back({.from = name, .to = "end"});
    }
    return model::to_json_text(setup);
}

/// A host on a store of its own.
struct Bench {
    explicit Bench(storage::Store& store)
        : world(store), host(world.env, patterns), queries(store, &host), commands(host, queries)
    {
        patterns::add_patterns(patterns);
    }
    ~Bench() { world.wait(host.close()); }

    /// Creates that many tasks, all at once.
    std::vector<Id> begin(int count, const std::string& workflow)
    {
        std::vector<Async<Id>> created;
        for (int i = 0; i < count; ++i) {
            CreateTask task{.team = bench::team_of({}), .description = "Do it."};
            task.pattern = "graph@1";
            task.setup = workflow;
            created.push_back(commands.create(who, std::move(task)));
        }
        return world.wait(all(std::move(created)));
    }
    void until_end(const std::vector<Id>& tasks)
    {
        for (const Id& task : tasks) world.wait(host.until_resting(task));
    }

    Principal who = local_user("bench");
    bench::QuickWorld world;
    Patterns patterns;
    Host host;
    Queries queries;
    Commands commands;
};

void expect_status(Bench& bench, const Id& task, model::TaskStatus status)
{
    const auto state = bench.world.wait(bench.queries.task(bench.who, task));
    if (state->status == status) return;
    std::fprintf(stderr, "task %s is not as it should be: %s\n", to_string(task).c_str(), state->error.c_str());
    std::exit(1);
}

/// What no durable answer can do without: a few bytes on the same disk.
bench::Samples bare_writes(const std::filesystem::path& folder, int count)
{
    bench::Samples samples;
    const int file = ::open((folder / "bare").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string bytes(4096, 'x');
    for (int i = 0; i < count; ++i) {
        const auto begun = SteadyClock::now();
        if (::write(file, bytes.data(), bytes.size()) < 0 || ::fdatasync(file) != 0) std::perror("the disk");
        samples.add(bench::seconds_since(begun));
    }
    ::close(file);
    return samples;
}

void ask_waiting()
{
    constexpr int kTasks = 10'000, kAtOnce = 100, kAnswers = 200;
    const storage::TemporaryFolder folder;
    const auto store = storage::SqliteStore::open(folder.path());
    Bench bench(*store);
    const std::string workflow = review();
    const double before = memory_of_self("VmRSS:");
    std::vector<Id> tasks;
    for (int i = 0; i < kTasks; i += kAtOnce) {
        for (const Id& task : bench.begin(kAtOnce, workflow)) tasks.push_back(task);
        bench.world.loop.run_until([&] { return bench.host.active() == 0; });
    }
    expect_status(bench, tasks.front(), model::TaskStatus::waiting);
    std::printf("%d workflows wait for a person: %.1f MiB resident, %.1f before them, %.1f at most\n", kTasks,
                memory_of_self("VmRSS:"), before, memory_of_self("VmHWM:"));

    // the model call behind the person says when the task is awake
    SteadyClock::time_point asked_at;
    bench.world.model->answer = [&](const llm::Request&) {
        asked_at = SteadyClock::now();
        return llm::Completion{.text = "done", .usage = {.input = 10, .output = 5}};
    };
    bench::Samples recorded, awake, ended;
    const double cpu = cpu_seconds();
    for (int i = 0; i < kAnswers; ++i) {
        const Id& task = tasks[static_cast<std::size_t>(i) * (kTasks / kAnswers)];
        const auto begun = SteadyClock::now();
        bench.world.wait(bench.commands.answer(bench.who, task, "", {}));
        recorded.add(bench::seconds_since(begun));
        bench.world.wait(bench.host.until_resting(task));
        ended.add(bench::seconds_since(begun));
        awake.add(std::chrono::duration<double>(asked_at - begun).count());
    }
    std::printf("an answer, %d of them, %.2f ms of CPU each; median, p99 in ms\n", kAnswers,
                (cpu_seconds() - cpu) * 1000 / kAnswers);
    const auto say = [](const char* what, bench::Samples& samples) {
        std::printf("  %-38s %6.2f %6.2f\n", what, samples.ms(0.5), samples.ms(0.99));
    };
    say("until it is recorded", recorded);
    say("until the task asks its model", awake);
    say("until the task has ended", ended);
    bench::Samples bare = bare_writes(folder.path(), kAnswers);
    say("reference: 4 KiB written and synced", bare);
    expect_status(bench, tasks.front(), model::TaskStatus::completed);
}

void ask_fans()
{
    constexpr int kRuns = 1000;
    storage::MemoryStore store({.discard = true});
    Bench bench(store);
    const std::string workflow = fan();
    for (int i = 0; i < 50; ++i) bench.until_end(bench.begin(1, workflow));  // what is made only once
    const auto a_node = [&](auto work) {
        const double begun = cpu_seconds();
        work();
        return (cpu_seconds() - begun) * 1e6 / (kRuns * kNodes);
    };
    for (int round = 0; round < 3; ++round) {
        const double alone = a_node([&] {
            for (int i = 0; i < kRuns; ++i) bench.until_end(bench.begin(1, workflow));
        });
        const double at_once = a_node([&] { bench.until_end(bench.begin(kRuns, workflow)); });
        std::printf("fan-outs of five, CPU a node: %.1f us one after the other, %.1f us %d at once: %.2f x\n", alone,
                    at_once, kRuns, at_once / alone);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const auto asked = [&](const char* question) {
        return argc == 1 ||
               std::any_of(argv + 1, argv + argc, [&](const char* word) { return std::strcmp(word, question) == 0; });
    };
    bench::say_load();
    if (asked("waiting")) ask_waiting();
    if (asked("fans")) ask_fans();
}
