// The names of nodes, and how often each was entered in one scope: `review`, then `review/2`.
#pragma once

#include "model/names.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::engine {

/// A name that can stand in a path: a letter or `_`, then at most 63 letters, digits, `_`, `.` and `-`. A node `think:1` would be
/// an effect, and a node `2` the second visit of another one.
using model::is_node_name;
/// Throws Error(invalid) for another one.
void expect_node_name(std::string_view name);

class NodeVisits {
public:
    /// The number of this visit, from 1 on.
    std::uint32_t visit(std::string_view name);

private:
    static constexpr std::size_t kFew = 16;  // so many are quicker looked through than looked up

    std::vector<std::pair<std::string, std::uint32_t>> few_;
    std::map<std::string, std::uint32_t, std::less<>> many_;  // all, once there are more
};

}  // namespace cadre::engine
