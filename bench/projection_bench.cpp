// What do the folders of tasks cost? The processor time of a step (a model call and a tool call, on SQLite in a temporary
// folder), without and with a projector beside it, for tasks of 3 and of 100 steps, and that of a bare loop that makes the same
// files; and how long lists and collections take with 10,000 finished tasks, in here and for who types `cadre tasks`.
//
//     projection_bench [QUESTION…]      short long many; all without arguments
#include "base/join.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "engine/projections/projector.hpp"
#include "engine/retention.hpp"
#include "patterns/patterns.hpp"
#include "quick_world.hpp"
#include "repeat.hpp"
#include "samples.hpp"
#include "storage/memory/memory_store.hpp"
#include "storage/private_folder.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/temporary_folder.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using namespace cadre::engine;
using bench::cpu_seconds;
using bench::seconds_since;
using bench::SteadyClock;

namespace {

namespace fs = std::filesystem;

/// Removed when all is measured: for half a minute ext4 looks at every inode that was freed before it takes a new one, and what
/// comes next would pay for it.
fs::path new_folder()
{
    static std::deque<storage::TemporaryFolder> kept;
    return kept.emplace_back().path();
}

/// The model calls the tool so many times, then answers.
void look_for(bench::QuickWorld& world, int steps)
{
    world.model->answer = [steps](const llm::Request& request) -> std::optional<llm::Completion> {
        if (request.nth <= steps) {
            auto completion = bench::calls("look", {{"what", "the third drawer from the left"}});
            completion.text = "I look at the third drawer from the left, because nobody has done so yet.";
            return completion;
        }
        return llm::Completion{.text = "There is nothing in any drawer.", .usage = {.input = 10, .output = 5}};
    };
}

TaskSpec looking(int steps)
{
    return {.description = "Look at this and that, and say what you have found.",
            .agent = "worker",
            .pattern = "react@1",
            .input = {{"steps", steps}}};
}

/// A home in which tasks are run, with a projector or without.
class Home {
public:
    explicit Home(bool projects) : store(storage::SqliteStore::open(folder)), world(*store), pool(1)
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

    fs::path tasks() const { return folder / "tasks"; }

    Async<> one_task(int steps)
    {
        const Id id = new_id(world.random);
        TaskSpec spec = looking(steps);
        co_await host->create("local", id, std::move(spec), bench::team_of({"look"}));
        co_await host->until_resting(id);
    }
    Async<> worker(int& left, int steps)
    {
        while (left-- > 0) co_await one_task(steps);
    }
    /// So many tasks of so many steps, 16 at a time, and their files.
    void run(int count, int steps)
    {
        look_for(world, steps);
        int left = count;
        std::vector<Async<>> workers;
        for (int i = 0; i < 16; ++i) workers.push_back(worker(left, steps));
        world.wait(all(std::move(workers)));
        if (projector) finish();
    }

    fs::path folder = new_folder();
    std::unique_ptr<storage::Store> store;
    bench::QuickWorld world;
    ThreadPool pool;
    Patterns patterns_;
    std::unique_ptr<Host> host;
    std::unique_ptr<Projector> projector;
};

/// The files of one task, to be made again without anything around it.
class Bare {
public:
    explicit Bare(const fs::path& task)
    {
        for (const auto& item : fs::recursive_directory_iterator(task)) {
            const std::string name = item.path().lexically_relative(task);
            if (item.is_directory()) folders_.push_back(name);
            else files_.emplace_back(name, std::string(item.file_size(), 'x'));
        }
    }
    void make(const fs::path& task) const
    {
        ::mkdir(task.c_str(), 0700);
        const int folder = ::open(task.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        for (const std::string& name : folders_) ::mkdirat(folder, name.c_str(), 0700);
        for (const auto& [name, text] : files_) {
            const int file = ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            if (file < 0 || ::write(file, text.data(), text.size()) < 0) std::perror(name.c_str());
            ::close(file);
        }
        ::close(folder);
    }

private:
    std::vector<std::string> folders_;  // those above before those below
    std::vector<std::pair<std::string, std::string>> files_;
};

/// Processor time of a step in µs.
struct Cost {
    double alone = 1e9;
    double beside = 1e9;  // with files, while it runs
    double after = 1e9;   // of the files, made when all tasks are over
    double bare = 1e9;    // of a loop that only makes them

