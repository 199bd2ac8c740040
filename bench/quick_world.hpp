// A world without latency for benchmarks of the engine: a model and a tool that answer at once, on the real loop and clock.
#pragma once

#include "base/async.hpp"
#include "base/pool.hpp"
#include "base/random.hpp"
#include "base/run.hpp"
#include "engine/agent.hpp"
#include "engine/env.hpp"
#include "llm/model.hpp"
#include "model/team.hpp"
#include "net/loop.hpp"
#include "storage/store.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace cadre::bench {

/// Answers with what `answer` returns, or waits for ever where that is nothing.
class QuickModel final : public llm::Model {
public:
    std::string spec() const override { return "quick"; }
    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink&) override
    {
        auto completion = answer(request);
        if (!completion) {
            Never never;
            co_await never;
        }
        co_return std::move(*completion);
    }

    std::function<std::optional<llm::Completion>(const llm::Request&)> answer = [](const llm::Request&) {
        return llm::Completion{.text = "done", .usage = {.input = 10, .output = 5}};
    };

private:
    class Never final : public Wait {
    public:
        void await_resume() const { finish(); }

    private:
        bool arm() override { return true; }
        bool withdraw() noexcept override { return true; }
    };
};

inline llm::Completion calls(std::string tool, boost::json::object args = {})
{
    llm::Completion completion{.usage = {.input = 10, .output = 5}};
    completion.calls.push_back({.tool_name = std::move(tool), .args = std::move(args)});
    return completion;
}

class QuickTool final : public tools::Tool {
public:
    QuickTool(std::string name, std::function<std::string()> answer) : answer_(std::move(answer))
    {
        definition_.name = std::move(name);
        definition_.description = "A tool that answers at once.";
        definition_.effect = model::Effect::pure;
        definition_.permission = model::Permission::allow;
    }
    const model::Tool& definition() const override { return definition_; }
    Async<tools::Result> call(tools::Call, tools::ToolContext&) override { co_return tools::Result{.text = answer_()}; }

private:
    model::Tool definition_;
    std::function<std::string()> answer_;
};

/// A team of one agent, who may call these tools.
inline model::Team team_of(std::vector<std::string> tools)
{
    model::Agent agent{.name = "worker",
                       .role = "works",
                       .tools = std::move(tools),
                       .prompt = "You work.",
                       .max_iterations = 1'000'000};
    return {.name = "team", .agents = {std::move(agent)}};
}

/// What an engine on `store` needs.
class QuickWorld {
public:
    explicit QuickWorld(storage::Store& store)
        : env{.loop = loop,
              .pool = pool,
              .random = random,
              .store = store,
              .tools = registry,
              .models = [this](const model::LlmConfig&, const Id&, const std::string&) { return model; },
              .workspace = [](const Id&) { return std::filesystem::path("/nonexistent"); },
              .log = Log(descriptor_sink(2), Level::error)}
    {
        registry.add(std::make_shared<QuickTool>("look", [] { return "done"; }));
        registry.add(std::make_shared<QuickTool>("fetch", [] { return std::string(1 << 20, 'x'); }));
    }

    template <class T>
    T wait(Async<T> work)
    {
        return cadre::run(loop, std::move(work));
    }

    net::Loop loop;
    LoopPool pool{loop};
    SeededRandom random{7};
    tools::Registry registry;
    std::shared_ptr<QuickModel> model = std::make_shared<QuickModel>();
    engine::Env env;
};

}  // namespace cadre::bench
