// Files that tools leave in the folder of their task: what the journal says of them, and how it goes when the process dies.
#include "base/json.hpp"
#include "engine/artifact_history.hpp"
#include "engine/body.hpp"
#include "engine/projections/chronicle.hpp"
#include "engine/test_seams.hpp"
#include "engine/upkeep.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;

namespace {

KeptBlob blob(const std::string& path, const std::string& content)
{
    return {.path = path,
            .sha256 = to_hex(sha256(content)),
            .size = static_cast<std::int64_t>(content.size()),
            .mime_type = "text/plain"};
}

model::ToolCall pays(int number)
{
    return {.id = "tc_" + std::to_string(number), .tool_name = "pay", .args = {{"n", number}}};
}

Async<model::Reply> pay_four_times(Run& run)
{
    std::string text;
    for (int i = 1; i <= 4; ++i) {
        std::vector<model::ToolCall> calls{pays(i)};
        text += (co_await run.use(run.agent(), std::move(calls)))[0].text + ";";
    }
    co_return run.reply(text);
}

/// A folder in which the calls of `pay` leave what there was by then.
struct Folder : Seams {
    explicit Folder(const std::function<Async<model::Reply>(Run&)>& pattern = pay_four_times) : Seams(pattern)
    {
        pay->mutable_definition().type = model::ToolType::custom;
        pay->mutable_definition().path = "pay";
        team = team_of({"pay"});
        pay->answer = [this](const tools::Call& call) {
            const int number = call.arguments.at("n").to_number<int>();
            artifacts.found = {.is_all = true};
            if (number == 1) artifacts.found.files = {blob("a.txt", "one"), blob("b.txt", "b")};
            if (number == 2) artifacts.found.files = {blob("a.txt", "second"), blob("b.txt", "b")};
            if (number == 3) artifacts.found.files = {blob("a.txt", "second")};
            if (number == 4) {
                artifacts.found.files = {blob("a.txt", "second"), blob("b.txt", "b")};
                artifacts.found.kept_out = {"c.txt"};
                artifacts.found.problems = {"\"c.txt\" is not kept: it does not fit"};
            }
            return tools::Result{.text = "paid " + std::to_string(number)};
        };
    }
};

std::vector<std::string> told(const Histories& histories)
{
    std::vector<std::string> all;
    for (const auto& [path, history] : histories)
        for (const artifacts::Version& version : history.versions)
            all.push_back(path + " " + std::to_string(version.version) + " " + std::to_string(version.size) + " " +
                          version.by + " " + version.reason);
    return all;
}

const std::vector<std::string> kAll{"a.txt 1 3 pay tool", "a.txt 2 6 pay tool", "b.txt 1 1 pay tool",
                                    "b.txt 2 1 pay tool"};

}  // namespace

TEST_CASE(
    "artifacts: what a call has changed on disk is on record with it, and the public hears of it")  // EVT-28 U, EVT-29 U, STEP-25 U
{
    Folder world;
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "paid 1;paid 2;paid 3;paid 4\n[\"c.txt\" is not kept: it does not fit];");
    const auto records = world.records(id);
    CHECK(told(histories_of(records)) == kAll);
    const auto types = events_in(records);
    CHECK(count_of(types, "event_artifact_created") == 2);
    CHECK(count_of(types, "event_artifact_modified") == 3);  // the second is that b.txt was removed
    CHECK(count_of(types, "event_artifact_versioned") == 2);
    const TaskState state = world.state(id);
    CHECK(state.artifacts.at("a.txt").version == 2);
    CHECK(state.deleted.empty());
    CHECK(artifacts_of(state) == std::vector<std::string>{"artifacts/a.txt", "artifacts/b.txt"});
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    CHECK(world.wait(world.queries->verify(kAnn, id)).problems.empty());
}

TEST_CASE("artifacts: a file that a tool has removed is gone, and its versions are not")
{
    Folder world;
    const Id id = world.play();
    world.finish(id);
    auto records = world.records(id);
    while (records.back().kind != storage::RecordKind::outcome || records.back().path != "use:3.0") records.pop_back();
    const Histories histories = histories_of(records);
    CHECK(histories.at("b.txt").deleted);
    CHECK(histories.at("b.txt").versions.size() == 1);
    const TaskState state = fold(records);
    CHECK(state.deleted == std::set<std::string>{"b.txt"});
    CHECK(artifacts_of(state) == std::vector<std::string>{"artifacts/a.txt"});
}

TEST_CASE("case 9: a crash after any record leaves each version once, counted from the journal")
{
    Folder whole;
    const Id id = whole.play();
    const auto journal = journal_of(whole, id);
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        Folder world;
        world.adopt(journal, length);
        const TaskState state = world.finish(id);
        CHECK(state.status == model::TaskStatus::completed);
        const auto versions = told(histories_of(world.records(id)));
        CHECK(versions.size() <= kAll.size());  // fewer where a person said what came of a call, and nobody looked
        for (std::size_t i = 1; i < versions.size(); ++i) CHECK(versions[i] != versions[i - 1]);
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    }
}

