// What is written can be read: by everybody, and whatever clocks, models and people have made of it.
#include "engine/written.hpp"

#include "engine/body.hpp"
#include "engine/compare.hpp"
#include "engine/earlier_calls.hpp"
#include "engine/projections/chronicle.hpp"
#include "engine/recorded.hpp"
#include "engine/spent.hpp"
#include "engine/test_world.hpp"
#include "engine/trace.hpp"
#include "storage/verify.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;
using storage::Record;
using storage::RecordKind;

namespace {

Async<model::Reply> think_and_use(Run& run)
{
    const Agent& agent = run.agent();
    run.tell(run.prompt());
    while (true) {
        const Step step = co_await run.think(agent);
        if (step.calls.empty()) co_return run.reply(step.text);
        co_await run.use(agent, step.calls);
    }
}

/// One of nearly everything.
Async<model::Reply> do_everything(Run& run)
{
    const Agent& agent = run.agent();
    run.tell(run.prompt());
    const Step step = co_await run.think(agent);
    co_await run.use(agent, step.calls);
    co_await run.ask({.agent = "worker", .context = {{"question", "Go?"}}, .timeout = 1h});
    co_await run.sleep(1min);
    co_await run.now();
    co_await run.fresh_id();
    co_await run.delegate(agent, "a part of it", {.pattern = "thinks@1"});
    co_await run.node("draft", [](Run&) -> Async<std::string> { co_return "a draft"; });
    co_return run.reply("done");
}

void prepare(World& world)
{
    const auto tool = world.add_tool("look", model::Effect::idempotent);
    tool->mutable_definition().retry_policy = {{"max_retries", 1}};
    tool->answer = [n = 0](const tools::Call&) mutable { return tools::Result{.text = "seen", .is_error = n++ == 0}; };
    world.team = team_of({"look"});
    world.patterns.add({"thinks@1", think_and_use});
    world.patterns.add({"everything@1", do_everything});
    world.model->answer = [](const llm::Request& request) {
        const bool is_first = request.messages.size() == 1 && request.messages.front()->text == "Go on!";
        return is_first ? calls("look", {{"at", "it"}}) : says("nothing more");
    };
}

std::vector<Record> sample_of(World& world, bool cancelled)
{
    TaskSpec spec{.description = "Go on!", .agent = "worker", .breakpoints = {"tool:look"}};
    const Id id = world.begin("everything@1", spec);
    world.rest(id);
    world.wait(world.commands->instruct(kAnn, id, "Be brief."));
    world.wait(world.commands->resume(kAnn, id));
    world.loop.run_until([&] { return !world.state(id).questions.empty(); });
    world.loop.manual_clock().jump(1h);
    if (cancelled) {
        world.wait(world.host->cancel(id, "ann", "enough"));
    } else {
        world.wait(world.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve, .message = "yes"}));
        world.loop.run_until([&] { return world.state(id).finished(); });
    }
    world.rest(id);
    return world.records(id);
}

/// Everybody who reads journals.
void read_all(const std::vector<Record>& records)
{
    const TaskState state = fold(records);
    index_entry(state);
    to_task(state);
    trace_of(records);
    compare(records, records);
    spent_in(records, state);
    auto copy = records;
    earlier_calls(Recorded(std::move(copy)));
    Chronicle chronicle;
    for (const Record& record : records) {
        chronicle.apply(record);
        events_of(record);
    }
}

/// Values that clocks, models and people come up with.
boost::json::value nasty(SeededRandom& random)
{
    const boost::json::value values[] = {-1,
                                         0,
                                         std::numeric_limits<std::int64_t>::min(),
                                         std::numeric_limits<std::int64_t>::max(),
                                         1e30,
                                         -0.5,
                                         std::numeric_limits<std::uint64_t>::max(),
                                         "",
                                         "\x01 \u202e",
                                         boost::json::string(3000, 'x'),
                                         "no such word",
                                         nullptr,
                                         true,
                                         boost::json::array{},
                                         boost::json::array{1, "two", nullptr},
                                         boost::json::object{},
                                         boost::json::object{{"type", "text"}}};
    return values[random.below(std::size(values))];
}

