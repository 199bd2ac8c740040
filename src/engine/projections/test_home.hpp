// A world with a home on the disk, for tests of what is written there.
#pragma once

#include "base/json.hpp"
#include "engine/projections/projector.hpp"
#include "engine/test_world.hpp"
#include "model/views/agentx.hpp"
#include "model/views/framework.hpp"
#include "storage/files.hpp"
#include "storage/temporary_folder.hpp"

#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine::testing {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

/// Thinks and uses tools until the model only talks.
inline Async<model::Reply> talk(Run& run)
{
    run.tell(run.prompt());
    const Agent& agent = run.agent();
    for (int i = 0; i < agent.max_iterations; ++i) {
        const Step step = co_await run.think(agent);
        if (step.calls.empty()) co_return run.reply(step.text);
        co_await run.use(agent, step.calls);
    }
    throw Error(Code::limit, "max_iterations (" + std::to_string(agent.max_iterations) + ") reached");
}

inline Async<model::Reply> delegate(Run& run)
{
    if (run.prompt() != "Ask somebody.") co_return co_await talk(run);
    co_return co_await run.delegate(run.agent("worker"), "The magic word is plum.");
}

/// A disk that does not answer when it is told not to.
class StubbornPool final : public Pool {
public:
    explicit StubbornPool(Loop& loop) : inner_(loop) {}
    void submit(std::function<void()> work) override
    {
        if (!stuck) inner_.submit(std::move(work));
    }
    bool stuck = false;

private:
    LoopPool inner_;
};

/// A world with a home on the disk, and a projector beside its host.
struct Home : World {
    Home()
    {
        patterns.add({"talk@1", talk});
        patterns.add({"delegate@1", delegate});
        look = add_tool("look", model::Effect::pure);
        team = team_of({"look", "ask_human"});
        move_in();
    }
    ~Home()
    {
        host->set_listener(nullptr);
        projector.reset();
    }

    void move_in(bool looks = true)
    {
        projector = std::make_unique<Projector>(ProjectorSetting{.loop = loop,
                                                                 .pool = disk,
                                                                 .store = store,
                                                                 .folder = tasks(),
                                                                 .policy = model::framework::standard_retention(),
                                                                 .log = Log(descriptor_sink(-1), cadre::Level::off)});
        host->set_listener(projector.get());
        if (looks) wait(projector->catch_up());
    }
    /// The process dies with files unwritten, and another one comes.
    void die()
    {
        host->set_listener(nullptr);
        projector.reset();
        restart();
    }

    fs::path tasks() const { return temporary.path() / "tasks"; }
    fs::path folder(const Id& id) const { return tasks() / to_string(id); }
    std::string read(const Id& id, std::string_view name) const
    {
        return storage::find_file(folder(id) / name).value_or("(none)");
    }
    template <class T>
    T read_as(const Id& id, std::string_view name) const
    {
        return model::from_text<T>(read(id, name));
    }
    std::vector<model::agentx::TaskStep> history(const Id& id) const
    {
        std::vector<model::agentx::TaskStep> steps;
        std::istringstream lines(read(id, layout::kHistory));
        for (std::string line; std::getline(lines, line);)
            steps.push_back(model::from_text<model::agentx::TaskStep>(line));
        return steps;
    }
    Files files(const Id& id) const
    {
        Files all;
        for (const auto& item : fs::recursive_directory_iterator(folder(id)))
            if (item.is_regular_file())
                all[item.path().lexically_relative(folder(id))] = storage::find_file(item.path()).value();
        return all;
    }
    /// Until the files show everything.
    void settle(const Id& id)
    {
        wait(host->until_resting(id));
        loop.run_until([&] { return !projector->is_behind(id); });
    }

    /// The model says these one after the other.
    void script(std::vector<llm::Completion> completions)
    {
        model->answer = [completions, next = std::size_t{0}](const llm::Request&) mutable {
            return completions.at(next++);
        };
    }

    StubbornPool disk{loop};
    storage::TemporaryFolder temporary;
    std::shared_ptr<FakeTool> look;
    std::unique_ptr<Projector> projector;
};

inline TaskSpec about(std::string description)
{
    return {.description = std::move(description), .agent = "worker"};
}

}  // namespace cadre::engine::testing
