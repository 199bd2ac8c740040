// Copies of tasks in a real redis-server, whatever becomes of it. Everything goes through the owner of a home.
#include "home/redis_copies.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "engine/projections/context_copy.hpp"
#include "home/home_owner.hpp"
#include "home/project/project.hpp"
#include "home/redis_options.hpp"
#include "home/telling.hpp"
#include "model/read.hpp"
#include "net/loop.hpp"
#include "net/redis_server_fixture.hpp"
#include "net/scripted_peer_fixture.hpp"
#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <map>

using namespace cadre;
using namespace cadre::home;
using namespace std::chrono_literals;
using engine::Principal;
using engine::Role;
using model::TaskStatus;
using net::RedisReply;
using test::error_of;
using test::RedisServer;

namespace {

namespace fs = std::filesystem;

struct Deaf final : Listener {
    Async<> hear(Told) override { co_return; }
};

const Principal kMe = engine::local_user("me");
const Principal kAnn{.tenant = "acme", .subject = "ann", .roles = {Role::user}};
constexpr Millis kDay = 24h;

/// A home whose tasks are copied to `url`, and a hand of our own in that Redis.
struct CopiedHome {
    explicit CopiedHome(const std::string& url, std::map<std::string, std::string> more = {})
        : variables(std::move(more))
    {
        variables.emplace("CADRE_REDIS_URL", url);
        variables.emplace("CADRE_REDIS_TIMEOUT_MS", "2000");
        std::ofstream(folder.path() / "script.yaml")
            << "- {when: {contains: ask}, times: any, tool_calls: [{name: ask_human, arguments: {question: Which "
               "room?}}]}\n"
               "- {when: {contains: kitchen}, times: any, text: The kitchen it is.}\n"
               "- {text: Hello., times: any}\n";
        open();
    }
    ~CopiedHome() { leave(); }

    template <class T>
    T wait(Async<T> work)
    {
        return run(loop, with_timeout(std::move(work), 30s, "a test"));
    }
    void open()
    {
        auto lock = storage::HomeLock::try_acquire(folder.path() / "home");
        REQUIRE(lock);
        const auto environment = [this](const std::string& name) {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        };
        const RuntimeOptions options{.place = {.folder = folder.path(), .environment = environment},
                                     .home = folder.path() / "home"};
        owner = std::make_unique<HomeOwner>(loop, options, std::move(*lock), [](const std::exception_ptr&) {});
    }
    void leave()
    {
        if (owner) run(loop, owner->leave());
        owner.reset();
    }

    Id create(const std::string& prompt = "hi", const Principal& by = kMe)
    {
        Create wanted{.task = {.team = {.name = "t",
                                        .description = "d",
                                        .agents = {{.name = "a", .role = "r", .tools = {"ask_human"}, .prompt = "p"}}},
                               .description = prompt,
                               .model = "script:" + (folder.path() / "script.yaml").string(),
                               .metadata = {{"location", "kitchen"}}}};
        return wait(owner->perform(by, std::move(wanted))).task;
    }
    TaskStatus drive(const Id& task, const Principal& by = kMe)
    {
        return wait(owner->perform(by, Drive{.task = task}, deaf)).status;
    }
    Id done(const std::string& prompt = "hi", const Principal& by = kMe)
    {
        const Id task = create(prompt, by);
        CHECK(drive(task, by) == (prompt == "ask" ? TaskStatus::waiting : TaskStatus::completed));
        return task;
    }
    void answer(const Id& task)
    {
        wait(owner->perform(kMe, AnswerQuestion{.task = task, .answer = {.message = "kitchen"}}));
        CHECK(drive(task) == TaskStatus::completed);
    }
    /// Until all copies are written, or cannot be.
    void settle() { wait(const_cast<RedisCopies*>(owner->copies())->settle(20s)); }
    void until_troubled()
    {
        loop.run_until([&] { return !owner->copies()->trouble().empty(); });
    }
    void until_well()
    {
        loop.run_until([&] { return owner->copies()->trouble().empty(); });
        settle();
    }
    /// What the journal says that the copy must be.
    std::string expected(const Id& task)
    {
        engine::ContextCopy copy;
        for (const storage::Record& record : wait(owner->runtime().store().read(task))) copy.apply(record);
        return engine::stored_text(copy.context({}, ""));
    }

