// Conversations that outgrow their window: nothing that a model is sent is ever too long for it, whatever was said, and whoever
// replays it.
#include "engine/window_compactor.hpp"

#include "engine/test_cut.hpp"
#include "engine/test_seams.hpp"
#include "llm/window_plan_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using llm::testing::some_size;

namespace {

/// A vendor that refuses what is too long or out of order. What it is asked for summaries is kept apart.
class Vendor final : public llm::Model {
public:
    std::string spec() const override { return "vendor/model"; }
    std::optional<std::int64_t> context() const override { return window; }
    std::optional<std::int64_t> most_output() const override { return 1000; }
    std::int64_t most_input(const llm::Request& request, std::int64_t) const override { return counted(request, 2); }
    std::int64_t likely_input(const llm::Request& request) const override { return counted(request, bytes_of_token); }

    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink&) override
    {
        const std::int64_t tokens = most_input(request, 0);
        most_seen = std::max(most_seen, tokens);
        if (tokens > window.value_or(tokens) - 1000)
            throw llm::ModelError(Code::too_large, "the request is too long", false);
        llm::testing::check_turns(request.messages);
        co_await sleep_for(delay);
        if (request.agent.ends_with("/summary")) {
            summaries.push_back(request);
            if (is_down) throw llm::ModelError(Code::unavailable, "it is down", false);
            co_return says("Notes " + std::to_string(summaries.size()) + ".");
        }
        requests.push_back(request);
        co_return answer(request);
    }

    std::optional<std::int64_t> window = 9'000;
    std::int64_t bytes_of_token = 4;
    bool is_down = false;
    Millis delay{0};
    std::function<llm::Completion(const llm::Request&)> answer = [](const llm::Request&) { return says("Yes."); };
    std::vector<llm::Request> requests, summaries;
    std::int64_t most_seen = 0;

private:
    static std::int64_t counted(const llm::Request& request, std::int64_t bytes_of_token)
    {
        std::int64_t tokens = 0;
        const auto add = [&](std::size_t bytes) {
            tokens += (static_cast<std::int64_t>(bytes) + bytes_of_token - 1) / bytes_of_token;
        };
        add(request.instructions.size());
        for (const auto& message : request.messages) {
            std::size_t bytes = 32 + message->text.size() + 12'000 * message->images.size();
            for (const auto& call : message->calls) bytes += boost::json::serialize(call.args).size();
            add(bytes);
        }
        if (request.tools)
            for (const auto& tool : *request.tools) add(tool.name.size() + tool.description.size());
        return tokens;
    }
};

/// A world with one such model, and the compactor that the program has.
struct Windows : Stage {
    explicit Windows(const std::function<Async<model::Reply>(Run&)>& pattern) : Stage(pattern)
    {
        env->models = [this](const model::LlmConfig&, const Id&, const std::string&) { return vendor; };
        env->compactor = &compactor;
        team->memory_config.short_term_limit = 2'000;
    }
    ~Windows() { crash(); }

    std::shared_ptr<Vendor> vendor = std::make_shared<Vendor>();
    WindowCompactor compactor;
};

/// Talks with the agent: so many turns, of that many bytes each.
std::function<Async<model::Reply>(Run&)> talk(int turns, std::size_t bytes)
{
    return [turns, bytes](Run& run) -> Async<model::Reply> {
        std::string said;
        for (int i = 0; i < turns; ++i) {
            run.tell("turn " + std::to_string(i) + " " + std::string(bytes, 'x'));
            said = (co_await run.think(run.agent())).text;
        }
        co_return run.reply(said);
    };
}

std::size_t compactions_in(const std::vector<storage::Record>& records)
{
    std::size_t count = 0;
    for (const auto& record : records)
        if (record.kind == storage::RecordKind::outcome && effect_of(record) == EffectKind::compact) ++count;
    return count;
}

std::size_t summaries_in(const std::vector<storage::Record>& records)
{
    return static_cast<std::size_t>(std::ranges::count_if(records, [](const auto& one) {
        return one.kind == storage::RecordKind::outcome && one.path.find("/think:") != one.path.npos;
    }));
}

std::vector<std::int64_t> context_sizes(const std::vector<storage::Record>& records)
{
    std::vector<std::int64_t> sizes;
    for (const auto& record : records)
        for (const std::string& json : events_of(record)) {
            const auto event = boost::json::parse(json).as_object();
            if (event.at("type") == "event_agent_start" && event.contains("context_size"))
                sizes.push_back(event.at("context_size").to_number<std::int64_t>());
        }
    return sizes;
}

}  // namespace

