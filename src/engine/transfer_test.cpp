#include "engine/transfer.hpp"

#include "base/json.hpp"
#include "engine/test_world.hpp"
#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using cadre::test::error_of;
using model::TaskStatus;
using storage::Record;

namespace {

constexpr const char* kKey = "sk-proj-abc123DEF456ghi789";

/// `worker` calls a tool, asks, and lets `helper` finish.
struct Home : World {
    explicit Home(std::uint64_t seed = 7)
    {
        random = SeededRandom(seed);
        patterns.add({"office@1", [](Run& run) -> Async<model::Reply> {
                          run.tell(run.prompt());
                          const Step step = co_await run.think(run.agent());
                          if (run.agent().name == "helper") co_return run.reply(step.text);
                          co_await run.use(run.agent(), step.calls);
                          const auto answer = co_await run.ask({.context = {{"question", "ok?"}}});
                          co_return co_await run.delegate(run.agent("helper"), answer.message);
                      }});
        team = team_of({"send"});
        team->agents.push_back({.name = "helper", .role = "helps", .prompt = "You help."});
        send = add_tool("send", model::Effect::once);
        model->answer = [this](const llm::Request& request) {
            return request.agent == "helper" ? says("helped") : calls("send", {{"text", words}});
        };
    }
    Id begun()
    {
        const Id id = begin("office@1", {.description = "Do it.", .agent = "worker"});
        CHECK(rest(id).status == TaskStatus::waiting);
        return id;
    }
    Id done()
    {
        const Id id = begun();
        wait(commands->answer(kAnn, id, "", {.message = "yes"}));
        CHECK(rest(id).status == TaskStatus::completed);
        return id;
    }
    std::string exported(const Id& id, bool full = false) { return file_of(wait(queries->export_run(kAnn, id, full))); }
    ImportReport import(const std::string& text) { return wait(commands->import_run(kAnn, transfer_from(text))); }
    std::vector<std::string> events(const Id& id)
    {
        std::vector<std::string> all;
        for (const Record& record : records(id))
            for (std::string& event : events_of(record)) all.push_back(std::move(event));
        return all;
    }

