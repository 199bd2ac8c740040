// Tools of a case: what answers in place of some, and which calls fail.
#pragma once

#include "model/test_file.hpp"
#include "tools/tool.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace cadre::testing {

/// What a case says of its tools, and which of its faults are left. Lives on one loop.
class ToolPlan {
public:
    explicit ToolPlan(const model::TestCase& test) : tools_(test.tools), faults_(test.faults) {}

    /// What the tool answers without being called; nothing: it is called.
    std::optional<tools::Result> answer(std::string_view tool, const boost::json::object& arguments);
    /// Faults that did not happen, a line each.
    std::vector<std::string> left_over() const;

private:
    std::vector<model::TestTool> tools_;
    std::vector<model::TestFault> faults_;  // `times`: how often still
};

/// The tool, with the plan asked before it.
std::shared_ptr<tools::Tool> with_plan(std::shared_ptr<tools::Tool> tool, std::shared_ptr<ToolPlan> plan);

}  // namespace cadre::testing