    void take_better(const Cost& other)
    {
        alone = std::min(alone, other.alone);
        beside = std::min(beside, other.beside);
        after = std::min(after, other.after);
        bare = std::min(bare, other.bare);
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
        fs::path first;
        for (const auto& item : fs::directory_iterator(home.tasks()))
            if (item.is_directory()) first = item.path();
        const Bare bare(first);
        const fs::path folder = new_folder();
        cost.bare = timed([&] {
            for (int i = 0; i < count; ++i) bare.make(folder / (first.filename().string() + std::to_string(i)));
        });
    }
    Home home(true);
    cost.beside = timed([&] { home.run(count, steps); });
    return cost;
}

void measure_steps(int count, int steps)
{
    Cost best;  // of three: others use this machine too
    for (int round = 0; round < 3; ++round) best.take_better(measure(count, steps));
    std::printf("%3d steps a task: a step %.1f us; its files", steps, best.alone);
    const auto print = [&](const char* what, double cost) {
        std::printf(" %s %.1f us (%.0f%%, %.1f x bare)", what, cost, 100 * cost / best.alone, cost / best.bare);
    };
    print("beside it", best.beside - best.alone);
    print("afterwards", best.after);
    print("bare", best.bare);
    std::printf("\n");
}

/// Runs the program that lies beside this one's folder, and says how long it takes: the best of five.
void time_program(const fs::path& home, std::vector<std::string> arguments)
{
    const std::string program = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "cadre";
    std::string line = "cadre";
    for (const std::string& argument : arguments) line += " " + argument;
    arguments.insert(arguments.begin(), program);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    std::string variable = "CADRE_HOME=" + home.string();
    char* const environment[] = {variable.data(), nullptr};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    const std::string printed = home / "printed";
    ::posix_spawn_file_actions_addopen(&actions, 1, printed.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);

    double wall = 1e9, cpu = 1e9;
    for (int round = 0; round < 5; ++round) {
        const auto start = SteadyClock::now();
        pid_t child = 0;
        int status = 0;
        rusage used{};
        if (::posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environment) != 0 ||
            ::wait4(child, &status, 0, &used) != child || status != 0) {
            std::printf("%-44s cannot be run: build the target cadre, too\n", line.c_str());
            return;
        }
        wall = std::min(wall, seconds_since(start));
        cpu = std::min(cpu, cpu_seconds(used));
    }
    ::posix_spawn_file_actions_destroy(&actions);
    std::ifstream lines(printed);
    std::string last;
    std::size_t count = 0;
    for (std::string next; std::getline(lines, next); last = next) ++count;
    std::printf("%-44s %6zu lines %9.1f ms, cpu %.1f ms\n", line.c_str(), count, wall * 1e3, cpu * 1e3);
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
    fs::create_directory(home.folder / "config");
    std::ofstream(home.folder / "config/retention_policy.yaml") << "default_days: 0\n";
    time_program(home.folder, {"tasks"});
    time_program(home.folder, {"tasks", "--all"});
    time_program(home.folder, {"gc", "--dry-run"});
    timed("gc", [&] { return home.world.wait(collector.collect(policy)).size(); });
}

// ---- what is counted: the files of one finished task of three steps ----

class Finished {
public:
    Finished()
    {
        storage::MemoryStore store;
        bench::QuickWorld world(store);
        look_for(world, 3);
        Patterns patterns;
        patterns::add_patterns(patterns);
        Host host(world.env, patterns);
        const Id id = new_id(world.random);
        world.wait(host.create("local", id, looking(3), bench::team_of({"look"})));
        world.wait(host.until_resting(id));
        records_ = world.wait(store.read(id));
        const std::string key = fold(records_).spec.config;
        team_ = pinned_team_from(world.wait(store.find(std::string(kTeamDocument), key))->text);
        world.wait(host.close());
    }

    void project()
    {
        TaskFiles files;
        for (const storage::Record& record : records_) files.apply(record);
        auto draft = storage::PrivateFolder::draft(folder_.path() / std::to_string(++made_));
        files.write(draft, team_, policy_, {});
        draft.publish();
    }

private:
    std::vector<storage::Record> records_;
    PinnedTeam team_;
    const model::framework::RetentionPolicy policy_ = model::framework::standard_retention();
    storage::TemporaryFolder folder_;
    int made_ = 1000;  // names of the same length
};

std::vector<bench::Piece> pieces()
{
    return {{"task_files", [] { return [finished = std::make_shared<Finished>()] { finished->project(); }; }}};
}

}  // namespace

int main(int argc, char** argv)
{
    if (const auto code = bench::repeat(pieces(), argc, argv)) return *code;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // it takes minutes: what is known is shown
    const auto wanted = [&](const char* question) {
        for (int i = 1; i < argc; ++i)
            if (std::strcmp(argv[i], question) == 0) return true;
        return argc == 1;
    };
    if (wanted("short")) measure_steps(1000, 3);
    if (wanted("long")) measure_steps(40, 100);
    if (wanted("many")) measure_many();
    return 0;
}
