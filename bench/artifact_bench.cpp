// What do versions of files cost? A file of 1 MiB that a tool has written: the look at the folder that keeps it, beside the write; and
// how long the list of a file's versions takes, from a journal on SQLite that has 10,000 of them to the text of the answer.
#include "artifacts/keeper.hpp"
#include "base/sha256.hpp"
#include "engine/body.hpp"
#include "engine/commands.hpp"
#include "engine/host.hpp"
#include "home/artifact_requests.hpp"
#include "model/write.hpp"
#include "patterns/patterns.hpp"
#include "quick_world.hpp"
#include "samples.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "storage/temporary_folder.hpp"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

using namespace cadre;
using namespace cadre::engine;
using bench::seconds_since;
using bench::SteadyClock;

namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 50;
constexpr int kVersions = 10'000;

double median(std::vector<double> all)
{
    std::ranges::sort(all);
    return all[all.size() / 2];
}

void write_file(const fs::path& file, const std::string& content, bool sync)
{
    const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (::write(opened, content.data(), content.size()) < 0 || (sync && ::fsync(opened) != 0)) std::perror("write");
    ::close(opened);
}

void keep_large_files()
{
    const storage::TemporaryFolder home;
    const std::string task = "11111111-1111-4111-8111-111111111111";
    const fs::path files = home.path() / task / "artifacts";
    fs::create_directories(files);
    artifacts::Keeper keeper(home.path());
    std::vector<double> writes, durable, keeps;
    for (int i = 0; i < kRounds; ++i) {
        std::string content(1 << 20, 'x');
        const std::string number = std::to_string(i);
        content.replace(0, number.size(), number);
        auto begin = SteadyClock::now();
        write_file(home.path() / "other", content, true);
        durable.push_back(seconds_since(begin) * 1e3);
        begin = SteadyClock::now();
        write_file(files / "large.bin", content, false);
        writes.push_back(seconds_since(begin) * 1e3);
        const std::vector<std::string> named{"large.bin"};
        begin = SteadyClock::now();
        keeper.collect(task, named, false);
        keeps.push_back(seconds_since(begin) * 1e3);
    }
    std::printf("1 MiB, ms: a write %.2f, a write that is synced %.2f, the look that keeps it %.2f\n", median(writes),
                median(durable), median(keeps));
}

JournalEntry version_entry(int number, Time at)
{
    const Saved saved{{.path = "report.md",
                       .version = number,
                       .sha256 = to_hex(sha256(std::to_string(number))),
                       .size = 1'000,
                       .mime_type = "text/markdown"},
                      number == 1 ? ArtifactChange::created : ArtifactChange::modified,
                      1'000};
    UpkeepBody body{.what = "upload", .by = "ann", .artifact = saved.artifact, .change = saved.change};
    return {.kind = storage::RecordKind::upkeep, .body = text_of(body), .events = count_events(saved), .at = at};
}

void list_versions()
{
    const storage::TemporaryFolder folder;
    const auto store = storage::SqliteStore::open(folder.path());
    bench::QuickWorld world(*store);
    Patterns patterns;
    patterns::add_patterns(patterns);
    Host host(world.env, patterns);
    Queries queries(*store, &host);
    const Principal ann = local_user("ann");
    const Id first = new_id(system_random()), task = new_id(system_random());
    TaskSpec spec{.description = "Hello.", .agent = "worker", .pattern = "react@1"};
    world.wait(host.create(std::string(kLocalTenant), first, std::move(spec), bench::team_of({"look"})));
    world.wait(host.until_resting(first));
    std::vector<JournalEntry> entries;
    std::uint32_t events = 0;
    for (const storage::Record& record : world.wait(queries.records(ann, first))) {
        entries.push_back({.kind = record.kind,
                           .path = record.path,
                           .ask = record.ask,
                           .body = record.body,
                           .events = static_cast<int>(record.event_seq - events),
                           .at = record.at});
        events = record.event_seq;
    }
    const Time at = entries.back().at;
    for (int i = 1; i <= kVersions; ++i) entries.push_back(version_entry(i, at));
    world.wait(host.write_journal(std::string(kLocalTenant), task, std::move(entries)));

    std::vector<double> all, reads;
    std::size_t size = 0;
    for (int i = 0; i < kRounds; ++i) {
        const auto begin = SteadyClock::now();
        const auto records = world.wait(queries.records(ann, task));
        reads.push_back(seconds_since(begin) * 1e3);
        const Histories histories = histories_of(records);
        size = model::to_json_text(home::versions_in(histories, "report.md")).size();
        all.push_back(seconds_since(begin) * 1e3);
    }
    std::printf("%d versions, ms: the journal is read and checked in %.1f, the list (%zu bytes) is there in %.1f\n",
                kVersions, median(reads), size, median(all));
    world.wait(host.close());
}

}  // namespace

int main()
{
    keep_large_files();
    list_versions();
}