    storage::TemporaryFolder folder;
    std::map<std::string, std::string> variables;
    net::Loop loop;
    Deaf deaf;
    std::unique_ptr<HomeOwner> owner;
};

/// Another client, as others have it.
struct Hand {
    Hand(net::Loop& l, const std::string& url)
        : loop(l), redis(l, {.address = net::redis_address_from(url), .timeout = 5s}, Log(nullptr, Level::off))
    {
        l.run_until([&] { return redis.connected(); });
    }
    ~Hand() { run(loop, redis.close()); }

    RedisReply ask(std::vector<std::string> words) { return run(loop, redis.ask(std::move(words))); }
    std::string text(const Id& task) { return ask({"GET", "task:" + to_string(task)}).text; }
    Millis left(const Id& task) { return Millis(ask({"PTTL", "task:" + to_string(task)}).number); }

    net::Loop& loop;
    net::Redis redis;
};

constexpr std::int64_t kNoEnd = -1;

/// A port that is free now.
std::string free_port()
{
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = test::loopback(0);
    socklen_t size = sizeof address;
    ::bind(probe, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(probe);
    return std::to_string(ntohs(address.sin_port));
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE(
    "redis copies: a task is found at its key, as the journal says it, for a day")  // A2A-20 E, A2A-21 E, STORE-16 E
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHome at(server.url());
    Hand hand(at.loop, server.url());
    const Id task = at.done();
    at.settle();
    CHECK(hand.text(task) == at.expected(task));
    const auto context = model::from_text<model::orchestration::TaskContext>(hand.text(task));
    CHECK(context.id == to_string(task));
    CHECK(context.status.state == model::orchestration::TaskState::completed);
    CHECK(context.history->back().content == "Hello.");
    CHECK(context.metadata->at("location") == "kitchen");
    CHECK(hand.left(task) > kDay - 60s);
    CHECK(hand.left(task) <= kDay);
    CHECK(hand.ask({"GET", "cadre:seq:" + to_string(task)}).text ==
          std::to_string(at.wait(at.owner->runtime().store().read(task)).back().seq));

    const Id other = at.done("hi", kAnn);
    at.settle();
    CHECK(hand.text(other).empty());
    CHECK(hand.ask({"GET", "acme:task:" + to_string(other)}).text == at.expected(other));
}

TEST_CASE("redis copies: the time is the settings', and a task that waits for a person has none")  // A2A-21 E
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHome at(server.url());
    at.leave();
    fs::create_directories(at.folder.path() / "config");
    std::ofstream(at.folder.path() / "config/appsettings.json") << R"({"OrchestrationOptions":{"TaskContextTTL":0.5}})";
    at.open();
    Hand hand(at.loop, server.url());
    const Id task = at.done("ask");
    at.settle();
    CHECK(has(hand.text(task), R"("state":"input-required","message":{"role":"assistant","content":"Which room?"})"));
    CHECK(hand.left(task).count() == kNoEnd);
    at.answer(task);
    at.settle();
    CHECK(hand.text(task) == at.expected(task));
    CHECK(hand.left(task) > 29min);
    CHECK(hand.left(task) <= 30min);
}

TEST_CASE("redis copies: two hundred tasks end while Redis is away, and are there when it is back")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHome at(server.url());
    at.done();
    at.settle();
    server.kill();
    std::vector<Id> tasks;
    for (int i = 0; i < 200; ++i) tasks.push_back(at.done());
    at.until_troubled();
    CHECK(at.owner->copies()->trouble() != "");
    server.start();
    Hand hand(at.loop, server.url());
    at.until_well();
    for (const Id& task : tasks) CHECK(hand.text(task) == at.expected(task));
}

TEST_CASE("redis copies: a Redis that stands still holds nobody up, and gets all of it afterwards")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHome at(server.url(), {{"CADRE_REDIS_TIMEOUT_MS", "100"}});
    const Id before = at.done("ask");
    at.settle();
    server.freeze();
    at.answer(before);
    const Id task = at.done();
    at.until_troubled();
    server.thaw();
    Hand hand(at.loop, server.url());
    at.until_well();
    CHECK(hand.text(before) == at.expected(before));
    CHECK(hand.text(task) == at.expected(task));
}

