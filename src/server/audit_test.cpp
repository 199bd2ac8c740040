#include "server/audit.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "net/loop.hpp"
#include "server/route.hpp"
#include "storage/files.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sys/stat.h>

using namespace cadre;
using namespace cadre::server;
using test::error_of;

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

const Time kNovember = time_from_iso("2026-11-30T23:59:59Z");
const Time kDecember = time_from_iso("2026-12-01T00:00:00Z");

AuditEntry entry(const std::string& verb, Time time = kNovember, const std::string& subject = "ann")
{
    return {.time = time, .kind = "act", .verb = verb, .subject = subject, .status = 200};
}

std::string verbs_of(const AuditPage& page)
{
    std::string all;
    for (const AuditEntry& one : page.entries)
        all += one.verb + (one.count > 1 ? "*" + std::to_string(one.count) : "") + " ";
    return all;
}

/// Files of an audit, without anything around them.
struct Folder {
    std::string read(const AuditFilter& filter = {}, const AuditPlace& from = {}, std::size_t limit = 100)
    {
        const AuditPage page = read_audit(path, "acme", filter, from, limit);
        next = page.next;
        return verbs_of(page);
    }
    std::string text(const std::string& month = "2026-11") const
    {
        return storage::find_file(path / "acme" / (month + ".jsonl")).value_or("");
    }
    void write(const std::string& text, const std::string& month = "2026-11") const
    {
        std::ofstream(path / "acme" / (month + ".jsonl"), std::ios::binary) << text;
    }

    storage::TemporaryFolder temporary;
    fs::path path = temporary.path() / "audit";
    std::optional<AuditPlace> next;
};

}  // namespace

TEST_CASE("audit: a month is a file of ours alone, each line follows the one before, over months and restarts")
{
    Folder at;
    AuditFiles(at.path).append("acme", {entry("one"), entry("two"), entry("three", kDecember)});
    AuditFiles(at.path).append("acme", {entry("four", kDecember)});
    AuditFiles(at.path).append("globex", {entry("other")});
    CHECK(at.read() == "one two three four ");
    CHECK_FALSE(find_audit_fault(at.path, "acme"));
    CHECK(find_audit_line(at.text().substr(0, at.text().find('\n')))->before == Hash{});
    struct stat found{};
    REQUIRE(::stat((at.path / "acme" / "2026-11.jsonl").c_str(), &found) == 0);
    CHECK((found.st_mode & 0777) == 0600);
    fs::remove(at.path / "acme" / "2026-11.jsonl");  // what is too old may go
    CHECK_FALSE(find_audit_fault(at.path, "acme"));
}

TEST_CASE("audit: a line that was changed, added, removed or moved is found")
{
    const auto fault_after = [](auto change) {
        Folder at;
        AuditFiles(at.path).append("acme", {entry("one"), entry("two"), entry("three"), entry("four", kDecember)});
        const std::string text = at.text();
        const std::size_t first = text.find('\n') + 1, second = text.find('\n', first) + 1;
        at.write(change(text.substr(0, first), text.substr(first, second - first), text.substr(second)));
        return doctest::String(find_audit_fault(at.path, "acme").value_or("").c_str());
    };
    using S = std::string;
    CHECK(fault_after([](S a, S b, S c) { return a + b + c; }) == "");
    CHECK(fault_after([](S a, S b, S c) { return a.replace(a.find("ann"), 3, "eve") + b + c; }) ==
          doctest::Contains("2026-11.jsonl, line 2: this line does not follow"));
    CHECK(fault_after([](S a, S, S c) { return a + c; }) == doctest::Contains("line 2"));
    CHECK(fault_after([](S a, S b, S c) { return a + a + b + c; }) == doctest::Contains("line 2"));
    CHECK(fault_after([](S a, S b, S c) { return a + c + b; }) == doctest::Contains("line 2"));
    CHECK(fault_after([](S a, S b, S) { return a + b; }) == doctest::Contains("2026-12.jsonl, line 1"));
    CHECK(fault_after([](S a, S b, S c) { return a + "nonsense\n" + b + c; }) == doctest::Contains("is not a line"));
}

TEST_CASE("audit: a line that a crash left half written is cut off, and the next one follows the last whole one")
{
    Folder at;
    AuditFiles(at.path).append("acme", {entry("one"), entry("two")});
    const std::string whole = at.text();
    for (std::size_t cut = whole.find('\n') + 1; cut < whole.size(); cut += 7) {
        CAPTURE(cut);
        at.write(whole.substr(0, cut));
        AuditFiles(at.path).append("acme", {entry("three")});
        CHECK(at.read() == "one three ");
        CHECK_FALSE(find_audit_fault(at.path, "acme"));
    }
}

