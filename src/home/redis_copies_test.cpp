// Copies of tasks in a real redis-server, whatever becomes of it.
#include "home/redis_copies.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "engine/projections/context_copy.hpp"
#include "engine/test_world.hpp"
#include "model/read.hpp"
#include "net/loop.hpp"
#include "net/redis_server_fixture.hpp"
#include "net/scripted_peer_fixture.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::home;
using namespace std::chrono_literals;
using engine::Run;
using engine::TaskSpec;
using engine::testing::kAnn;
using engine::testing::says;
using model::TaskStatus;
using net::RedisReply;
using test::RedisServer;

namespace {

constexpr Millis kDay = 24h;

/// Says something, or asks first.
Async<model::Reply> talk(Run& run)
{
    if (run.prompt() == "ask") {
        engine::Question question{.type = model::HumanRequestType::feedback, .agent = "worker"};
        question.context["question"] = "Which room?";
        run.tell((co_await run.ask(std::move(question))).message);
    }
    co_return run.reply((co_await run.think(run.agent())).text);
}

Async<model::Reply> delegate(Run& run)
{
    if (run.prompt() != "delegate") co_return co_await talk(run);
    co_return co_await run.delegate(run.agent("worker"), "a part of it");
}

/// A host whose tasks are copied to `url`. What the store has stays when it closes.
struct CopiedHost {
    explicit CopiedHost(std::string to, Millis patience = 2s) : url(std::move(to)), timeout(patience)
    {
        patterns.add({"talk@1", talk});
        patterns.add({"delegate@1", delegate});
        model->answer = [](const llm::Request&) { return says("Hello."); };
        open();
    }
    ~CopiedHost() { close(); }

    template <class T>
    T wait(Async<T> work)
    {
        return run(loop, with_timeout(std::move(work), 30s, "a test"));
    }
    void open()
    {
        host = std::make_unique<engine::Host>(env, patterns);
        queries = std::make_unique<engine::Queries>(store, host.get());
        commands = std::make_unique<engine::Commands>(*host, *queries);
        copies = std::make_unique<RedisCopies>(
            RedisCopiesSetting{.loop = loop,
                               .pool = pool,
                               .store = store,
                               .teams = host->teams(),
                               .redis = {.address = net::redis_address_from(url), .timeout = timeout},
                               .lifetime = lifetime,
                               .log = env.log,
                               .marks = marks});
        host->set_listener(copies.get());
    }
    /// As a process ends.
    void close()
    {
        if (!host) return;
        run(loop, host->drain());
        run(loop, host->close());
        run(loop, copies->finish(3s));
        host->set_listener(nullptr);
        commands.reset();
        queries.reset();
        copies.reset();
        host.reset();
    }

    Id done(const std::string& prompt = "hi", const std::string& tenant = "local")
    {
        TaskSpec spec{
            .description = prompt, .agent = "worker", .pattern = "talk@1", .metadata = {{"location", "kitchen"}}};
        if (prompt == "delegate") spec.pattern = "delegate@1";
        const Id task = new_id(random);
        wait(host->create(tenant, task, std::move(spec), engine::testing::team_of({})));
        wait(host->until_resting(task));
        return task;
    }
    void answer(const Id& task)
    {
        wait(commands->answer(kAnn, task, "", {.message = "kitchen"}));
        wait(host->until_resting(task));
    }
    void rebuild(const Id& task)
    {
        copies->renew(task, "local");
        settle();
    }
    /// Until all copies are written, or cannot be.
    void settle() { wait(copies->settle(20s)); }
    void until_troubled()
    {
        loop.run_until([&] { return !copies->trouble().empty(); });
    }
    void until_well()
    {
        do {
            loop.run_until([&] { return copies->trouble().empty(); });
            settle();
        } while (!copies->trouble().empty());
    }
    /// What the journal says that the copy must be.
    std::string expected(const Id& task)
    {
        engine::ContextCopy copy;
        for (const storage::Record& record : wait(store.read(task))) copy.apply(record);
        return engine::stored_text(copy.context({}, ""));
    }

    std::string url;
    Millis timeout;
    Millis lifetime = kDay;
    std::size_t marks = 10'000;
    net::Loop loop;
    LoopPool pool{loop};
    SeededRandom random{7};
    storage::MemoryStore store{{.clock = &loop.clock()}};
    tools::Registry registry;
    engine::Patterns patterns;
    std::shared_ptr<engine::testing::FakeModel> model = std::make_shared<engine::testing::FakeModel>();
    engine::Env env{.loop = loop,
                    .pool = pool,
                    .random = random,
                    .store = store,
                    .tools = registry,
                    .models = [this](const model::LlmConfig&, const Id&, const std::string&) { return model; },
                    .workspace = [](const Id&) { return std::filesystem::path("/nonexistent"); },
                    .log = Log(nullptr, Level::off)};
    std::unique_ptr<engine::Host> host;
    std::unique_ptr<engine::Queries> queries;
    std::unique_ptr<engine::Commands> commands;
    std::unique_ptr<RedisCopies> copies;
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

// A2A-20 E, A2A-21 E, STORE-16 E
TEST_CASE("redis copies: a task is found at its key, as the journal says it, for a day")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHost at(server.url());
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
          std::to_string(at.wait(at.store.read(task)).back().seq));

    const Id other = at.done("hi", "acme");
    at.settle();
    CHECK(hand.text(other).empty());
    CHECK(hand.ask({"GET", "acme:task:" + to_string(other)}).text == at.expected(other));
}

