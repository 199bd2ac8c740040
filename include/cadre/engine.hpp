// The engine in a program of your own: agents, tools and models that are yours, runs that survive whatever happens.
//
//     cadre::Engine engine("my-tasks");                       // a folder; without one, everything is forgotten at the end
//     engine.add_tool({.name = "add", .description = "Adds two numbers.", .repeats = cadre::Repeats::pure, .call = add});
//     engine.use_model("script:hello.yaml");
//     cadre::Outcome outcome = engine.run({.name = "clerk", .tools = {"add"}}, "What is 20 + 22?");
//
// What stands in include/cadre keeps its meaning from release to release. Failures are exceptions of type cadre::Failure.
#pragma once

#include "cadre/run.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre {

/// What could not be done, in words for people. `code()` is one of a few: `invalid`, `not_found`, `conflict`, `unavailable` …
class Failure : public std::runtime_error {
public:
    Failure(std::string code, const std::string& text) : std::runtime_error(text), code_(std::move(code)) {}
    const std::string& code() const { return code_; }

private:
    std::string code_;
};

/// What a second dispatch of the same call would do: it decides what happens after a crash in the middle of one.
enum class Repeats {
    pure,        // nothing: free to repeat
    idempotent,  // the same again
    keyed,       // the same again, because the tool knows our key
    once,        // it all twice: never repeated by us; a person is asked what became of it
};

/// A call on its way to a tool.
class Arguments {
public:
    Arguments(std::string json, std::string key) : json_(std::move(json)), key_(std::move(key)) {}

    /// Empty, 0 or false when there is none of that type.
    std::string text(std::string_view name) const;
    double number(std::string_view name) const;
    bool flag(std::string_view name) const;
    /// All of them, a JSON object.
    const std::string& json() const { return json_; }
    /// The same on every dispatch of this call.
    const std::string& key() const { return key_; }

private:
    std::string json_;
    std::string key_;
};

/// Something that agents may call. The function runs on another thread than the engine's, several at once; what it throws is
/// told to the model.
struct Tool {
    std::string name{};
    std::string description{};
    Repeats repeats = Repeats::once;
    std::string input_schema{};   // JSON Schema of the arguments; empty: anything
    bool needs_approval = false;  // a person must agree to each call
    std::function<std::string(const Arguments&)> call{};
};

/// One message of a conversation with a model. `role` is user, assistant or tool.
struct Message {
    std::string role{};
    std::string text{};
};

/// What a model is asked.
struct Request {
    std::string agent{};
    std::string instructions{};
    std::vector<Message> messages{};
    int nth = 1;  // which model call of this agent in its task
};

/// What a model says: words, or calls of tools.
struct Reply {
    std::string text{};
    std::vector<ToolCall> calls{};
};

inline Reply says(std::string text)
{
    return {.text = std::move(text)};
}
inline Reply calls(std::string tool, std::string arguments)
{
    return {.calls = {{.tool = std::move(tool), .arguments = std::move(arguments)}}};
}

/// A model and the tools that it may call.
struct Agent {
    std::string name{};
    std::string instructions{};
    std::vector<std::string> tools{};
    int max_iterations = 10;
};

/// What a task has used so far. `dollars` by the price list of the model's vendor; 0 when nobody knows its prices.
struct Usage {
    int model_calls = 0;
    long long input_tokens = 0;
    long long output_tokens = 0;
    double dollars = 0;
};

/// How a task stands when it goes no further by itself.
struct Outcome {
    std::string task{};    // its id
    std::string status{};  // completed, failed, cancelled, waiting (for a person), paused
    std::string text{};    // the answer; what it asks; why it failed or paused
    std::vector<Question> questions{};
    Usage usage{};
};

/// A pattern: how a task runs. Between the effects of its Run it is plain deterministic code.
using Pattern = std::function<Async<std::string>(Run&)>;

/// Used by one thread. One process at a time has a folder.
class Engine {
public:
    /// In memory: nothing is kept.
    Engine();
    /// Durable: tasks are kept in `folder`, which is made if it is missing. Throws Failure when another process has it.
    explicit Engine(const std::filesystem::path& folder);
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;
    /// What is under way stops; durable tasks go on when somebody resumes them.
    ~Engine();

    void add_tool(Tool tool);
    /// A name and a version: `pay@1`. A change of what it asks for is a new version, and the old one stays for the tasks that run it.
    void add_pattern(std::string name, Pattern pattern);
    /// For all agents: `openai/gpt-5-mini` and the like, with the vendor's key from its variable (OPENAI_API_KEY), or `script:FILE`.
    void use_model(const std::string& spec);
    /// A function, which runs on another thread than the engine's.
    void use_model(std::function<Reply(const Request&)> model);

    /// Runs a task until it has ended or waits for a person: the agent thinks and uses its tools until it has an answer.
    Outcome run(const Agent& agent, std::string prompt);
    /// The same by a pattern of your own.
    Outcome run(std::string pattern, const Agent& agent, std::string prompt);

    /// What each task from now on may spend, in US dollars; one that would spend more pauses before the call. 0: no limit.
    void limit_dollars(double most);

    /// The ids of the tasks that have not ended, the newest first.
    std::vector<std::string> unfinished();
    /// How the task stands.
    Outcome look(const std::string& task);
    /// Goes on where the task stopped: after a crash, or another process.
    Outcome resume(const std::string& task);
    /// Answers the only question of a task, or the one of that id, and goes on.
    Outcome answer(const std::string& task, Answer answer, const std::string& question = {});
    /// Stops the task for good.
    Outcome cancel(const std::string& task, const std::string& reason = {});

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre
