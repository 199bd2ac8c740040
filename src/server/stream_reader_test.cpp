// Readers of a feed in a simulated world: whenever somebody comes, however slow they are, wherever they were cut off, they are told every
// event once, and the text of every step.
#include "server/stream_reader.hpp"

#include "base/async_scope.hpp"
#include "base/json.hpp"
#include "engine/numbered_event.hpp"
#include "engine/test_world.hpp"
#include "model/write.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::server;
using namespace std::chrono_literals;

namespace {

/// Writes a character at a time; every other attempt breaks off in the middle.
class Writer final : public llm::Model {
public:
    std::string spec() const override { return "writer"; }
    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink& sink) override
    {
        const std::string text = "answer " + std::to_string(request.nth) + " of äöü€" + std::string(longer, 'x');
        const bool breaks = breaks_off && request.attempt == 1;
        const std::size_t piece = longer > 0 ? 4096 : 3;
        for (std::size_t i = 0; i < text.size(); i += piece) {
            if (breaks && i > 6) throw llm::ModelError(Code::upstream, "the line is dead", true);
            sink.chunk(std::string_view(text).substr(i, piece));
            co_await sleep_for(1ms);
        }
        co_return testing::says(text);
    }

    bool breaks_off = false;
    std::size_t longer = 0;
};

/// What a client puts together.
struct Scroll {
    std::vector<std::uint32_t> numbers{};
    std::vector<std::string> events{};
    std::map<std::string, std::string> texts{};  // by step; of steps that broke off, none
    std::map<std::string, int> finals{};
    bool in_order = true;  // every text was whole before the event that says so

    void take(const StreamItem& item)
    {
        if (const auto* event = std::get_if<FeedEventPtr>(&item)) {
            numbers.push_back((*event)->number);
            events.push_back((*event)->json);
            for (const StepEnd& end : (*event)->ends)
                if (!end.aborted && texts[end.step] != end.text) in_order = false;
            return;
        }
        const auto& [chunk, offset] = std::get<StreamPiece>(item);
        CHECK(std::string(parse_json(model::to_json_text(chunk)).at("text").as_string()) ==
              chunk.text);  // no half characters
        std::string& text = texts[chunk.step_id];
        if (offset != text.size() && !chunk.aborted)
            in_order = false;  // who comes back may hear twice that it broke off
        text += chunk.text;
        if (chunk.aborted) texts.erase(chunk.step_id);
        if (chunk.is_final) ++finals[chunk.step_id];
    }
};

struct Stage : World {
    explicit Stage(std::uint64_t seed = 0, FeedLimits limits = {}) : World(seed), limits(limits)
    {
        team = team_of({});
        env->models = [this](const model::LlmConfig&, const Id&, const std::string&) { return writer; };
        patterns.add({"talk@1", [](Run& run) -> Async<model::Reply> {
                          run.tell(run.prompt());
                          for (int i = 0; i < 3; ++i) co_await run.think(run.agent());
                          co_return run.reply("done");
                      }});
        patterns.add({"choir@1", [](Run& run) -> Async<model::Reply> {
                          std::vector<int> voices{1, 2, 3};
                          co_await run.map(std::move(voices), [](Run& branch, int voice) -> Async<int> {
                              branch.tell("voice " + std::to_string(voice));
                              co_await branch.think(branch.agent());
                              co_return voice;
                          });
                          co_return run.reply("done");
                      }});
        open();
    }
    ~Stage() { feed.reset(); }

    void open() { feed = std::make_unique<Feed>(host->hub(), store, limits); }
    void crash_and_wake(Id id)
    {
        feed.reset();
        restart();
        open();
        wait(host->wake(id));
    }

    static StreamFilter all()
    {
        StreamFilter filter;
        filter.add(*find_stream_kind("stream"));
        return filter;
    }
    Async<std::unique_ptr<StreamReader>> reader(Id id, StreamPosition from, StreamFilter filter = all())
    {
        const auto state = co_await queries->task(kAnn, id);
        co_return std::make_unique<StreamReader>(feed->watch(*state), std::move(from), std::move(filter));
    }
    /// Reads on, `pace` after each thing, and is cut off after so many of them; returns where it was.
    Async<StreamPosition> follow(Id id, StreamPosition from, Scroll& scroll, Millis pace = {},
                                 std::size_t most = SIZE_MAX)
    {
        const auto one = co_await reader(id, std::move(from));
        for (std::size_t taken = 0; taken < most;) {
            if (const auto item = one->take()) {
                scroll.take(*item);
                ++taken;
                if (pace.count() > 0) co_await sleep_for(pace);
                continue;
            }
            if (one->is_over()) break;
            co_await one->more();
        }
        co_return one->position();
    }
    Async<> follow_later(Id id, Millis later, Scroll& scroll, Millis pace)
    {
        co_await sleep_for(later);
        co_await follow(id, {}, scroll, pace);
    }
    /// The same as text and back, as a client carries it.
    static StreamPosition carried(const StreamPosition& position)
    {
        const auto back = find_position(position_text(position));
        REQUIRE(back);
        return *back;
    }
    Id talk() { return begin("talk@1", {.description = "hi", .agent = "worker"}); }
    Scroll whole(Id id)
    {
        Scroll scroll;
        wait(follow(id, {}, scroll));
        return scroll;
    }

    FeedLimits limits;
    std::shared_ptr<Writer> writer = std::make_shared<Writer>();
    std::unique_ptr<Feed> feed;
};

void check_same(const Scroll& scroll, const Scroll& whole)
{
    CHECK(scroll.events == whole.events);
    CHECK(scroll.texts == whole.texts);
    CHECK(scroll.in_order);
}

}  // namespace

