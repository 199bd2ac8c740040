// Call: one use of a tool, from the wish to its outcome.
#pragma once

#include "model/type.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

enum class CallStatus : std::uint8_t { pending, in_progress, completed, failed, timeout };
std::span<const EnumName> names_of(const CallStatus*);

struct Call {
    std::string id{};
    std::string tool{};
    std::optional<std::string> server{};
    std::optional<std::string> domain{};
    boost::json::object args{};
    CallStatus status = CallStatus::pending;
    std::optional<boost::json::value> result{};
    std::optional<std::string> error{};
    std::optional<Time> started_at{};
    std::optional<Time> completed_at{};
    std::optional<std::int64_t> timeout_ms{};
    std::optional<boost::json::object> retry{};
    int attempts = 0;
    std::optional<int> exit_code{};
    std::optional<boost::json::object> usage{};
    std::vector<std::string> artifacts{};

    bool operator==(const Call&) const = default;
};
const Entity& describe(const Call*);

/// Whether nothing more will happen to it.
bool is_finished(CallStatus status);
/// From its start to its end, once both are known.
std::optional<std::int64_t> duration_ms(const Call& call);

/// 000 and 003 show results as dicts: any other value is wrapped as {"value": …} (C-06).
boost::json::object as_dict(const boost::json::value& result);
/// The reverse: what {"value": …} alone wraps, any other dict as it is.
boost::json::value from_dict(const boost::json::object& dict);

}  // namespace cadre::model
