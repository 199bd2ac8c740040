#include "engine/projections/context_copy.hpp"

#include "base/json.hpp"
#include "engine/test_world.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "support/golden.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;
using model::TaskStatus;
using model::orchestration::Message;
using model::orchestration::TaskContext;

namespace {

Async<model::Reply> ask_then_answer(Run& run)
{
    const std::string first = (co_await run.think(run.agent())).text;
    Question question{.type = model::HumanRequestType::feedback, .agent = "worker"};
    question.context["question"] = "Which room?";
    const model::HumanAnswer answer = co_await run.ask(std::move(question));
    run.tell(answer.message);
    co_return run.reply((co_await run.think(run.agent())).text);
}

TaskContext context_of(const std::vector<storage::Record>& records, std::span<const TurnMessage> before = {})
{
    ContextCopy copy;
    for (const storage::Record& record : records) copy.apply(record);
    return copy.context(before, "");
}

std::vector<std::string> texts_of(const TaskContext& context)
{
    std::vector<std::string> texts;
    for (const Message& message : *context.history) texts.push_back(message.content);
    return texts;
}

TaskContext example()
{
    return model::from_text<TaskContext>(test::golden("model/002_task_context.json"));
}

}  // namespace

// A2A-20 U
TEST_CASE("context copy: the stored value of document 002's example is the example, byte for byte")
{
    CHECK(stored_text(example()) == to_text(parse_json(test::golden("model/002_task_context.json"))));
}

// A2A-24 U
TEST_CASE("context copy: what an agent says is there with the record that says it, and so is a question")
{
    World world;
    world.patterns.add({"ask@1", ask_then_answer});
    world.team = team_of({});
    int said = 0;
    world.model->answer = [&](const llm::Request&) { return says("answer " + std::to_string(++said)); };
    TaskSpec spec{.description = "Light!", .agent = "worker", .metadata = {{"location", "kitchen"}}};
    const Id id = world.begin("ask@1", spec);
    world.rest(id);

    const TaskContext waiting = context_of(world.records(id));
    CHECK(waiting.status.state == model::orchestration::TaskState::input_required);
    CHECK(waiting.status.message->content == "Which room?");
    CHECK(texts_of(waiting) == std::vector<std::string>{"Light!", "answer 1"});
    CHECK(waiting.metadata->at("location") == "kitchen");

    world.wait(world.commands->answer(kAnn, id, "", {.message = "the kitchen"}));
    world.rest(id);
    // every record that changes something is known to, and no other
    ContextCopy copy;
    std::string before;
    for (const storage::Record& record : world.records(id)) {
        copy.apply(record);
        CAPTURE(name_of(record.kind));
        CAPTURE(record.path);
        const std::string now = stored_text(copy.context({}, ""));
        if (now != before) CHECK(changes_context(record));
        before = now;
    }
    const TaskContext done = context_of(world.records(id));
    CHECK(done.status.state == model::orchestration::TaskState::completed);
    CHECK(done.status.message->content == "answer 2");
    CHECK(texts_of(done).back() == "answer 2");

    ContextCopy other;
    for (const storage::Record& record : world.records(id)) other.apply(record);
    CHECK(other.context({}, "worker").history->size() < done.history->size());  // who only decides is not heard
}

// A2A-22 U
TEST_CASE("context copy: of a long conversation the newest fifty messages are there")
{
    World world;
    world.patterns.add({"ask@1", ask_then_answer});
    world.team = team_of({});
    world.model->answer = [&](const llm::Request&) { return says("yes"); };
    const Id id = world.begin("ask@1", {.description = "newest", .agent = "worker"});
    world.rest(id);
    std::vector<TurnMessage> before;
    for (int i = 0; i < 58; ++i)
        before.push_back({i % 2 == 0 ? model::Role::user : model::Role::assistant, "old " + std::to_string(i)});
    const std::vector<std::string> texts = texts_of(context_of(world.records(id), before));
    REQUIRE(texts.size() == 50);
    CHECK(texts.front() == "old 10");
    CHECK(texts[48] == "newest");
    CHECK(texts[49] == "yes");
}

TEST_CASE(
    "context copy: what is too long loses its oldest messages, then what else is too long, and is whole JSON always")
{
    TaskContext context = example();
    context.history->clear();
    for (int i = 0; i < 40; ++i)
        context.history->push_back({.content = std::string(10'000, static_cast<char>('a' + i % 26))});
    const std::string text = stored_text(context, 100'000);
    CHECK(text.size() <= 100'000);
    CHECK(text.size() > 85'000);
    const auto kept = model::from_text<TaskContext>(text);
    CHECK(kept.history->back() == context.history->back());
    CHECK(kept.metadata == context.metadata);

    context.status.message->content = std::string(5'000, 'x');
    (*context.metadata)["large"] = std::string(5'000, 'y');
    const auto bare = model::from_text<TaskContext>(stored_text(context, 1'000));
    CHECK(bare.history->empty());
    CHECK_FALSE(bare.status.message);
    CHECK_FALSE(bare.metadata);
    CHECK(bare.id == context.id);
}

// A2A-21 U
TEST_CASE("context copy: its time counts from when something was last done, and who waits for a person waits for ever")
{
    const Time then = time_from_iso("2026-03-01T12:00:00Z");
    constexpr Millis kDay = 24h;
    CHECK(time_left(TaskStatus::running, then, kDay, then) == kDay);
    CHECK(time_left(TaskStatus::completed, then, kDay, then + 23h) == 1h);
    CHECK(time_left(TaskStatus::failed, then, kDay, then + kDay) == 0h);
    CHECK(time_left(TaskStatus::failed, then, kDay, then + 1000h) == 0h);
    CHECK(time_left(TaskStatus::running, then, kDay, then - 5h) == kDay);  // the clock was set back
    CHECK(time_left(TaskStatus::waiting, then, kDay, then + 1000h) == kStays);
    CHECK(time_left(TaskStatus::paused, then, kDay, then + 1000h) == kStays);
}

TEST_CASE("context copy: tenants beside the local one have keys of their own")
{
    CHECK(stored_key("local", "1-2") == "task:1-2");
    CHECK(stored_key("acme", "1-2") == "acme:task:1-2");
    CHECK(stored_number_key("local", "1-2") == "cadre:seq:1-2");
    CHECK(stored_number_key("acme", "1-2") == "acme:cadre:seq:1-2");
}
