// Teams of AI agents in a program of your own: tools and models that are yours, tasks that survive whatever happens.
//
//     cadre::Engine engine({.home = "payments", .model = "openai/gpt-5-mini"});
//     engine.tool("add", "Adds two numbers.", {"a", "b"}, [](int a, int b) { return a + b; });
//     cadre::Task task = engine.start({.name = "clerk", .tools = {"add"}}, "What is 20 + 22?", {.dollars = 0.05});
//     for (const cadre::Event& event : task.events()) show(event);
//     if (task.wait().status == cadre::Status::waiting) task.answer(cadre::yes());
//
// What stands in include/cadre, cadre/detail excepted, keeps its meaning from release to release. Failures are exceptions of type
// cadre::Failure.
#pragma once

#include "cadre/export.hpp"
#include "cadre/failure.hpp"
#include "cadre/model.hpp"
#include "cadre/run.hpp"
#include "cadre/task.hpp"
#include "cadre/tool.hpp"
#include "cadre/version.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cadre {

/// A model and the tools that it may call.
struct Agent {
    std::string name{};
    std::string instructions{};
    /// Of the program, of Cadre (`calculator`, `read_file` …), or of an MCP server of the project: `server.tool`, `server.*`.
    std::vector<std::string> tools{};
    std::string model{};  // empty: the engine's
    std::optional<double> temperature{};
    std::string output_schema{};  // JSON Schema that its answer must meet; empty: text
    int max_iterations = 10;
};

/// What a task may use. One that needs more dollars or tokens pauses before the call; one that needs more steps or time has failed.
/// Nothing: no limit, or the project's.
struct Limits {
    std::optional<double> dollars{};
    std::optional<long long> tokens{};
    std::optional<int> steps{};                       // model calls
    std::optional<std::chrono::milliseconds> time{};  // at work; waiting for people does not count
};

struct EngineOptions {
    /// Where tasks are kept, which is made if it is missing; `cadre` works on it too (CADRE_HOME). Empty: in memory, until the engine is gone.
    std::filesystem::path home{};
    /// The folder of a project: its agents and teams, MCP servers, providers and variables. Empty: none.
    std::filesystem::path project{};
    /// For agents that name none: `openai/gpt-5-mini` and the like, with the vendor's key from its variable (OPENAI_API_KEY), or
    /// `script:FILE`.
    std::string model{};
    /// For every task that is given none of its own.
    Limits limits{};
    /// Tools and models that are functions: how many run at the same time.
    std::size_t threads = 4;
    /// Hears what nobody is told otherwise: one JSON object a line, from any thread. Empty: standard error, errors only.
    std::function<void(std::string_view line)> log{};
};

/// What is different about one task.
struct StartOptions {
    std::optional<double> dollars{};
    std::optional<long long> tokens{};
    std::optional<int> steps{};
    std::optional<std::chrono::milliseconds> time{};
    std::string model{};  // for all its agents
    std::optional<double> temperature{};
    std::vector<std::string> tools{};  // of the program, for an agent of the project, whose files do not know them
    std::string pattern{};  // one of the program's own; empty: the agent thinks and uses tools until it has an answer
    std::string session{};  // the conversation that it belongs to; empty: none
};

/// A conversation: each turn is a task, and hears what was said before. A cheap value, for all threads.
class CADRE_API Session {
public:
    const std::string& id() const { return id_; }
    /// The next turn. Failure(conflict) while the last one has not ended.
    Task say(std::string prompt, StartOptions options = {}) const;

private:
    friend class Engine;
    Session(std::shared_ptr<library::Core> core, std::string id, std::string name, Agent agent)
        : core_(std::move(core)), id_(std::move(id)), name_(std::move(name)), agent_(std::move(agent))
    {}

    std::shared_ptr<library::Core> core_;
    std::string id_;
    std::string name_;  // of an agent or team of the project; empty: `agent`
    Agent agent_;
};

/// A pattern: how a task runs. Between the effects of its Run it is plain deterministic code.
using Pattern = std::function<Async<std::string>(Run&)>;

/// It works on a thread of its own; its functions can be called from any other. One engine at a time has a home.
class CADRE_API Engine {
public:
    /// Throws Failure: another process has the home, it cannot be written, the project is faulty.
    explicit Engine(EngineOptions options = {});
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;
    /// What runs is stopped where it is; in a home it can be resumed later. Tools and models that are functions are waited for.
    ~Engine();

    // ---- what the program brings ----

    /// A tool from a function: see tool_from().
    template <class F>
    void tool(std::string name, std::string description, std::vector<Parameter> parameters, F function,
              ToolOptions options = {})
    {
        add_tool(
            tool_from(std::move(name), std::move(description), std::move(parameters), std::move(function), options));
    }
    template <class F>
    void tool(std::string name, std::string description, F function, ToolOptions options = {})
    {
        add_tool(tool_from(std::move(name), std::move(description), {}, std::move(function), options));
    }
    /// The full form.
    void add_tool(Tool tool);

    /// A name and a version: `pay@1`. A change of what it asks for is a new version, and the old one stays for the tasks that run it.
    void add_pattern(std::string name, Pattern pattern);

    /// For agents that name none, as EngineOptions::model.
    void use_model(std::string spec);
    /// A function: `Reply(const Request&)`, or `Reply(const Request&, const Say&)` for one that says its answer piece by piece.
    template <class F>
        requires std::is_invocable_r_v<Reply, F&, const Request&, const Say&>
    void use_model(F model)
    {
        add_model("default", Model(std::move(model)));
        use_model("function/default");
    }
    template <class F>
        requires std::is_invocable_r_v<Reply, F&, const Request&>
    void use_model(F model)
    {
        use_model(
            [model = std::move(model)](const Request& request, const Say&) mutable { return Reply(model(request)); });
    }
    /// One of several: agents, files and StartOptions name it `function/NAME`. A second one of that name takes the place of the first.
    void add_model(std::string name, Model model);

    // ---- tasks ----

    /// Starts a task and returns at once; what it says is durable. Name of an agent or team of the project.
    Task start(std::string_view name, std::string prompt, StartOptions options = {});
    Task start(Agent agent, std::string prompt, StartOptions options = {});
    /// start() and wait().
    Outcome run(std::string_view name, std::string prompt, StartOptions options = {});
    Outcome run(Agent agent, std::string prompt, StartOptions options = {});

    /// A conversation with an agent, or one that there was before: its id may be any text without spaces. Without one it is new.
    Session session(std::string_view name, std::string id = {});
    Session session(Agent agent, std::string id = {});

    /// Of those that have not ended, or of all; the newest first.
    std::vector<Task> tasks(bool all = false);
    /// Failure(not_found) when there is no such task. The beginning of its id is enough.
    Task task(std::string_view id);
    /// Continues whatever was interrupted, when the program has added what its tasks need. Returns them. A task that cannot continue stays as
    /// it is, and the log says why.
    std::vector<Task> resume_all();

private:
    std::shared_ptr<library::Core> core_;
};

}  // namespace cadre
