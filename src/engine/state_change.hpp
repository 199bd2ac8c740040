// Changes that people make to the state of a workflow, held against what it declares.
#pragma once

#include <boost/json/fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {
struct Graph;
}

namespace cadre::engine {

/// `rows=[1,2]` and `name=Ann` as an object: JSON where it is some, else text. Throws Error(invalid), in which `flag` is what people typed.
boost::json::object members_from(const std::vector<std::string>& given, std::string_view flag);

/// Throws Error(invalid) that names the first field which the workflow does not have, with those that it has, or the first value that
/// does not fit.
void expect_state(const boost::json::object& update, const model::Graph& graph);

}  // namespace cadre::engine
