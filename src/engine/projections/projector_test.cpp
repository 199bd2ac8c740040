#include "engine/projections/test_home.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sys/stat.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;

TEST_CASE("whatever file is deleted or damaged, a rebuild gives the same bytes")
{
    Home home;
    home.script({calls("look"), calls("ask_human", {{"question", "Why?"}}), says("done")});
    TaskSpec spec = about("Look.");
    spec.breakpoints = {"tool:look"};
    const Id id = home.begin("talk@1", spec);
    home.settle(id);
    home.wait(home.commands->resume(kAnn, id));
    home.settle(id);
    home.wait(home.commands->answer(kAnn, id, "", {.message = "because"}));
    home.settle(id);
    const Files before = home.files(id);
    CHECK(before.size() == 15);
    home.wait(home.projector->rebuild(id));
    CHECK(home.files(id) == before);  // written bit by bit, or at once
    for (const auto& [name, text] : before) {
        CAPTURE(name);
        fs::remove(home.folder(id) / name);
        home.wait(home.projector->rebuild(id));
        CHECK(home.files(id) == before);
        std::ofstream(home.folder(id) / name) << "edited";
        home.wait(home.projector->rebuild(id));
        CHECK(home.files(id) == before);
    }
    fs::remove_all(home.folder(id));
    home.wait(home.projector->rebuild(id));
    CHECK(home.files(id) == before);
    CHECK_THROWS_AS(home.wait(home.projector->rebuild(new_id())), Error);
}

TEST_CASE("a task that waits for its start has its files, and they say so; cancelled, they say that")
{
    Home home;
    TaskSpec spec = about("Later.");
    spec.pending = true;
    const Id id = home.begin("talk@1", spec);
    home.settle(id);
    const Files before = home.files(id);
    CHECK_FALSE(before.empty());
    home.wait(home.projector->rebuild(id));
    CHECK(home.files(id) == before);
    home.wait(home.commands->cancel(kAnn, id, "never mind"));
    home.settle(id);
    const Files after = home.files(id);
    CHECK(after != before);
    home.wait(home.projector->rebuild(id));
    CHECK(home.files(id) == after);
}

TEST_CASE("what a crash left half written is cut off, and what is missing is written anew")
{
    Home home;
    home.script({calls("ask_human", {{"question", "Why?"}}), says("done"), says("done")});
    const Id id = home.begin("talk@1", about("Ask."));
    home.settle(id);
    std::ofstream(home.folder(id) / layout::kHistory, std::ios::app) << R"({"torn":)";
    SUBCASE("a torn line")
    {}
    SUBCASE("a log is gone")
    {
        fs::remove(home.folder(id) / layout::kLogs[1]);
    }
    SUBCASE("a file is shorter than it was")
    {
        fs::resize_file(home.folder(id) / layout::kHistory, 10);
    }
    SUBCASE("the cursor is damaged")
    {
        std::ofstream(home.folder(id) / layout::kCursor) << "{";
    }
    home.wait(home.commands->answer(kAnn, id, "", {.message = "because"}));
    home.settle(id);
    const Files after = home.files(id);
    home.wait(home.projector->rebuild(id));
    CHECK(home.files(id) == after);
    CHECK(home.history(id).size() == 4);
}

TEST_CASE("a task that goes on is written about once a second, a short one once")
{
    Home home;
    home.model->delay = 400ms;
    home.script({calls("look"), calls("look"), calls("look"), calls("look"), says("done")});
    const Id id = home.begin("talk@1", about("Look."));
    CHECK_FALSE(fs::exists(home.folder(id)));
    std::vector<std::int64_t> seen;  // how far the files were, each time they changed
    home.loop.run_until([&] {
        const auto text = storage::find_file(home.folder(id) / layout::kCursor);
        const std::int64_t seq = text ? model::from_text<Cursor>(*text).seq : 0;
        if (seen.empty() || seen.back() != seq) seen.push_back(seq);
        return home.host->active() == 0 && !home.projector->is_behind(id);
    });
    CHECK(seen.size() == 4);  // nothing, after 1 s, after 2 s, at the end
}

TEST_CASE("what a process could not write, the next one finds")
{
    Home home;
    home.model->answer = [](const llm::Request&) { return says("done"); };
    const Id id = home.begin("talk@1", about("Talk."));
    home.wait(home.host->until_resting(id));
    home.die();
    CHECK_FALSE(fs::exists(home.folder(id)));
    home.move_in();
    home.loop.run_until([&] { return !home.projector->is_behind(id); });
    CHECK(home.read_as<model::framework::Task>(id, layout::kTask).result == "done");

    home.wait(home.projector->finish(1s));
    CHECK(storage::find_file(home.tasks() / ".watermark")->ends_with("clean\n"));
    fs::remove_all(home.folder(id));
    home.die();
    home.move_in();  // nothing was left behind: no folder is looked at
    home.loop.settle();
    CHECK_FALSE(fs::exists(home.folder(id)));
    fs::remove_all(home.tasks());
    home.die();
    home.move_in();
    home.loop.run_until([&] { return !home.projector->is_behind(id); });
    CHECK(fs::exists(home.folder(id) / layout::kTrace));
}