TEST_CASE("case 1: two tools that write one path at once make versions 1 and 2, and the newest is what is there")
{
    Folder world([](Run& run) -> Async<model::Reply> {
        std::vector<model::ToolCall> calls{pays(1), pays(2)};
        co_await run.use(run.agent(), std::move(calls));
        co_return run.reply("");
    });
    int looks = 0;
    world.pay->answer = [&](const tools::Call&) {
        world.artifacts.found = {.files = {blob("x", std::to_string(++looks))}, .is_all = true};
        return tools::Result{.text = "paid"};
    };
    world.artifacts.delay = Millis(5);
    const Id id = world.play();
    world.finish(id);
    const Histories histories = histories_of(world.records(id));
    const auto& versions = histories.at("x").versions;
    for (std::size_t i = 0; i < versions.size(); ++i) CHECK(versions[i].version == static_cast<int>(i) + 1);
    CHECK(versions.back().sha256 == to_hex(sha256("2")));
}

TEST_CASE("artifacts: a step of the history refers to what was made, and does not hold it")  // STEP-17 U
{
    Folder world;
    const Id id = world.play();
    world.finish(id);
    Chronicle chronicle;
    for (const storage::Record& record : world.records(id)) chronicle.apply(record);
    std::vector<std::string> uris;
    for (const model::Step& step : chronicle.history())
        for (const model::Part& part : step.parts)
            if (const auto* made = std::get_if<model::ArtifactPart>(&part)) {
                uris.push_back(made->artifact.uri + " " + made->artifact.version.value());
                CHECK(made->artifact.created_by == "pay");
            }
    CHECK(uris == std::vector<std::string>{"file://artifacts/a.txt 1", "file://artifacts/b.txt 1",
                                           "file://artifacts/a.txt 2", "file://artifacts/b.txt 2"});
}

TEST_CASE("artifacts: a disk that keeps nothing is told, and the call is what it was")
{
    struct Full final : ArtifactPort {
        Async<KeptBlob> keep(Id, ArtifactDraft) override { throw Error(Code::unavailable, "the disk is full"); }
        Async<FoundFiles> collect(Id, std::vector<std::string>, bool) override
        {
            throw Error(Code::unavailable, "the disk is full");
        }
    } full;
    Folder world([](Run& run) -> Async<model::Reply> {
        std::vector<model::ToolCall> calls{pays(1)};
        co_return run.reply((co_await run.use(run.agent(), std::move(calls)))[0].text);
    });
    world.env->artifacts = &full;
    CHECK(ending(world.finish(world.play())) == "paid 1\n[no new version of files is kept: the disk is full]");
    world.crash();
}

TEST_CASE("artifacts: of what an imported journal says, what cannot be is left out")
{
    const auto record = [](const std::string& path, const std::string& sha256, const std::string& change) {
        return storage::Record{.seq = 3,
                               .kind = storage::RecordKind::upkeep,
                               .body = R"({"what":"upload","artifact":{"path":)" + to_text(boost::json::value(path)) +
                                       R"(,"version":1,"sha256":")" + sha256 + R"(","size":1},"change":")" + change +
                                       "\"}"};
    };
    const std::string good = to_hex(sha256("x"));
    Histories histories;
    for (const char* path : {"../x", "/etc/passwd", "a/.versions/b/1", ".metadata.json", "a\nb"})
        CHECK_FALSE(note_versions(histories, record(path, good, "created")));
    for (const char* hash : {"../../etc/passwd", "", "ab", "G"})
        CHECK_FALSE(note_versions(histories, record("a", hash, "created")));
    CHECK_FALSE(note_versions(histories, record("a", good, "deleted")));
    CHECK_FALSE(note_versions(histories, record("a", good, "unchanged")));
    CHECK(histories.empty());
    CHECK(note_versions(histories, record("a", good, "created")));
    CHECK(note_versions(histories, record("a", good, "deleted")));
    CHECK(histories.at("a").deleted);
}

TEST_CASE("artifacts: of very many changes one record has the first, and the next look finds the others")
{
    TaskState state;
    FoundFiles found{.is_all = true};
    for (int i = 0; i < 2'500; ++i) found.files.push_back(blob("f" + std::to_string(i), "x"));
    std::size_t all = 0;
    for (int look = 0; look < 4; ++look) {
        const auto changes = changes_in(state, found);
        CHECK(changes.size() <= 1'000);
        for (const Saved& saved : changes) state.artifacts.insert_or_assign(saved.artifact.path, saved.artifact);
        all += changes.size();
    }
    CHECK(all == 2'500);
}
