// Reply: what a task answers in the end.
#pragma once

#include "model/call.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

/// How complete the data behind an answer is.
enum class Confidence : std::uint8_t { high, medium, low };
std::span<const EnumName> names_of(const Confidence*);

struct Reply {
    std::string task{};
    std::string agent{};
    std::string text{};
    bool ok = true;
    std::optional<std::string> error{};
    std::int64_t elapsed_ms = 0;
    std::vector<std::string> sources{};
    std::vector<Call> calls{};
    std::vector<std::string> suggestions{};
    Confidence confidence = Confidence::high;
    bool partial = false;
    std::optional<boost::json::object> formatted{};

    bool operator==(const Reply&) const = default;
};
const Entity& describe(const Reply*);

/// High if all calls completed, medium if at least half of them did, low otherwise (C-07). An answer without calls
/// misses no data.
Confidence confidence_of(std::span<const Call> calls);
/// Whether some calls failed and an answer was made all the same.
bool is_partial(std::span<const Call> calls);

}  // namespace cadre::model