TEST_CASE("a process that leaves before it has looked says nothing about what is behind")
{
    Home home;
    home.model->answer = [](const llm::Request&) { return says("done"); };
    const Id id = home.begin("talk@1", about("Talk."));
    home.wait(home.host->until_resting(id));
    home.die();
    home.move_in(false);
    home.wait(home.projector->finish(1s));
    home.die();
    home.move_in();
    home.loop.run_until([&] { return !home.projector->is_behind(id); });
    CHECK(fs::exists(home.folder(id) / layout::kTrace));
}

TEST_CASE("an interrupted task's files show its last step after the restart")
{
    Home home;
    home.model->delay = 10ms;
    home.look->takes = 1h;
    home.script({calls("look")});
    const Id id = home.begin("talk@1", about("Look."));
    home.loop.run_until([&] { return home.look->dispatched.size() == 1; });
    home.die();
    home.move_in();
    home.loop.run_until([&] { return !home.projector->is_behind(id); });
    CHECK(home.history(id).size() == 2);
    CHECK(home.read_as<model::framework::Task>(id, layout::kTask).status == model::framework::TaskStatus::running);
}

TEST_CASE("finish gives up after its time, and the next process goes on")
{
    Home home;
    home.model->answer = [](const llm::Request&) { return says("done"); };
    const Id id = home.begin("talk@1", about("Talk."));
    home.wait(home.host->until_resting(id));
    home.disk.stuck = true;
    home.wait(home.projector->finish(3s));
    home.disk.stuck = false;
    CHECK(storage::find_file(home.tasks() / ".watermark")->ends_with("open\n"));
    home.die();
    home.move_in();
    home.loop.run_until([&] { return !home.projector->is_behind(id); });
    CHECK(fs::exists(home.folder(id) / layout::kTrace));
}

TEST_CASE("folders and files are for their user alone")
{
    Home home;
    home.model->answer = [](const llm::Request&) { return says("done"); };
    const Id id = home.begin("talk@1", about("Talk."));
    home.settle(id);
    for (const auto& item : fs::recursive_directory_iterator(home.tasks())) {
        CAPTURE(item.path());
        struct stat facts{};
        REQUIRE(::lstat(item.path().c_str(), &facts) == 0);
        CHECK((facts.st_mode & 0777) == (item.is_directory() ? 0700 : 0600));
    }
}

TEST_CASE("a secret of a task below is masked in the folder of the one above too")
{
    Home home;
    home.model->answer = [](const llm::Request&) { return says("The key is sk-proj-abc123DEF456ghi789jkl012."); };
    const Id id = home.begin("delegate@1", about("Ask somebody."));
    home.wait(home.host->until_resting(id));
    home.wait(home.projector->finish(10s));
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(home.tasks())) {
        if (!entry.is_regular_file()) continue;
        ++files;
        CHECK(storage::find_file(entry.path())->find("sk-proj-abc123") == std::string::npos);
    }
    CHECK(files > 20);
}

TEST_CASE("a rebuild removes what a crash or a person has put where our files belong, and nothing else")
{
    Home home;
    home.model->answer = [](const llm::Request&) { return says("done"); };
    const Id id = home.begin("talk@1", about("Talk."));
    home.wait(home.host->until_resting(id));
    home.wait(home.projector->finish(10s));
    const fs::path folder = home.folder(id);
    fs::create_directories(folder / "artifacts");
    for (const char* name : {"checkpoint_007.json", ".agentx/logs/errors.log", "artifacts/mine.txt", "notes.txt"})
        std::ofstream(folder / name) << "stray";
    fs::remove(folder / layout::kTrace);
    fs::create_directory(folder / layout::kTrace);
    home.die();
    home.move_in();
    home.wait(home.projector->rebuild(id));
    CHECK(fs::is_regular_file(folder / layout::kTrace));
    CHECK_FALSE(fs::exists(folder / "checkpoint_007.json"));
    CHECK_FALSE(fs::exists(folder / ".agentx/logs/errors.log"));
    CHECK(fs::exists(folder / "artifacts/mine.txt"));
    CHECK(fs::exists(folder / "notes.txt"));
}

TEST_CASE("folders of tasks that never came to be go when the next process looks")
{
    Home home;
    const fs::path orphan = home.tasks() / to_string(new_id(home.random));
    fs::create_directories(orphan / "artifacts");
    fs::create_directories(home.tasks() / "not-a-task");
    fs::last_write_time(orphan, fs::file_time_type::clock::now() - 1h);
    home.die();
    home.move_in();
    CHECK_FALSE(fs::exists(orphan));
    CHECK(fs::exists(home.tasks() / "not-a-task"));
}
