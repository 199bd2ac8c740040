// A template that another one includes.
#pragma once

#include <string>
#include <string_view>

namespace cadre::text {

struct Included {
    std::string name{};         // what errors call it; two of one name are the same
    std::string_view source{};  // lives as long as it is being parsed
    std::string fault{};        // it is there and may not be included: "leads out of the project"
};

}  // namespace cadre::text
