// What does the engine itself cost? Chains and fan-outs of effects that take no time, with every record built, hashed and
// then thrown away, so that it compares with other engines' figures. Beside it, what no engine can do without: bare
// coroutines, and the hashes of as many bytes.
#include "allocations.hpp"
#include "base/sha256.hpp"
#include "engine/host.hpp"
#include "engine/projections/chronicle.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "patterns/graph/board.hpp"
#include "patterns/graph/graph.hpp"
#include "patterns/patterns.hpp"
#include "quick_world.hpp"
#include "repeat.hpp"
#include "storage/memory/memory_store.hpp"

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

using namespace cadre;
using namespace cadre::engine;

namespace {

// ---- what the cases do ----

/// The least that is recorded: a value that must stay the same, here the time. An outcome, no intent.
Async<std::string> now(Run& run)
{
    co_await run.now();
    co_return "done";
}

/// An effect without a model: an intent, the work that takes no time, an outcome.
class Trivial final : public Performer {
public:
    Async<Answered> attempt(Attempt) override { co_return Answered{.members = R"("text":"done")"}; }
};

Async<std::string> trivial(Run& run)
{
    Effect effect{.ask = RequestDigest(EffectKind::check), .path = run.next_path(EffectKind::check)};
    effect.ask.part("what", "something");
    Trivial performer;
    co_await run.perform(std::move(effect), performer);
    co_return "done";
}

Async<std::string> think(Run& run)
{
    run.tell("Do it.");
    co_return (co_await run.think(run.agent())).text;
}

Async<std::string> use(Run& run)
{
    std::vector<model::ToolCall> calls{{.id = "tc_0b9d7e5c3a1f4e8db6c4a29f8e7d6c5b", .tool_name = "look"}};
    co_return (co_await run.use(run.agent(), std::move(calls)))[0].text;
}

template <Async<std::string> (*step)(Run&)>
Async<> chain(Run& run)
{
    co_await run.node("first", step);
    co_await run.node("second", step);
    co_await run.node("third", step);
}

template <Async<std::string> (*step)(Run&)>
Async<std::string> branch(Run& run, int)
{
    co_return co_await run.node("branch", step);
}

template <Async<std::string> (*step)(Run&)>
Async<> fan_out(Run& run)
{
    co_await run.map(std::vector{1, 2, 3, 4, 5}, branch<step>);
}

/// Run::perform and next to nothing else.
Async<> effects(Run& run)
{
    for (int i = 0; i < 10; ++i) co_await trivial(run);
}

/// So many nodes, one after the other, without a flow around them.
template <int count>
Async<> nodes(Run& run)
{
    for (int i = 0; i < count; ++i) co_await run.node("n" + std::to_string(i), now);
}

/// Parts that all hang on the one before, or the last one on all others.
class Line final : public Flow {
public:
    Line(std::size_t size, bool fans_out) : inputs_(size)
    {
        for (std::size_t i = 0; i < size; ++i) names_.push_back("n" + std::to_string(i));
        for (std::size_t i = 1; i < size; ++i) {
            if (!fans_out) inputs_[i] = {i - 1};
            else inputs_.back().push_back(i - 1);
        }
    }
    std::size_t size() const override { return names_.size(); }
    const std::string& name(std::size_t part) const override { return names_[part]; }
    std::span<const std::size_t> inputs(std::size_t part) const override { return inputs_[part]; }
    Entry enter(std::size_t part, std::span<const Fate>) const override
    {
        return {.what = Entry::What::go, .counted = inputs_[part]};
    }

private:
    std::vector<std::string> names_;
    std::vector<std::vector<std::size_t>> inputs_;
};

template <std::size_t size, bool fans_out>
Async<> flow(Run& run)
{
    static const Line line(size, fans_out);  // graphs are made when they are loaded
    const auto body = [](Run& at, std::size_t, const Inputs<std::string>&) { return now(at); };
    co_await run.flow<std::string>(line, body);
}

/// Nodes of a workflow that only lead on: what a node costs beyond Run::node and its effect.
const patterns::Workflows& workflow_of(std::size_t size, bool fans_out)
{
    const auto name = [](std::size_t i) { return "n" + std::to_string(i); };
    model::WorkflowSetup setup;
    setup.graph.name = "line";
    setup.graph.entry = name(0);
    for (std::size_t i = 0; i < size; ++i) setup.graph.nodes[name(i)].type = model::NodeType::condition;
    for (std::size_t i = 1; i < size; ++i) {
        const bool is_last = i + 1 == size;
        if (!fans_out || !is_last)
            setup.graph.edges.push_back({.from = name(fans_out ? 0 : i - 1), .to = json::value(name(i))});
        if (fans_out && !is_last) setup.graph.edges.push_back({.from = name(i), .to = json::value(name(size - 1))});
    }
    static std::vector<std::unique_ptr<patterns::Workflows>> all;
    return *all.emplace_back(std::make_unique<patterns::Workflows>(std::move(setup)));
}

template <std::size_t size, bool fans_out>
Async<> graph(Run& run)
{
    static const patterns::Workflows& workflows = workflow_of(size, fans_out);
    co_await patterns::run_workflow(run, workflows);
}

Async<> nothing(Run&)
{
    co_return;
}

struct Case {
    const char* name;
    Async<> (*pattern)(Run&);
};
constexpr Case kCases[] = {
    {"empty_run", nothing},
    {"10_effects", effects},
    {"chain/now", chain<now>},
    {"chain/effect", chain<trivial>},
    {"chain/think", chain<think>},
    {"chain/use", chain<use>},
    {"fan_out/now", fan_out<now>},
    {"fan_out/effect", fan_out<trivial>},
    {"fan_out/think", fan_out<think>},
    {"3_nodes", nodes<3>},
    {"1000_nodes", nodes<1000>},
    {"10000_nodes", nodes<10'000>},
    {"flow/chain_of_3", flow<3, false>},
    {"flow/chain_of_1000", flow<1000, false>},
    {"flow/chain_of_10000", flow<10'000, false>},
    {"flow/fan_out_of_5", flow<6, true>},
    {"flow/fan_out_of_1000", flow<1001, true>},
    {"graph/chain_of_3", graph<3, false>},
    {"graph/chain_of_1000", graph<1000, false>},
    {"graph/fan_out_of_5", graph<7, true>},
    {"graph/fan_out_of_1000", graph<1002, true>},
};

// ---- a run without a host ----

class Nobody final : public RunOwner {
    void on_parkable() noexcept override {}
    void on_durable(std::uint32_t) noexcept override {}
    void on_refused(const std::exception_ptr&) noexcept override {}
    void on_chunk(const model::StreamChunk&) noexcept override {}
    Async<> start_child(Id, TaskSpec) override { co_return; }
    Async<std::optional<EndedTask>> find_ended(Id) override { co_return std::nullopt; }
    void on_orphan(const Id&, std::uint32_t) noexcept override {}
    Async<Agents> team_of(std::string) override { co_return nullptr; }
};

class Runs {
public:
    Runs() : store_({.discard = true}), world_(store_), port_(store_.open_port(world_.loop))
    {
        view_.id = new_id(world_.random);
        view_.tenant = "local";
        view_.spec.agent = "worker";
        auto team = bench::team_of({"look"});
        pin_tools(team, world_.registry);
        auto agents = agents_of(team, "", model::ExecutionMode::autonomous);
        agents_ = std::make_shared<const TeamAgents>(std::move(agents), std::make_shared<const model::Team>(team), "");
    }

    void once(Async<> (*pattern)(Run&))
    {
        {
            RunState state(world_.env, *port_, nobody_, TaskState(view_), {}, 1, agents_);
            Run run(state, "");
            state.begin();
            world_.wait(pattern(run));
            records += state.journal().seq();
        }
        while (world_.loop.poll_one()) {}
    }

    std::size_t records = 0;

private:
    storage::MemoryStore store_;
    bench::QuickWorld world_;
    std::unique_ptr<storage::Port> port_;
    Nobody nobody_;
    TaskState view_;
    Agents agents_;
};

void engine_run(benchmark::State& state, Async<> (*pattern)(Run&))
{
    Runs runs;
    runs.once(pattern);  // what is made only once
    runs.records = 0;
    const auto before = bench::allocations();
    for (auto _ : state) runs.once(pattern);
    const auto after = bench::allocations();
    const auto average = benchmark::Counter::kAvgIterations;
    state.counters["allocs"] = {double(after.count - before.count), average};
    state.counters["bytes"] = {double(after.bytes - before.bytes), average};
    state.counters["records"] = {double(runs.records), average};
}

// ---- a whole task: created, accepted, run by react, ended ----

class WholeTasks {
public:
    WholeTasks() : world_(store_)
    {
        patterns::add_patterns(patterns_);
        host_ = std::make_unique<Host>(world_.env, patterns_);
        world_.model->answer = [this](const llm::Request&) {
            return ++turn_ % 2 == 1 ? bench::calls("look")
                                    : llm::Completion{.text = "done", .usage = {.input = 10, .output = 5}};
        };
    }
    ~WholeTasks() { world_.wait(host_->close()); }

    void once()
    {
        const Id id = new_id(world_.random);
        TaskSpec spec{.description = "Do it.", .agent = "worker", .pattern = "react@1"};
        world_.wait(host_->create("local", id, std::move(spec), team_));
        world_.wait(host_->until_resting(id));
    }

private:
    storage::MemoryStore store_{{.discard = true}};
    bench::QuickWorld world_;
    Patterns patterns_;
    std::unique_ptr<Host> host_;
    const model::Team team_ = bench::team_of({"look"});
    int turn_ = 0;
};

void whole_task(benchmark::State& state)
{
    WholeTasks tasks;
    const auto before = bench::allocations();
    for (auto _ : state) tasks.once();
    const auto after = bench::allocations();
    state.counters["allocs"] = {double(after.count - before.count), benchmark::Counter::kAvgIterations};
}

// ---- what is behind a run of so many nodes, each with a model call: it is read again, and told in files ----

class Journals {
public:
    explicit Journals(int nodes) : world_(store_)
    {
        patterns_.add({"nodes@1", [nodes](Run& run) -> Async<model::Reply> {
                           for (int i = 0; i < nodes; ++i) co_await run.node("n" + std::to_string(i), think);
                           co_return run.reply("done");
                       }});
        Host host(world_.env, patterns_);
        const Id id = new_id(world_.random);
        world_.wait(host.create("local", id, {.agent = "worker", .pattern = "nodes@1"}, bench::team_of({})));
        world_.wait(host.until_resting(id));
        world_.wait(host.close());
        records = world_.wait(store_.read(id));
    }

    std::vector<storage::Record> records;

private:
    storage::MemoryStore store_;
    bench::QuickWorld world_;
    Patterns patterns_;
};

void chronicle(benchmark::State& state)
{
    const Journals journals(static_cast<int>(state.range(0)));
    for (auto _ : state) {
        Chronicle told;
        for (const storage::Record& record : journals.records) told.apply(record);
        benchmark::DoNotOptimize(told.history().size());
    }
    state.counters["records"] = static_cast<double>(journals.records.size());
}

void folded(benchmark::State& state)
{
    const Journals journals(static_cast<int>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(fold(journals.records).steps);
    state.counters["records"] = static_cast<double>(journals.records.size());
}

// ---- references ----

Async<std::string> leaf()
{
    co_return "done";
}
Async<> bare_chain()
{
    for (int i = 0; i < 3; ++i) co_await leaf();
}
void coroutines(benchmark::State& state)
{
    net::Loop loop;
    for (auto _ : state) cadre::run(loop, bare_chain());
}

/// `count` records of about 300 bytes, and one digest of a request for every three of them.
void hashes(benchmark::State& state)
{
    const std::string record(300, 'x');
    const std::string request(100, 'y');
    for (auto _ : state) {
        for (int i = 0; i < state.range(0); ++i) benchmark::DoNotOptimize(sha256(record));
        for (int i = 0; i < state.range(0) / 3; ++i) benchmark::DoNotOptimize(sha256(request));
    }
}

std::vector<bench::Piece> pieces()
{
    std::vector<bench::Piece> all;
    for (const Case& one : kCases)
        all.push_back(
            {one.name, [&one] { return [&one, runs = std::make_shared<Runs>()] { runs->once(one.pattern); }; }});
    all.push_back({"whole_task", [] { return [tasks = std::make_shared<WholeTasks>()] { tasks->once(); }; }});
    return all;
}

}  // namespace

int main(int argc, char** argv)
{
    if (const auto code = bench::repeat(pieces(), argc, argv)) return *code;
    benchmark::RegisterBenchmark("reference: 3 coroutines", coroutines);
    benchmark::RegisterBenchmark("reference: hashes of a chain's records", hashes)->Arg(9);
    benchmark::RegisterBenchmark("reference: hashes of a fan-out's records", hashes)->Arg(15);
    for (const Case& one : kCases) benchmark::RegisterBenchmark(one.name, engine_run, one.pattern);
    benchmark::RegisterBenchmark("whole task: 2 model calls, 1 tool", whole_task);
    benchmark::RegisterBenchmark("fold of a journal, nodes", folded)->Arg(1000)->Arg(10'000);
    benchmark::RegisterBenchmark("chronicle of a journal, nodes", chronicle)->Arg(1000)->Arg(10'000);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