// A2A-21 E
TEST_CASE("redis copies: the time is the settings', and a task that waits for a person has none")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHost at(server.url());
    at.close();
    at.lifetime = 30min;
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
    CopiedHost at(server.url());
    at.done();
    at.settle();
    server.kill();
    std::vector<Id> tasks;
    for (int i = 0; i < 200; ++i) tasks.push_back(at.done());
    at.until_troubled();
    CHECK(at.copies->trouble() != "");
    server.start();
    Hand hand(at.loop, server.url());
    at.until_well();
    for (const Id& task : tasks) CHECK(hand.text(task) == at.expected(task));
}

TEST_CASE("redis copies: of more tasks than are remembered while Redis is away, none is forgotten")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHost at(server.url());
    at.close();
    at.marks = 20;
    at.open();
    at.settle();
    server.kill();
    std::vector<Id> tasks;
    for (int i = 0; i < 60; ++i) tasks.push_back(at.done(i % 2 == 0 ? "hi" : "ask"));
    server.start();
    Hand hand(at.loop, server.url());
    at.until_well();
    for (const Id& task : tasks) CHECK(hand.text(task) == at.expected(task));
}

TEST_CASE("redis copies: a Redis that stands still holds nobody up, and gets all of it afterwards")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHost at(server.url(), 100ms);
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
    CopiedHost at(server.url());
    Hand hand(at.loop, server.url());
    const Id waits = at.done("ask"), over = at.done();
    at.settle();
    hand.ask({"FLUSHALL"});
    at.answer(waits);
    at.settle();
    CHECK(hand.text(waits) == at.expected(waits));
    CHECK(hand.text(over) == "");
    at.rebuild(over);
    CHECK(hand.text(over) == at.expected(over));
    hand.ask({"DEL", "task:" + to_string(over)});  // evicted, and its number is not
    at.rebuild(over);
    CHECK(hand.text(over) == at.expected(over));
}

TEST_CASE("redis copies: whatever else stands at the keys is replaced, but for a later copy of the same task")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHost at(server.url());
    Hand hand(at.loop, server.url());
    const Id task = at.done("ask");
    at.settle();
    const std::string key = "task:" + to_string(task), number = "cadre:seq:" + to_string(task);
    hand.ask({"DEL", key, number});
    hand.ask({"LPUSH", key, "a list"});
    hand.ask({"HSET", number, "a", "hash"});
    at.rebuild(task);
    CHECK(hand.text(task) == at.expected(task));
    hand.ask({"SET", number, "no number"});
    hand.ask({"SET", key, R"({"id":"half a va)"});
    at.answer(task);
    at.settle();
    CHECK(hand.text(task) == at.expected(task));

    hand.ask({"SET", number, "1000"});
    hand.ask({"SET", key, "of another node, later"});
    at.rebuild(task);
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
        CopiedHost at(server.url());
        Hand hand(at.loop, server.url());
        at.done();
        at.settle();
        hand.ask(c.break_it);
        const Id task = at.done();
        at.until_troubled();
        const std::string why = at.copies->trouble();
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
    CopiedHost at(server.url());
    Hand hand(at.loop, server.url());
    std::vector<Id> tasks;
    for (int i = 0; i < 40; ++i) {
        tasks.push_back(at.done());
        if (i % 10 == 3) hand.ask({"SCRIPT", "FLUSH"});
        if (i % 10 == 7) hand.ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    }
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
        CopiedHost at("redis://" + (c.who + ("127.0.0.1:" + port)));
        at.until_troubled();
        CHECK(has(at.copies->trouble(), c.says));
        CHECK_FALSE(has(at.copies->trouble(), "wrong-word"));
        at.done();
    }
    CopiedHost at("redis://cadre:word-of-cadre@127.0.0.1:" + port);
    const Id task = at.done(), anns = at.done("hi", "acme");
    at.settle();
    CHECK(at.copies->trouble() == "");
    Hand hand(at.loop, "redis://:word-of-default@127.0.0.1:" + port);
    CHECK(hand.text(task) == at.expected(task));
    CHECK(hand.ask({"GET", "acme:task:" + to_string(anns)}).text == at.expected(anns));
    at.wait(at.store.purge({{.task = task}}));
    at.rebuild(task);
    CHECK(hand.text(task) == "");
}

TEST_CASE("redis copies: at the start tasks that have not ended are copied again, and others where that was not done")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHost at(server.url());
    const Id waits = at.done("ask"), over = at.done();
    at.settle();
    at.close();
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
    at.close();
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
    CopiedHost at(server.url());
    Hand hand(at.loop, server.url());
    const Id task = at.done();
    at.settle();
    CHECK(hand.text(task) != "");
    at.wait(at.store.purge({{.task = task}}));
    at.rebuild(task);
    CHECK(hand.ask({"DBSIZE"}).number == 0);
}

TEST_CASE("redis copies: what is delegated is part of the task above, and has no copy of its own")
{
    if (!test::has_redis_server()) return test::skip("redis-server is not installed");
    RedisServer server;
    CopiedHost at(server.url());
    Hand hand(at.loop, server.url());
    const Id task = at.done("delegate");
    at.settle();
    CHECK(hand.text(task) == at.expected(task));
    CHECK(hand.ask({"DBSIZE"}).number == 2);  // it and its number
}