TEST_CASE("window: a conversation that becomes too long is summed up by the agent's own model")  // MEM-05 U, EVT-11 U
{
    Windows world(talk(12, 1500));
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "Yes.");
    const auto records = world.records(id);
    CHECK(compactions_in(records) > 1);
    const auto& last = world.vendor->requests.back().messages;
    CHECK(last.front()->text.starts_with("turn 0 "));
    CHECK(last[1]->text.starts_with(llm::kSummaryStart));
    CHECK(last.back()->text.starts_with("turn 11 "));
    REQUIRE(world.vendor->summaries.size() >= compactions_in(records));
    const llm::Request& later = world.vendor->summaries.back();
    CHECK((!later.tools || later.tools->empty()));
    CHECK(later.messages.back()->text.starts_with("Your notes so far:\nNotes "));
    // every request was counted, and none is above the limit
    const auto sizes = context_sizes(records);
    CHECK(sizes.size() == world.vendor->requests.size() + world.vendor->summaries.size());
    CHECK(std::ranges::all_of(sizes, [](std::int64_t size) { return size > 0 && size < 2'600; }));
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("window: what fits costs no record")
{
    Windows world(talk(4, 10));
    const Id id = world.play();
    world.finish(id);
    CHECK(compactions_in(world.records(id)) == 0);
}

TEST_CASE("window, case 3: when the model cannot sum up, how messages begin must do")
{
    Windows world(talk(12, 1500));
    world.vendor->is_down = true;
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "Yes.");
    CHECK(compactions_in(world.records(id)) > 1);
    const std::string& summary = world.vendor->requests.back().messages[1]->text;
    CHECK(summary.find("user: turn 1 xxx") != summary.npos);
    CHECK(summary.find("assistant: Yes.") != summary.npos);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("window, case 4: a smaller window from the next turn on")
{
    std::shared_ptr<Vendor> vendor;
    Windows world([&vendor](Run& run) -> Async<model::Reply> {
        for (int i = 0; i < 3; ++i) {
            run.tell(std::string(2000, 'x'));
            co_await run.think(run.agent());
        }
        vendor->window = 3'000;  // 1,000 of them for the answer
        run.tell("And now?");
        co_return run.reply((co_await run.think(run.agent())).text);
    });
    vendor = world.vendor;
    vendor->window = 20'000;
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == "Yes.");
    CHECK(compactions_in(world.records(id)) == 1);
}

TEST_CASE("window, case 5: an instruction during a compaction is for the agent, not for whoever sums up")
{
    Windows world(talk(8, 1500));
    world.vendor->delay = Millis(100);
    const Id id = world.play();
    bool told = false;
    while (!world.state(id).finished()) {
        world.wait(sleep_for(Millis(10)));
        const auto records = world.records(id);
        const bool sums_up = std::ranges::any_of(records, [](const auto& one) { return one.path.ends_with("/plan"); });
        if (told || !sums_up || compactions_in(records) > 0) continue;
        told = true;
        world.wait(world.commands->instruct(kAnn, id, "Use the blue one."));
    }
    REQUIRE(told);
    const auto hears = [](const llm::Request& request) {
        return std::ranges::any_of(request.messages, [](const auto& one) { return one->text == "Use the blue one."; });
    };
    CHECK(std::ranges::none_of(world.vendor->summaries, hears));
    CHECK(std::ranges::count_if(world.vendor->requests, hears) > 0);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
}

TEST_CASE("window, case 5: an instruction that is itself too long is cut with the rest, in a replay too")
{
    Windows world([](Run& run) -> Async<model::Reply> {
        run.tell("Hello");
        co_await run.think(run.agent());
        co_await run.sleep(Millis(1000));
        co_await run.think(run.agent());
        co_return run.reply((co_await run.think(run.agent())).text);
    });
    const Id id = world.play();
    world.wait(sleep_for(Millis(500)));
    world.wait(world.commands->instruct(kAnn, id, "Read this: " + std::string(30'000, 'i')));
    CHECK(ending(world.finish(id)) == "Yes.");
    const auto& heard = world.vendor->requests[1].messages.back()->text;
    CHECK(heard.starts_with("Read this: iii"));
    CHECK(heard.ends_with("more characters: left out]"));
    const auto journal = world.records(id);
    CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        Windows other([](Run& run) -> Async<model::Reply> {
            run.tell("Hello");
            co_await run.think(run.agent());
            co_await run.sleep(Millis(1000));
            co_await run.think(run.agent());
            co_return run.reply((co_await run.think(run.agent())).text);
        });
        other.adopt(journal, length);
        CHECK(ending(other.finish(id)) == "Yes.");
        CHECK(other.wait(other.commands->replay(kAnn, id)).diverged == "");
    }
}

TEST_CASE("window, case 9: killed at any record of it, a compaction is made once, whoever counts the tokens then")
{
    const auto pattern = talk(9, 1500);
    Windows whole(pattern);
    const Id id = whole.play();
    whole.finish(id);
    const auto journal = whole.records(id);
    REQUIRE(compactions_in(journal) > 0);
    for (std::size_t length = 2; length < journal.size(); ++length) {
        for (const std::int64_t bytes_of_token : {4, 1, 40}) {
            CAPTURE(length);
            CAPTURE(bytes_of_token);
            Windows world(pattern);
            world.vendor->bytes_of_token = bytes_of_token;
            world.adopt(journal, length);
            CHECK(ending(world.finish(id)) == "Yes.");
            const auto records = world.records(id);
            for (std::size_t i = 0; i < length; ++i) CHECK(records[i].body == journal[i].body);
            CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
            if (bytes_of_token == 4) CHECK(summaries_in(records) == summaries_in(journal));
        }
    }
}

TEST_CASE("window, case 10: a limit that cannot be met names both numbers")
{
    struct {
        const char* name;
        int turns;
        std::size_t instructions;
        std::int64_t window;
        std::int64_t limit;
        const char* says;
    } const cases[] = {
        {"instructions", 1, 20'000, 4'000, 2'000,
         "tokens, and its model vendor/model has room for 3000: it holds 4000, and 1000 of them are for its answer"},
        {"limit", 2, 10, 9'000, 3,
         "what worker must be told of what was said takes 10 tokens, and its short_term_limit is 3; raise "
         "memory_config.short_term_limit"},
    };
    for (const auto& one : cases) {
        CAPTURE(one.name);
        Windows world(talk(one.turns, 5));
        world.team->agents[0].prompt = std::string(one.instructions, 'p');
        world.team->memory_config.short_term_limit = one.limit;
        world.vendor->window = one.window;
        const Id id = world.play();
        const std::string said = ending(world.finish(id));
        CAPTURE(said);
        CHECK(said.find(one.says) != said.npos);
        CHECK(world.vendor->requests.size() == static_cast<std::size_t>(one.turns - 1));
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    }
}

TEST_CASE("window: an agent's own limit counts, not its team's")  // AGENT-19 U
{
    for (const bool own : {false, true}) {
        Windows world(talk(4, 1500));
        if (own) world.team->agents[0].memory_config.emplace().short_term_limit = 500;
        const Id id = world.play();
        world.finish(id);
        CHECK((compactions_in(world.records(id)) > 0) == own);
    }
}

TEST_CASE("window: what a session has been summed up to is where its next task begins")
{
    Windows world([](Run& run) -> Async<model::Reply> {
        run.tell_history();
        run.tell(run.prompt());
        co_return run.reply((co_await run.think(run.agent())).text);
    });
    const std::string session = to_string(new_id(world.random));
    std::size_t asked = 0;
    for (int i = 0; i < 40; ++i) {
        CreateTask request{.team = *world.team,
                           .description = "turn " + std::to_string(i) + std::string(400, ' ') + ".",
                           .pattern = "play@1"};
        request.session = session;
        const Id id = world.wait(world.commands->create(kAnn, std::move(request)));
        CHECK(world.rest(id).status == model::TaskStatus::completed);
        asked = world.vendor->summaries.size();
    }
    // not at every turn: what was summed up stays summed up
    CHECK(asked > 1);
    CHECK(asked < 12);
    const auto& last = world.vendor->requests.back().messages;
    CHECK(last[0]->text.starts_with("turn 0 "));
    CHECK(last[1]->text.starts_with(llm::kSummaryStart));
    CHECK(last.back()->text.starts_with("turn 39 "));
    // people see all of it
    const auto all = world.wait(world.queries->conversation(kAnn, session));
    CHECK(all.size() == 80);
    CHECK(all[2].text.starts_with("turn 1 "));
}

TEST_CASE("window, case 7: in 10,000 turns of every size no request is too long, and the roles take turns as each "
          "vendor wants")
{
    constexpr int kWorlds = 20, kTurns = 500;
    std::size_t compactions = 0;
    for (int seed = 0; seed < kWorlds; ++seed) {
        CAPTURE(seed);
        auto chance = std::make_shared<SeededRandom>(static_cast<std::uint64_t>(seed));
        Windows world([chance](Run& run) -> Async<model::Reply> {
            // all sizes are decided by what is recorded, so that a replay says the same
            run.tell("first");
            for (int i = 0; i < kTurns; ++i) {
                const Step step = co_await run.think(run.agent());
                if (step.calls.empty()) {
                    run.tell("user " + std::string(step.text.size() * 7 % 3001, 'u'));
                    continue;
                }
                for (const auto& call : step.calls)
                    run.tell(
                        llm::Message{.role = model::Role::tool,
                                     .text = "found " + std::string(call.args.at("size").to_number<std::size_t>(), 'r'),
                                     .call_id = call.id});
            }
            co_return run.reply("done");
        });
        world.team->memory_config.short_term_limit = 500 + static_cast<std::int64_t>(chance->below(4'000));
        world.vendor->window = 2'500 + static_cast<std::int64_t>(chance->below(20'000));
        world.vendor->is_down = seed % 3 == 0;
        world.vendor->answer = [chance](const llm::Request&) {
            llm::Completion said = says("said " + std::string(some_size(*chance), 's'));
            if (chance->below(2) == 0)
                for (auto calls = 1 + chance->below(5); calls > 0; --calls)
                    said.calls.push_back({.tool_name = "pay", .args = {{"size", some_size(*chance)}}});
            return said;
        };
        const Id id = world.play();
        CHECK(ending(world.finish(id)) == "done");
        compactions += compactions_in(world.records(id));
        CHECK(world.vendor->most_seen <= *world.vendor->window - 1000);
        world.vendor->bytes_of_token = 3;  // another release counts otherwise
        CHECK(world.wait(world.commands->replay(kAnn, id)).diverged == "");
    }
    CHECK(compactions > 1000);
}
