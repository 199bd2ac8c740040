// JSON values as YAML that people would write: for examples on pages, not for data.
#pragma once

#include <boost/json/fwd.hpp>

#include <string>

namespace cadre::model {

std::string yaml_example(const boost::json::value& value);

}  // namespace cadre::model
