// A small world for tests of the engine: virtual time, a store in memory, models and tools that are functions. What its tools
// did is counted outside the engine, so it survives a crash of it.
#pragma once

#include "base/async.hpp"
#include "base/pool.hpp"
#include "base/random.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"
#include "engine/commands.hpp"
#include "engine/events.hpp"
#include "engine/host.hpp"
#include "engine/queries.hpp"
#include "engine/run.hpp"
#include "storage/memory/memory_store.hpp"
#include "tools/builtin.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cadre::engine::testing {

/// Who does things in tests where that does not matter.
inline const Principal kAnn = local_user("ann");

class FakeModel final : public llm::Model {
public:
    std::string spec() const override { return "fake"; }
    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink& sink) override
    {
        requests.push_back(request);
        if (delay.count() > 0) co_await sleep_for(delay);
        auto completion = answer(request);
        sink.chunk(completion.text);
        co_return completion;
    }

    std::function<llm::Completion(const llm::Request&)> answer;
    Millis delay{0};
    std::vector<llm::Request> requests;
};

inline llm::Completion says(std::string text)
{
    return {.text = std::move(text), .usage = {.input = 10, .output = 5}};
}

inline llm::Completion calls(std::string tool, boost::json::object args = {})
{
    llm::Completion completion{.usage = {.input = 10, .output = 5}};
    completion.calls.push_back({.tool_name = std::move(tool), .args = std::move(args)});
    return completion;
}

/// A tool whose dispatches are counted by key.
class FakeTool final : public tools::Tool {
public:
    FakeTool(std::string name, model::Effect effect)
    {
        definition_.name = std::move(name);
        definition_.description = "A tool of a test.";
        definition_.effect = effect;
    }
    const model::Tool& definition() const override { return definition_; }
    model::Tool& mutable_definition() { return definition_; }

    Async<tools::Result> call(tools::Call call, tools::ToolContext&) override
    {
        dispatched.push_back(call.key);
        if (takes.count() > 0) co_await sleep_for(takes);
        co_return answer ? answer(call) : tools::Result{.text = "done"};
    }

    std::function<tools::Result(const tools::Call&)> answer;
    Millis takes{0};
    std::vector<std::string> dispatched;

private:
    model::Tool definition_;
};

class World {
public:
    explicit World(std::uint64_t seed = 0) : loop(seed), store({.clock = &loop.clock()})
    {
        tools::add_builtin_tools(registry, loop.clock());
        env = std::make_unique<Env>(
            Env{.loop = loop,
                .pool = pool,
                .random = random,
                .store = store,
                .tools = registry,
                .models = [this](const model::LlmConfig&, const Id&, const std::string&) { return model; },
                .workspace = [](const Id&) { return std::filesystem::path("/nonexistent"); },
                .log = Log(descriptor_sink(-1), Level::off)});
        start();
    }
    ~World() { crash(); }

    void start()
    {
        host = std::make_unique<Host>(*env, patterns);
        queries = std::make_unique<Queries>(store, host.get());
        commands = std::make_unique<Commands>(*host, *queries);
    }
    /// The process is gone; what the store has stays.
    void crash()
    {
        commands.reset();
        queries.reset();
        host.reset();
    }
    void restart()
    {
        crash();
        start();
    }

    std::shared_ptr<FakeTool> add_tool(std::string name, model::Effect effect)
    {
        auto tool = std::make_shared<FakeTool>(std::move(name), effect);
        registry.add(tool);
        return tool;
    }

    template <class T>
    T wait(Async<T> work)
    {
        return cadre::run(loop, std::move(work));
    }

    /// Starts a task with a pattern of the test's own.
    Id begin(std::string pattern, TaskSpec spec = {})
    {
        spec.pattern = std::move(pattern);
        const Id id = new_id(random);
        wait(host->create(std::string(kLocalTenant), id, std::move(spec), team));
        return id;
    }
    TaskState rest(Id id)
    {
        wait(host->until_resting(id));
        return state(id);
    }
    TaskState state(Id id) { return fold(records(id)); }
    std::vector<storage::Record> records(Id id) { return wait(store.read(id)); }

    SimLoop loop;
    LoopPool pool{loop};
    SeededRandom random{7};
    storage::MemoryStore store;
    tools::Registry registry;
    Patterns patterns;
    std::shared_ptr<FakeModel> model = std::make_shared<FakeModel>();
    std::optional<model::Team> team;
    std::unique_ptr<Env> env;
    std::unique_ptr<Host> host;
    std::unique_ptr<Queries> queries;
    std::unique_ptr<Commands> commands;
};

/// A team of one agent with these tools.
inline model::Team team_of(std::vector<std::string> tool_names, int max_iterations = 10)
{
    model::Agent agent{.name = "worker",
                       .role = "works",
                       .tools = std::move(tool_names),
                       .prompt = "You work.",
                       .max_iterations = max_iterations};
    return {.name = "team", .agents = {std::move(agent)}};
}

}  // namespace cadre::engine::testing
