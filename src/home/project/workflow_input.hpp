// What `--input` may name: fields of a workflow's state, and what its texts take from task.input.
#pragma once

#include <boost/json/fwd.hpp>

namespace cadre::model {
struct Team;
struct WorkflowSetup;
}  // namespace cadre::model

namespace cadre::home {

/// Throws Error(invalid) with the nearest name for one that nothing in the workflow reads.
void expect_input(const boost::json::object& input, const model::WorkflowSetup& workflow, const model::Team& team);

}  // namespace cadre::home
