// The state of a workflow when its task has come to rest, from the workflow and its journal. A function of values.
#pragma once

#include "storage/record.hpp"

#include <boost/json/object.hpp>

#include <span>
#include <string>
#include <vector>

namespace cadre::testing {

/// What may be expected of it. `setup`: the text of a model::WorkflowSetup.
std::vector<std::string> state_fields(const std::string& setup);

/// The state behind all nodes that were executed, fields by name; what nobody has set is not in it. Throws Error(invalid) when two nodes,
/// of which neither came before the other, have set the same field: then it has no one value.
boost::json::object final_state(const std::string& setup, const boost::json::object& inputs,
                                std::span<const storage::Record> records);

}  // namespace cadre::testing
