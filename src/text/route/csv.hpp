// Requests with the name of who should deal with them, from a file of comma-separated values (RFC 4180).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text::route {

struct Row {
    std::string text{};
    std::string label{};
    std::string split{};  // what its column `split` says, if there is one
    std::size_t line = 0;
};

/// The first line names the columns: `text`, `label` (or `category`, `intent`) and perhaps `split`, in any order; others are passed
/// by. Throws Error(invalid) that begins with `name` and the line.
std::vector<Row> read_csv(std::string_view content, const std::string& name);

}  // namespace cadre::text::route