TEST_CASE("audit: a clock that goes back does not write into a month that is over")
{
    Folder at;
    AuditFiles files(at.path);
    files.append("acme", {entry("one", kDecember)});
    files.append("acme", {entry("two", kNovember)});
    CHECK(at.text() == "");
    CHECK(at.read() == "one two ");
    CHECK_FALSE(find_audit_fault(at.path, "acme"));
}

TEST_CASE("audit: it is read in pages, narrowed by time, subject, verb and kind")
{
    Folder at;
    AuditEntry denied = entry("five", kDecember, "bob");
    denied.kind = "denied";
    AuditFiles(at.path).append("acme", {entry("one"), entry("two", kNovember, "bob"), entry("one", kDecember),
                                        entry("four", kDecember), denied});
    std::string all;
    std::optional<AuditPlace> from = AuditPlace{};
    for (int pages = 0; from && pages < 10; ++pages) {
        all += at.read({}, *from, 2) + "| ";
        from = at.next;
    }
    CHECK(all == "one two | one four | five | ");
    CHECK(at.read({.subject = "bob"}) == "two five ");
    CHECK(at.read({.verb = "one"}) == "one one ");
    CHECK(at.read({.kind = "denied"}) == "five ");
    CHECK(at.read({.after = kNovember}) == "one four five ");
    CHECK(at.read({.before = kDecember}) == "one two ");
    CHECK(read_audit(at.path, "nobody", {}, {}, 10).entries.empty());
}

TEST_CASE("audit: what waits is written together, in order, before anybody is told that it was")
{
    net::Loop loop;
    Folder at;
    {
        Audit audit(at.path, loop.clock());
        AsyncScope scope(loop);
        for (int i = 0; i < 50; ++i) scope.spawn(audit.acted("acme", entry("v" + std::to_string(i))));
        run(loop, scope.join());
        CHECK(run(loop, audit.read("acme", {}, {}, 100)).entries.size() == 50);
    }
    std::string expected;
    for (int i = 0; i < 50; ++i) expected += "v" + std::to_string(i) + " ";
    CHECK(at.read() == expected);
    CHECK_FALSE(find_audit_fault(at.path, "acme"));
}

TEST_CASE("audit: what cannot be written is told, and written once it can be")
{
    net::Loop loop;
    Folder at;
    std::ofstream(at.path) << "a file where the folder should be";
    Audit audit(at.path, loop.clock());
    CHECK(error_of([&] { run(loop, audit.acted("acme", entry("one"))); }) == doctest::Contains("unavailable"));
    fs::remove(at.path);
    run(loop, audit.acted("acme", entry("two")));
    CHECK(at.read() == "one two ");
}

TEST_CASE("audit: refusals beyond ten a minute, of one sender and reason, are counted")
{
    net::Loop loop;
    ManualClock clock(kDecember);
    Folder at;
    Audit audit(at.path, clock);
    const auto refuse = [&](const std::string& subject, const std::string& reason, int times) {
        for (int i = 0; i < times; ++i) {
            AuditEntry denied = entry(subject, kDecember, subject);
            denied.kind = "denied";
            denied.reason = reason;
            run(loop, audit.refused("acme", denied));
        }
    };
    refuse("a", "work", 25);
    refuse("b", "work", 1);
    refuse("a", "read", 1);
    CHECK(at.read() == "a a a a a a a a a a b a ");
    clock.advance(59s);
    refuse("a", "work", 2);
    clock.advance(1s);
    refuse("a", "work", 1);  // a new minute: what was counted, and then this one
    CHECK(at.read() == "a a a a a a a a a a b a a*17 a ");
    refuse("a", "work", 12);
    run(loop, audit.flush());
    CHECK(at.read().ends_with("a*3 "));
    CHECK_FALSE(find_audit_fault(at.path, "acme"));
}

TEST_CASE("audit: answers, cancels and changes stand in it, and ordinary work does not")
{
    using engine::Act;
    CHECK(is_audited({.method = Method::post, .name = "respond", .act = Act::reply, .shed = Shed::never}));
    CHECK(is_audited({.method = Method::post, .name = "cancel_task", .act = Act::work, .shed = Shed::never}));
    CHECK(is_audited({.method = Method::post, .name = "create_key", .act = Act::administer}));
    CHECK(is_audited({.method = Method::post, .name = "fork", .act = Act::change}));
    CHECK(is_audited({.name = "export_task", .act = Act::change}));
    CHECK_FALSE(is_audited({.method = Method::post, .name = "create_task", .act = Act::work}));
    CHECK_FALSE(is_audited({.name = "get_task"}));
    CHECK_FALSE(is_audited({.name = "list_keys", .act = Act::administer}));
    CHECK_FALSE(is_audited({.method = Method::post, .name = "open", .act = std::nullopt}));
}
