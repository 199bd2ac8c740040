// Tool: one interface to everything that an agent may call. A tool knows nothing of runs, journals or people.
#pragma once

#include "base/async_fwd.hpp"
#include "base/error.hpp"
#include "model/tool.hpp"

#include <boost/json/object.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre {
class Pool;
}

namespace cadre::tools {

struct Call {
    std::string id{};
    boost::json::object arguments{};  // fit the tool's input_schema
    std::string key{};                // the idempotency key: the same on every dispatch of this call
    int attempt = 1;
    std::filesystem::path workspace{};  // the task's artifacts/ folder; the only files that a tool may touch
};

/// What a tool answered. An error is an answer too: the tool ran and says what is wrong, for the model to act on.
struct Result {
    std::string text{};  // text as it is, other JSON as compact text (C-06)
    bool is_error = false;
    std::vector<std::string> artifacts{};  // paths in the workspace that it wrote
    std::optional<int> exit_code{};

    bool operator==(const Result&) const = default;
};

/// Thrown when it is certain that the call has not reached the tool: trying again is safe, whatever the tool's class.
class NotDispatched : public Error {
public:
    using Error::Error;
};

/// How a tool reaches the world of its caller.
class ToolContext {
public:
    virtual void progress(std::string_view text) noexcept = 0;
    virtual Pool& pool() = 0;  // for what blocks

protected:
    ~ToolContext() = default;
};

class Tool {
public:
    virtual ~Tool() = default;

    /// Name, description, schemas, class, timeout.
    virtual const model::Tool& definition() const = 0;
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

}  // namespace cadre::tools
