// Tool: one interface to everything that an agent may call. A tool knows nothing of runs, journals or people.
#pragma once

#include "base/async_fwd.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/time.hpp"
#include "model/human.hpp"
#include "model/step.hpp"
#include "model/tool.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre {
class Pool;
}

namespace cadre::model {
struct Team;
}

namespace cadre::tools {

struct Call {
    std::string id{};
    boost::json::object arguments{};  // fit the tool's input_schema
    std::string key{};                // the idempotency key: the same on every dispatch of this call
    int attempt = 1;
    std::filesystem::path workspace{};  // the task's artifacts/ folder; the only files that a tool may touch
    std::optional<Millis> limit{};      // how long it may take, for a tool that keeps the time
};

/// What a call took of the machine.
struct Usage {
    std::int64_t cpu_ms = 0;
    std::int64_t peak_memory = 0;  // bytes

    bool operator==(const Usage&) const = default;
};

/// An image or a sound that a tool answered with.
struct Media {
    std::string mime_type{};
    std::string base64{};

    bool operator==(const Media&) const = default;
};

/// What a tool answered. An error is an answer too: the tool ran and says what is wrong, for the model to act on.
struct Result {
    std::string text{};  // text as it is, other JSON as compact text (C-06)
    bool is_error = false;
    std::vector<std::string> artifacts{};  // paths in the workspace that it wrote
    std::optional<int> exit_code{};
    std::optional<Usage> usage{};
    std::optional<boost::json::value> structured{};  // what output_schema describes, where it is more than `text`
    std::vector<Media> media{};

    bool operator==(const Result&) const = default;
};

/// Thrown when it is certain that the call has not reached the tool: trying again is safe, whatever the tool's class.
class NotDispatched : public Error {
public:
    using Error::Error;
};

/// What a tool wants a model to say: MCP's sampling.
struct SampleRequest {
    struct Message {
        model::Role role = model::Role::user;
        std::string text{};
    };
    std::string system{};
    std::vector<Message> messages{};
    std::optional<int> max_tokens{};
};

struct Sample {
    std::string text{};
    std::string model{};
    bool was_cut = false;  // at max_tokens
};

/// How a tool reaches the world of its caller. What it asks of people and models is a part of its call: on record, and paid from the
/// same budget.
class ToolContext {
public:
    virtual void progress(std::string_view text) noexcept = 0;
    virtual void log(Level level, std::string_view text) noexcept = 0;
    virtual Pool& pool() = 0;  // for what blocks
    /// Asks a person. `context` says what: `question`, and `schema` for an answer of more than words. Throws Error(forbidden) where
    /// nobody can be asked.
    virtual Async<model::HumanAnswer> ask(model::HumanRequestType type, boost::json::object context) = 0;
    /// Throws Error, also when there is no money left for it.
    virtual Async<Sample> sample(SampleRequest request) = 0;
    /// What `remember` and `recall` are called with goes to the memory of whoever calls them. Throws Error(invalid) where there is none,
    /// or that says what cannot be kept.
    virtual Async<Result> remember(boost::json::object arguments) = 0;
    virtual Async<Result> recall(boost::json::object arguments) = 0;

protected:
    ~ToolContext() = default;
};

class Tool {
public:
    virtual ~Tool() = default;

    /// Name, description, schemas, class, timeout.
    virtual const model::Tool& definition() const = 0;
    /// Whether it ends calls at their limit itself, because not all time counts: a server may wait for a person of ours.
    virtual bool keeps_time() const { return false; }
    /// Whether it runs a program that is locked in.
    virtual bool is_sandboxed() const { return false; }
    /// Returns the tool's answer. Throws NotDispatched, or any other Error when what came of the call is not known.
    /// Cancellation ends the work itself. `context` outlives the call.
    virtual Async<Result> call(Call call, ToolContext& context) = 0;
};

/// The tools of a process by name.
class Registry {
public:
    /// Throws Error(conflict) when the name is taken.
    void add(std::shared_ptr<Tool> tool);
    std::shared_ptr<Tool> find(std::string_view name) const;
    /// Throws Error(not_found) that suggests the nearest name.
    std::shared_ptr<Tool> get(std::string_view name) const;
    /// Sorted by name.
    std::vector<std::shared_ptr<Tool>> all() const;

private:
    std::vector<std::shared_ptr<Tool>> tools_;  // sorted by name
};

/// Tools that are not the same for all tasks of a process: those of the project that a task belongs to.
class Toolbox {
public:
    /// Writes down in the team what its agents were granted and what the project has: descriptions, schemas. Throws Error(not_found) for a
    /// tool that nobody has, and Error when a server that has some does not answer.
    virtual Async<> describe(model::Team& team, std::filesystem::path project) = 0;
    /// The tool as it was described; null: there is no such tool here, or it is another one by now, and `why` says so.
    virtual std::shared_ptr<Tool> find(const model::Tool& described, const std::filesystem::path& project,
                                       std::string& why) = 0;

protected:
    ~Toolbox() = default;
};

}  // namespace cadre::tools