TEST_CASE("redis copies: what was flushed comes back with the next change, or with a rebuild")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHome at(server.url());
    Hand hand(at.loop, server.url());
    const Id waits = at.done("ask"), over = at.done();
    at.settle();
    hand.ask({"FLUSHALL"});
    at.answer(waits);
    at.settle();
    CHECK(hand.text(waits) == at.expected(waits));
    CHECK(hand.text(over) == "");
    at.wait(at.owner->perform(kMe, Rebuild{}));
    CHECK(hand.text(over) == at.expected(over));
    hand.ask({"DEL", "task:" + to_string(over)});  // evicted, and its number is not
    at.wait(at.owner->perform(kMe, Rebuild{.task = over}));
    CHECK(hand.text(over) == at.expected(over));
}

TEST_CASE("redis copies: whatever else stands at the keys is replaced, but for a later copy of the same task")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHome at(server.url());
    Hand hand(at.loop, server.url());
    const Id task = at.done("ask");
    at.settle();
    const std::string key = "task:" + to_string(task), number = "cadre:seq:" + to_string(task);
    hand.ask({"DEL", key, number});
    hand.ask({"LPUSH", key, "a list"});
    hand.ask({"HSET", number, "a", "hash"});
    at.wait(at.owner->perform(kMe, Rebuild{.task = task}));
    CHECK(hand.text(task) == at.expected(task));
    hand.ask({"SET", number, "no number"});
    hand.ask({"SET", key, R"({"id":"half a va)"});
    at.answer(task);
    at.settle();
    CHECK(hand.text(task) == at.expected(task));

    hand.ask({"SET", number, "1000"});
    hand.ask({"SET", key, "of another node, later"});
    at.wait(at.owner->perform(kMe, Rebuild{.task = task}));
    CHECK(hand.text(task) == "of another node, later");
}

TEST_CASE("redis copies: a Redis that refuses is named with its reason, and gets all when it takes them again")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    struct {
        const char* name;
        std::vector<std::string> break_it;
        std::vector<std::string> mend_it;
    } const cases[] = {
        {"OOM", {"CONFIG", "SET", "maxmemory", "1"}, {"CONFIG", "SET", "maxmemory", "0"}},
        {"READONLY", {"REPLICAOF", "127.0.0.1", "1"}, {"REPLICAOF", "NO", "ONE"}},
        {"NOREPLICAS",
         {"CONFIG", "SET", "min-replicas-to-write", "1"},
         {"CONFIG", "SET", "min-replicas-to-write", "0"}},
        {"ACL", {"ACL", "SETUSER", "default", "-eval", "-evalsha"}, {"ACL", "SETUSER", "default", "+eval", "+evalsha"}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        RedisServer server;
        CopiedHome at(server.url());
        Hand hand(at.loop, server.url());
        at.done();
        at.settle();
        hand.ask(c.break_it);
        const Id task = at.done();
        at.until_troubled();
        const std::string why = at.owner->copies()->trouble();
        CAPTURE(why);
        CHECK((has(why, c.name) || has(why, "NOPERM")));
        hand.ask(c.mend_it);
        at.until_well();
        CHECK(hand.text(task) == at.expected(task));
    }
}

TEST_CASE("redis copies: scripts that are forgotten and connections that are cut cost nothing")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHome at(server.url());
    Hand hand(at.loop, server.url());
    std::vector<Id> tasks;
    for (int i = 0; i < 40; ++i) {
        tasks.push_back(at.create());
        if (i % 10 == 3) hand.ask({"SCRIPT", "FLUSH"});
        if (i % 10 == 7) hand.ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    }
    for (const Id& task : tasks) CHECK(at.drive(task) == TaskStatus::completed);
    at.until_well();
    for (const Id& task : tasks) CHECK(hand.text(task) == at.expected(task));
}

