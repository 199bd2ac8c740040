// The tools of mock-mcp: what they are, and what becomes of a call. Decisions only: nobody waits, writes or ends here.
#pragma once

#include "base/time.hpp"
#include "mcp/json_rpc.hpp"
#include "mcp/mock/script.hpp"

#include <boost/json/array.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cadre::mcp::mock {

/// What becomes of a call.
struct Outcome {
    std::variant<boost::json::object, RpcError> answer{};
    Millis delay{0};            // before the answer, or the end
    std::int64_t steps = 0;     // of a long call, told as progress on the way
    std::optional<int> exit{};  // the process ends so, and does not answer
    bool stall = false;         // no answer ever
    bool duplicate = false;
    bool wrong_id = false;
    std::string noise{};
};

/// `{"content":[{"type":"text",…}]}`
boost::json::object text_result(std::string_view text, bool is_error = false);

/// Those that are built in, and those of a script. What is counted and used up lives as long as this does.
class Tools {
public:
    /// Does the side effect of a call, once, and says how often that has happened. It is blamed on the idempotency key.
    using Count = std::function<std::int64_t(const std::string& key)>;

    Tools(ReadScript script, Count count);
    Tools(const Tools&) = delete;
    Tools& operator=(const Tools&) = delete;
    ~Tools();

    /// As `tools/list` answers.
    boost::json::array listed() const;
    /// Nothing for an unknown tool.
    const boost::json::object* find_schema(std::string_view name) const;
    /// Whether calls of it take long enough to be tasks.
    bool is_long(std::string_view name) const;

    /// Of a tool that there is. Side effects have happened when this returns. `changed` is set when the list is another one now.
    Outcome call(std::string_view name, const boost::json::object& arguments, const std::string& key, bool& changed);

    /// Answers of the script that were used too seldom, a line each.
    std::vector<std::string> left_over() const;

private:
    struct Tool;
    const Tool* find(std::string_view name) const;

    Count count_;
    std::string script_;  // its name
    std::vector<std::unique_ptr<Tool>> tools_;
};

}  // namespace cadre::mcp::mock
