// JSON values as YAML that people would write: for examples on pages, recordings and tests.
#pragma once

#include <boost/json/fwd.hpp>

#include <string>

namespace cadre::model {

std::string yaml_example(const boost::json::value& value);

}  // namespace cadre::model