// cases 13 and 14 of the server
TEST_CASE("readers: whoever comes, whenever, however slow, is told the same texts and events")
{
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
        for (const bool breaks_off : {false, true}) {
            for (const FeedLimits& limits :
                 {FeedLimits{}, FeedLimits{.events = 2, .bytes = 16}, FeedLimits{.all = 1}}) {
                CAPTURE(seed);
                CAPTURE(breaks_off);
                CAPTURE(limits.events);
                Stage stage(seed, limits);
                stage.writer->breaks_off = breaks_off;
                const Id id = stage.talk();
                std::vector<Scroll> scrolls(60);
                stage.wait([](Stage& at, Id task, std::vector<Scroll>& all) -> Async<> {
                    AsyncScope scope(co_await this_context());
                    for (std::size_t i = 0; i < all.size(); ++i)
                        scope.spawn(at.follow_later(task, Millis(i / 3), all[i], Millis((i % 3) * 7)));
                    co_await scope.join();
                }(stage, id, scrolls));
                const Scroll whole = stage.whole(id);
                CHECK(whole.texts.size() == 3);
                for (const auto& [step, text] : whole.texts) CHECK(text.ends_with(" of äöü€"));
                for (std::size_t i = 0; i < whole.numbers.size(); ++i) CHECK(whole.numbers[i] == i + 1);
                for (const Scroll& scroll : scrolls) {
                    check_same(scroll, whole);
                    for (const auto& [step, count] : scroll.finals) CHECK(count == 1);
                }
                CHECK(stage.feed->tasks() == 0);
                CHECK(stage.feed->bytes() == 0);
            }
        }
    }
}

TEST_CASE("readers: cut off after any number of things, they come back to the same place, also inside a text")
{
    for (const bool breaks_off : {false, true})
        for (std::size_t most = 1; most < 12; ++most) {
            CAPTURE(most);
            Stage stage(most);
            stage.writer->breaks_off = breaks_off;
            const Id id =
                most % 2 == 0 ? stage.talk() : stage.begin("choir@1", {.description = "hi", .agent = "worker"});
            Scroll scroll;
            StreamPosition position;
            do position = Stage::carried(stage.wait(stage.follow(id, position, scroll, 0ms, most)));
            while (position.seen < stage.state(id).end.event_seq || !stage.state(id).finished());
            check_same(scroll, stage.whole(id));
        }
}

TEST_CASE("readers: who was inside a text when the server died is told that it broke off, and gets the next one whole")
{
    Stage stage;
    const Id id = stage.talk();
    Scroll scroll;
    StreamPosition position = stage.wait(stage.follow(id, {}, scroll, 0ms, 6));
    REQUIRE(position.written.size() == 1);
    const std::string step = position.written.begin()->first;
    REQUIRE(!scroll.texts.at(step).empty());
    stage.crash_and_wake(id);
    stage.wait(stage.follow(id, Stage::carried(position), scroll));
    CHECK(!scroll.texts.contains(step));
    CHECK(scroll.finals.at(step) == 1);
    check_same(scroll, stage.whole(id));
    CHECK(scroll.texts.size() == 3);
}

TEST_CASE("readers: who comes back at the end of a long journal reads little of it")
{
    Stage stage;
    stage.patterns.add({"long@1", [](Run& run) -> Async<model::Reply> {
                            for (int i = 0; i < 400; ++i) co_await run.fresh_id();
                            run.tell(run.prompt());
                            co_await run.think(run.agent());
                            co_return run.reply("done");
                        }});
    const Id id = stage.begin("long@1", {.description = "hi", .agent = "worker"});
    stage.rest(id);
    const std::uint32_t last = stage.state(id).end.event_seq;
    const std::uint32_t records = stage.state(id).end.seq;
    REQUIRE(records > 400);
    const JournalPlace place = stage.wait(place_of_event(stage.store, id, last, records));
    const auto found = stage.wait(stage.store.read(id, place.seq, 1));
    CHECK(found.front().event_seq >= last);
    CHECK(place.counted < last);
    Scroll scroll;
    stage.wait(stage.follow(id, {.seen = last - 1}, scroll));
    CHECK(scroll.numbers == std::vector{last});
}

TEST_CASE("readers: a filter passes over what it does not tell, and the position moves all the same")
{
    Stage stage;
    const Id id = stage.talk();
    stage.rest(id);
    StreamFilter filter;
    filter.add(*find_stream_kind("hitl"));
    stage.wait([](Stage& at, Id task, StreamFilter only) -> Async<> {
        const auto one = co_await at.reader(task, {}, std::move(only));
        while (!one->is_over()) {
            CHECK(!one->take());
            if (!one->is_over()) co_await one->more();
        }
        CHECK(one->position().seen == one->task().last());
        CHECK(one->position().written.empty());
    }(stage, id, filter));
}

// case 15 of the server
TEST_CASE("readers: a text of a mebibyte is the same for who watches and for who comes later")
{
    Stage stage;
    stage.writer->longer = 1 << 20;
    const Id id = stage.talk();
    Scroll fast, slow;
    stage.wait([](Stage& at, Id task, Scroll& first, Scroll& second) -> Async<> {
        AsyncScope scope(co_await this_context());
        scope.spawn(at.follow_later(task, 0ms, first, 0ms));
        scope.spawn(at.follow_later(task, 500ms, second, 100'000ms));
        co_await scope.join();
    }(stage, id, fast, slow));
    const Scroll whole = stage.whole(id);
    CHECK(whole.texts.begin()->second.size() > 1 << 20);
    check_same(fast, whole);
    check_same(slow, whole);
}
