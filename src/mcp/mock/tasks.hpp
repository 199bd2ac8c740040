// Long calls of mock-mcp: what is answered later, and how far it is.
#pragma once

#include "base/time.hpp"
#include "mcp/protocol.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace cadre::mcp::mock {

struct Task {
    std::string id{};
    Time created{};
    Instant begun{};
    Millis lasts{0};
    std::int64_t steps = 1;
    boost::json::object result{};
    bool cancelled = false;

    Instant due() const { return later(begun, lasts); }
    /// `working`, `completed` or `cancelled`.
    std::string_view status(Instant now) const;
    /// `step 2 of 4`
    std::string message(Instant now) const;
};

/// As `tasks/get` answers. With its result when the era has it there.
boost::json::object to_object(const Task& task, Era era, const Clock& clock);

/// The newest thousand.
class Tasks {
public:
    Task& begin(Task task);
    /// Null for one that is not known.
    Task* find(std::string_view id);

private:
    std::map<std::int64_t, Task> tasks_;
    std::int64_t last_ = 0;
};

}  // namespace cadre::mcp::mock