/// Puts another value at a random place; returns whether a number has become another one.
bool spoil(boost::json::value& value, SeededRandom& random)
{
    if (auto* object = value.if_object(); object && !object->empty() && random.below(12) > 0) {
        auto member = object->begin() + static_cast<std::ptrdiff_t>(random.below(object->size()));
        return spoil(member->value(), random);
    }
    if (auto* array = value.if_array(); array && !array->empty() && random.below(12) > 0)
        return spoil((*array)[random.below(array->size())], random);
    const bool was_number = value.is_number();
    value = nasty(random);
    return was_number && value.is_int64();
}

void seal_all(std::vector<Record>& records)
{
    Hash before = storage::kGenesis;
    for (Record& record : records) {
        storage::seal(record, before);
        before = record.hash;
    }
}

}  // namespace

TEST_CASE("attack 05: a call without a name is refused, the model hears so, and the task can be read and resumed")
{
    World world;
    prepare(world);
    int turn = 0;
    std::string heard;
    world.model->answer = [&](const llm::Request& request) {
        if (turn++ == 0) return calls("");
        heard = request.messages.back()->text;
        return says("I see.");
    };
    const Id id = world.begin("thinks@1", {.description = "Go on!", .agent = "worker"});
    CHECK(world.rest(id).status == TaskStatus::completed);
    CHECK(heard == "Your call names no tool; call one of these: look.");
    CHECK_NOTHROW(read_all(world.records(id)));
    world.restart();
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("a run whose end cannot be written has failed, and says so")
{
    World world;
    world.patterns.add({"odd@1", [](Run& run) -> Async<model::Reply> {
                            model::Reply reply = run.reply("fine");
                            reply.ok = false;  // without an error, which the rules of a reply want
                            co_return reply;
                        }});
    const bool before = std::exchange(checks_records, true);
    const Id id = world.begin("odd@1");
    const TaskState state = world.rest(id);
    checks_records = before;
    CHECK(state.status == TaskStatus::failed);
    CHECK(state.error == "how the run ended cannot be written down; the log says why");
}

TEST_CASE("a record that its readers would refuse is not written, and changes nothing")
{
    const Record good{.kind = RecordKind::answer,
                      .body = R"({"request":"r","type":"approval","answer":{"verb":"approve","after_ms":5}})"};
    Record bad = good;
    bad.body = R"({"request":"r","type":"approval","answer":{"verb":"approve","after_ms":-5}})";
    CHECK_NOTHROW(expect_writable(good));
    CHECK_THROWS_WITH_AS(expect_writable(bad), doctest::Contains("it was not written down"), Error);
    CHECK(body_of<AnswerBody>(bad).answer.get().after_ms == 0);  // who reads it makes the best of it
    CHECK(body_of<AnswerBody>(good).answer.get().after_ms == 5);
}

TEST_CASE("whatever a record says, if it is written everybody can read the journal, and no number makes it unreadable")
{
    World world;
    prepare(world);
    const std::vector<std::vector<Record>> samples{sample_of(world, false), sample_of(world, true)};
    for (const auto& sample : samples) REQUIRE_NOTHROW(read_all(sample));
    SeededRandom random(20);
    int written = 0, numbers = 0;
    std::string findings;
    for (int i = 0; i < 20'000 && findings.size() < 4000; ++i) {
        std::vector<Record> records = samples[random.below(samples.size())];
        Record& record = records[random.below(records.size())];
        boost::json::value body = parse_json(record.body);
        const bool is_number = spoil(body, random);
        record.body = to_text(body);
        const auto number = static_cast<std::ptrdiff_t>(record.seq);
        bool is_written = true;
        try {
            expect_writable(record);
            is_written = fold(std::span(records.data(), static_cast<std::size_t>(number))).unreadable.empty();
        } catch (const Error&) {
            is_written = false;
        }
        written += is_written;
        numbers += is_number;
        if (!is_written && !is_number) continue;
        seal_all(records);
        try {
            if (is_written) read_all(records);
            else if (auto why = fold(records).unreadable; !why.empty()) throw Error(Code::unavailable, why);
        } catch (const std::exception& error) {
            findings += std::string(error.what()) + "\n  " + storage::name_of(record.kind) + " " + record.path + " " +
                        record.body.substr(0, 200) + "\n";
        }
    }
    CHECK(findings == "");
    CHECK(written > 3000);
    CHECK(numbers > 300);
}
