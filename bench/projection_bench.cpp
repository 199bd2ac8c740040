// What do the folders of tasks cost? The processor time of a step (a model call and a tool call, on SQLite in a temporary
// folder), without and with a projector beside it, for tasks of 3 and of 100 steps; and how long lists and collections take
// with 10,000 finished tasks.
//
//     projection_bench [QUESTION…]      steps many; both without arguments
#include "base/join.hpp"
#include "engine/commands.hpp"
#include "engine/projections/projector.hpp"
#include "engine/retention.hpp"
#include "patterns/patterns.hpp"
#include "quick_world.hpp"
#include "samples.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/temporary_folder.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

using namespace cadre;
using namespace cadre::engine;
using bench::seconds_since;
using bench::SteadyClock;

namespace {

namespace fs = std::filesystem;

double cpu_seconds()
{
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// A home in which tasks are run, with a projector or without.
class Home {
public:
    explicit Home(bool projects) : store(storage::SqliteStore::open(folder.path())), world(*store), pool(1)
    {
        patterns::add_patterns(patterns_);
        host = std::make_unique<Host>(world.env, patterns_);
        if (projects) project();
    }
    ~Home()
    {
        world.wait(host->close());
        host.reset();
        projector.reset();
    }

    /// From now on; and what was before.
    void project()
    {
        projector = std::make_unique<Projector>(ProjectorSetting{.loop = world.loop,
                                                                 .pool = pool,
                                                                 .store = *store,
                                                                 .folder = tasks(),
                                                                 .policy = model::framework::standard_retention(),
                                                                 .log = world.env.log});
        host->set_listener(projector.get());
        world.wait(projector->catch_up());
    }
    void finish() { world.wait(projector->finish(std::chrono::minutes(10))); }

    fs::path tasks() const { return folder.path() / "tasks"; }

    Async<> one_task(int steps)
    {
        const Id id = new_id(world.random);
        TaskSpec spec{.description = "Look at this and that, and say what you have found.",
                      .agent = "worker",
                      .pattern = "react@1",
                      .input = {{"steps", steps}}};
        co_await host->create(id, std::move(spec), bench::team_of({"look"}));
        co_await host->until_resting(id);
    }
    Async<> worker(int& left, int steps)
    {
        while (left-- > 0) co_await one_task(steps);
    }
    /// So many tasks of so many steps, 16 at a time, and their files.
    void run(int count, int steps)
    {
        world.model->answer = [steps](const llm::Request& request) -> std::optional<llm::Completion> {
            if (request.nth <= steps) {
                auto completion = bench::calls("look", {{"what", "the third drawer from the left"}});
                completion.text = "I look at the third drawer from the left, because nobody has done so yet.";
                return completion;
            }
            return llm::Completion{.text = "There is nothing in any drawer.", .usage = {.input = 10, .output = 5}};
        };
        int left = count;
        std::vector<Async<>> workers;
        for (int i = 0; i < 16; ++i) workers.push_back(worker(left, steps));
        world.wait(all(std::move(workers)));
        if (projector) finish();
    }

    storage::TemporaryFolder folder;
    std::unique_ptr<storage::Store> store;
    bench::QuickWorld world;
    ThreadPool pool;
    Patterns patterns_;
    std::unique_ptr<Host> host;
    std::unique_ptr<Projector> projector;
};

/// Processor time of a step in µs.
struct Cost {
    double alone = 1e9;
    double beside = 1e9;  // with files, while it runs
    double after = 1e9;   // of the files, made when all tasks are over

    void take_better(const Cost& other)
    {
        alone = std::min(alone, other.alone);
        beside = std::min(beside, other.beside);
        after = std::min(after, other.after);
    }
};

Cost measure(int count, int steps)
{
    Cost cost;
    const auto timed = [&](auto&& work) {
        const double before = cpu_seconds();
        work();
        return (cpu_seconds() - before) * 1e6 / count / steps;
    };
    {
        Home home(false);
        cost.alone = timed([&] { home.run(count, steps); });
        cost.after = timed([&] {
            home.project();
            home.finish();
        });
    }
    Home home(true);
    cost.beside = timed([&] { home.run(count, steps); });
    return cost;
}

void measure_steps()
{
    std::printf("%-10s %12s %22s %22s\n", "", "step, us", "files beside it, us", "files afterwards, us");
    for (const auto& [count, steps] : {std::pair(1000, 3), std::pair(40, 100)}) {
        Cost best;  // of three: others use this machine too
        for (int round = 0; round < 3; ++round) best.take_better(measure(count, steps));
        const double beside = best.beside - best.alone;
        std::printf("%3d steps  %12.1f %14.1f (%3.0f%%) %15.1f (%3.0f%%)\n", steps, best.alone, beside,
                    100 * beside / best.alone, best.after, 100 * best.after / best.alone);
    }
}

void measure_many()
{
    constexpr int kTasks = 10'000;
    Home home(true);
    home.run(kTasks, 3);
    ThreadPool two(2);
    Collector collector({.store = *home.store, .pool = two, .folder = home.tasks(), .clock = home.world.loop.clock()});
    model::framework::RetentionPolicy policy{.default_days = 0};
    const auto timed = [&](const char* what, auto&& work) {
        const auto start = SteadyClock::now();
        const std::size_t count = work();
        std::printf("%-44s %6zu tasks %9.1f ms\n", what, count, seconds_since(start) * 1e3);
    };
    timed("tasks: the newest 21", [&] { return home.world.wait(home.store->tasks({.limit = 21})).size(); });
    timed("tasks --all", [&] { return home.world.wait(home.store->tasks({.limit = SIZE_MAX})).size(); });
    timed("gc --dry-run, nothing is due", [&] { return home.world.wait(collector.plan({.default_days = 7})).size(); });
    timed("gc --dry-run, all are due", [&] { return home.world.wait(collector.plan(policy)).size(); });
    timed("gc", [&] { return home.world.wait(collector.collect(policy)).size(); });
}

}  // namespace

int main(int argc, char** argv)
{
    const auto wanted = [&](const char* question) {
        for (int i = 1; i < argc; ++i)
            if (std::strcmp(argv[i], question) == 0) return true;
        return argc == 1;
    };
    if (wanted("steps")) measure_steps();
    if (wanted("many")) measure_many();
    return 0;
}
