// What came of a run against what was expected of it. Functions of values.
#pragma once

#include "model/test_file.hpp"
#include "testing/outcome.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::testing {

struct Difference {
    std::string what{};  // `answer`, `calls`, `files.report.md`
    std::string text{};  // lines for people
};

/// Empty: everything is as expected. Where the task stands otherwise than expected, only that is told: the rest follows from it.
std::vector<Difference> differences(const model::TestExpectation& expect, const Outcome& outcome);

/// Whether a tool that was called so is the one of that name: one of a server may be named with it or without.
bool is_tool(std::string_view name, std::string_view called);

/// Whether all members of `part` are in `whole`, objects in them likewise, and everything else equal.
bool is_part(const boost::json::value& part, const boost::json::value& whole);

/// Why the text is not as it should be; empty: it is.
std::string mismatch(const model::TextMatch& match, std::string_view text);

}  // namespace cadre::testing