    std::string words = "hello";
    std::shared_ptr<FakeTool> send;
};

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// The lines as a file that is whole by its own account.
std::string sealed(std::vector<std::string> lines)
{
    lines.pop_back();
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text + R"({"end":{"lines":)" + std::to_string(lines.size()) + R"(,"sha256":")" + to_hex(sha256(text)) +
           "\"}}\n";
}

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    const auto at = text.find(from);
    REQUIRE(at != text.npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a run that was exported and imported elsewhere has the same events, replays, and can be forked")
{
    Home home(1), other(2);
    const Id id = home.done();
    const std::string text = home.exported(id);
    const ImportReport report = other.import(text);
    CHECK(report.task == id);
    CHECK(report.tasks == 2);
    CHECK(!report.existed);
    CHECK(!report.redacted);  // there was nothing to mask
    CHECK(other.events(id) == home.events(id));
    CHECK(other.wait(other.commands->replay(kAnn, id)).diverged == "");
    CHECK(other.wait(other.queries->verify(kAnn, id)).problems.empty());
    CHECK(other.state(id).reply->text == "helped");
    CHECK(other.send->dispatched.empty());

    // once more, and back home: nothing changes
    CHECK(other.import(text).existed);
    CHECK(home.import(text).existed);
    CHECK(!home.state(id).spec.imported);
    // what was imported can go on to the next
    Home third(3);
    third.import(other.exported(id));
    CHECK(third.events(id) == home.events(id));

    const ForkReport fork = other.wait(other.commands->fork(kAnn, {.from = id, .agent = "worker", .prompt = "Again."}));
    other.wait(other.host->wake(fork.task));
    CHECK(other.rest(fork.task).status == TaskStatus::waiting);
    CHECK(other.send->dispatched.empty());  // the file says that it is allowed, and nobody here has
    other.wait(other.commands->answer(kAnn, fork.task, "", {.verb = model::HumanVerb::approve}));
    CHECK(other.rest(fork.task).status == TaskStatus::waiting);
    CHECK(other.send->dispatched.size() == 1);
}

TEST_CASE("an imported task never goes on, whatever it had begun; a fork of it does")
{
    Home home(1), other(2);
    home.send->takes = 1h;
    const Id id = home.begin("office@1", {.description = "Do it.", .agent = "worker"});
    home.loop.settle();
    REQUIRE(home.send->dispatched.size() == 1);  // and nobody knows yet what came of it
    const std::string text = home.exported(id);
    other.import(text);
    CHECK(other.wait(other.host->wake_all()) == 0);
    for (const char* what : {"resume", "cancel", "instruct"}) {
        CAPTURE(what);
        CHECK(error_of([&] {
                  if (what[0] == 'r') other.wait(other.commands->resume(kAnn, id));
                  else if (what[0] == 'c') other.wait(other.commands->cancel(kAnn, id, ""));
                  else other.wait(other.commands->instruct(kAnn, id, "x"));
              }) == doctest::Contains("was imported"));
    }
    other.restart();
    CHECK(other.wait(other.host->wake_all()) == 0);
    CHECK(other.send->dispatched.empty());
    CHECK(other.wait(other.commands->replay(kAnn, id)).diverged == "");
    CHECK(!other.wait(other.store.find_task(id))->open);

    const Id fork =
        other.wait(other.commands->fork(kAnn, {.from = id, .at = ForkPoint{ForkPoint::By::record, 4}})).task;
    other.wait(other.host->wake(fork));
    CHECK(other.rest(fork).status == TaskStatus::waiting);
    CHECK(other.send->dispatched.empty());
    other.wait(other.commands->answer(kAnn, fork, "", {.verb = model::HumanVerb::approve}));
    CHECK(other.rest(fork).status == TaskStatus::waiting);
    CHECK(other.send->dispatched.size() == 1);
    CHECK(other.model->requests.empty());
}

TEST_CASE("an export holds no credential unless it is full, and what is masked can still be read and replayed")
{
    Home home(1);
    home.words = std::string("the key is ") + kKey;
    home.team->agents[0].prompt = std::string("Use Bearer ") + kKey;
    const Id id = home.done();
    const std::string full = home.exported(id, true);
    CHECK(full.find(kKey) != full.npos);
    const std::string text = home.exported(id);
    CHECK(text.find(kKey) == text.npos);
    CHECK(text.find("[redacted]") != text.npos);
    CHECK(lines_of(text)[0].find(R"("redacted":true,"chain":"made anew)") != std::string::npos);
    // nor a digest of it
    for (const std::string& line : lines_of(text)) CHECK(line.find("\\\"parts\\\"") == std::string::npos);

    Home masked(2), whole(3);
    CHECK(masked.import(text).redacted);
    CHECK(whole.import(full).redacted == false);
    CHECK(whole.events(id) == home.events(id));
    CHECK(masked.events(id).size() == home.events(id).size());
    CHECK(masked.wait(masked.commands->replay(kAnn, id)).diverged == "");
    CHECK(whole.wait(whole.commands->replay(kAnn, id)).diverged == "");
    CHECK(error_of([&] { masked.import(full); }) == doctest::Contains("already, and it is another one"));

    const std::uint32_t end = masked.state(id).end.seq;
    const ForkPoint at{ForkPoint::By::record, end};
    const ForkReport fork = masked.wait(masked.commands->fork(kAnn, {.from = id, .at = at}));
    CHECK(fork.live.empty());
    masked.wait(masked.host->wake(fork.task));
    CHECK(masked.rest(fork.task).status == TaskStatus::completed);
    CHECK(masked.model->requests.empty());
    CHECK(masked.send->dispatched.empty());
}

TEST_CASE("names of fields are masked like what they hold")
{
    Transfer transfer;
    const std::string body = R"({"args":{")" + std::string(kKey) + R"(":1,"x":{")" + kKey + R"(":[2]}}})";
    transfer.journals.push_back({Record{.seq = 1, .kind = storage::RecordKind::note, .body = body}});
    CHECK(redact_run(transfer) == 1);
    const std::string& shown = transfer.journals[0][0].body;
    CHECK(shown.find(kKey) == shown.npos);
    CHECK(shown.find("[2]") != shown.npos);
}

TEST_CASE("a file that is not what was exported is refused, with the line, and nothing of it is kept")
{
    Home home(1);
    const Id id = home.done();
    const std::string text = home.exported(id);
    const auto lines = lines_of(text);
    const auto with = [&](std::size_t line, std::string_view from, std::string_view to) {
        auto changed = lines;
        changed[line] = replaced(changed[line], from, to);
        return sealed(changed);
    };
    const auto without = [&](std::size_t line) {
        auto changed = lines;
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(line));
        return sealed(changed);
    };
    REQUIRE(transfer_from(sealed(lines)).journals.size() == 2);
    struct {
        const char* name;
        std::string text;
        const char* says;
    } const cases[] = {
        {"empty", "", "malformed: the file is empty"},
        {"not JSON", "hello\n", "malformed: line 1: this is not an exported run"},
        {"something else", "{\"a\":1}\n", "malformed: line 1: this is not an exported run"},
        {"newer", with(0, "\"cadre_export\":1", "\"cadre_export\":2"), "line 1: its format 2 is newer than 1"},
        {"cut off in a line", text.substr(0, text.size() / 2), "the file was cut off"},
        {"cut off between lines", text.substr(0, text.find("{\"end\"")), "it was cut off"},
        {"more behind", text + "{}\n", "there is more after the end line"},
        {"changed", replaced(text, "\"records\":", "\"recorded\":"), ": the file was changed"},
        {"a body changed", with(3, "Do it.", "Do that."), "record 2: its content and the record before it"},
        {"a record gone", without(6), "expected record"},
        {"the team gone", without(1), "is missing"},
        {"another team", with(1, "You work.", "You rest."), "line 2: its text does not give its key"},
        {"a body that is no JSON", with(3, "\"body\":\"{", "\"body\":\"("), "line 4: its body: line 1, column 1: "},
        {"a line that is no JSON", with(3, "{\"record\":{", "{\"record\":("),
         "line 4, column 11: syntax error at \"(\""},
        {"a kind that cannot be", with(3, "\"kind\":2", "\"kind\":0"), "line 4: kind is not a number from 1 to 255"},
        {"a number too large", with(3, "\"seq\":2", "\"seq\":99999999999"), "line 4: seq is not a number"},
        {"a task that is no id", with(3, "\"task\":\"", "\"task\":\"x"), "line 4"},
        {"no task at all", sealed({lines[0], lines.back()}), "does not come first"},
    };
    Home other(2);
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(error_of([&] { other.import(c.text); }) == doctest::Contains(c.says));
    }
    CHECK(other.wait(other.store.tasks({})).empty());
    CHECK(other.wait(other.store.list("team")).empty());
}

TEST_CASE("what was imported in part before a crash is completed by the same file")
{
    Home home(1);
    const Id id = home.done();
    const Transfer transfer = transfer_from(home.exported(id));
    Home other(2);
    other.import(home.exported(id));
    const auto whole = other.records(id);

    Home crashed(3);
    const auto port = crashed.store.open_port(crashed.loop);
    struct Deaf final : storage::Receipt {
        void durable(std::uint32_t) noexcept override {}
        void refused(std::uint32_t, const std::exception_ptr&) noexcept override { FAIL("refused"); }
    };
    Deaf receipt;
    const auto lease = crashed.wait(crashed.store.acquire(id, "local", 10s));
    Hash before = storage::kGenesis;
    for (std::size_t i = 0; i < 4; ++i) {
        Record record = whole[i];
        record.epoch = lease.epoch;
        storage::seal(record, before);
        before = record.hash;
        port->append(std::move(record), receipt);
    }
    CHECK(crashed.wait(crashed.store.tasks({})).empty());
    CHECK(!crashed.import(home.exported(id)).existed);
    CHECK(crashed.events(id) == home.events(id));
    CHECK(crashed.wait(crashed.queries->verify(kAnn, id)).problems.empty());
}