TEST_CASE("redis copies: a wrong password is told and not shown, and the rights that the guide names are enough")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    const std::string port = free_port();
    RedisServer server({"--port", port, "--bind", "127.0.0.1", "--requirepass", "word-of-default", "--user", "cadre",
                        "on", ">word-of-cadre", "~task:*", "~*:task:*", "~*cadre:*", "+get", "+set", "+del", "+eval",
                        "+evalsha", "+ping"});
    const struct {
        const char* who;
        const char* says;
    } refused[] = {{"", "NOAUTH"}, {"cadre:wrong-word@", "WRONGPASS"}, {":wrong-word@", "WRONGPASS"}};
    for (const auto& c : refused) {
        CAPTURE(c.says);
        CopiedHome at("redis://" + (c.who + ("127.0.0.1:" + port)));
        at.until_troubled();
        CHECK(has(at.owner->copies()->trouble(), c.says));
        CHECK_FALSE(has(at.owner->copies()->trouble(), "wrong-word"));
        at.done();
    }
    CopiedHome at("redis://cadre:word-of-cadre@127.0.0.1:" + port);
    const Id task = at.done(), anns = at.done("hi", kAnn);
    at.settle();
    CHECK(at.owner->copies()->trouble() == "");
    Hand hand(at.loop, "redis://:word-of-default@127.0.0.1:" + port);
    CHECK(hand.text(task) == at.expected(task));
    CHECK(hand.ask({"GET", "acme:task:" + to_string(anns)}).text == at.expected(anns));
    at.wait(at.owner->perform(kMe, Remove{task}));
    at.settle();
    CHECK(hand.text(task) == "");
}

TEST_CASE("redis copies: at the start tasks that have not ended are copied again, and others where that was not done")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHome at(server.url());
    const Id waits = at.done("ask"), over = at.done();
    at.settle();
    at.leave();
    {
        Hand hand(at.loop, server.url());
        hand.ask({"FLUSHALL"});
        at.open();
        at.settle();
        CHECK(hand.text(waits) == at.expected(waits));
        CHECK(hand.text(over) == "");  // it was written, and what becomes of it then is Redis' affair
    }
    server.kill();
    const Id unseen = at.done();
    at.leave();
    server.start();
    at.open();
    at.settle();
    Hand hand(at.loop, server.url());
    CHECK(hand.text(unseen) == at.expected(unseen));
    CHECK(hand.text(over) == at.expected(over));
}

TEST_CASE("redis copies: a task that is removed is removed there")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHome at(server.url());
    Hand hand(at.loop, server.url());
    const Id task = at.done();
    at.settle();
    CHECK(hand.text(task) != "");
    at.wait(at.owner->perform(kMe, Remove{task}));
    at.settle();
    CHECK(hand.ask({"DBSIZE"}).number == 0);
}

TEST_CASE("redis copies: a project from elsewhere copies nothing to a Redis of its choice before it is trusted")
{
    CopiedHome at("", {});
    at.leave();
    at.variables.erase("CADRE_REDIS_URL");
    std::ofstream(at.folder.path() / "cadre.yaml") << "redis: {url: 'redis://ann:hidden-word@127.0.0.1:1'}\n";
    at.open();
    CHECK(at.owner->copies() == nullptr);
    const Project project({.folder = at.folder.path(), .environment = [](const std::string&) { return std::nullopt; }},
                          at.folder.path(), at.folder.path() / "home");
    const auto wants = wants_of(project);
    REQUIRE(wants.size() == 1);
    CHECK(wants.front().text == "copies what tasks of the home say to redis://127.0.0.1:1");
    at.leave();
    at.variables["CADRE_TRUST"] = "1";
    at.open();
    CHECK(at.owner->copies() != nullptr);
}

TEST_CASE("redis copies: a Redis that must not be spoken to is refused before anything begins")
{
    struct {
        const char* url;
        const char* says;
    } const cases[] = {
        {"redis://redis.example.com",
         "redis.url leads to another machine, redis://redis.example.com:6379: say rediss://"},
        {"rediss://redis.example.com", "leads to another machine"},
        {"redis://ann:hidden-word@10.0.0.7", "leads to another machine, redis://10.0.0.7:6379"},
        {"redis://ann:hidden-word@10.0.0.7/x", "the database in the URL of Redis must be a number"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.url);
        const doctest::String said = error_of([&] { CopiedHome at(c.url); });
        CHECK(said == doctest::Contains(c.says));
        CHECK(said != doctest::Contains("hidden-word"));
    }
}
