// What the entity of a document must have, and the file that people write may leave out.
#pragma once

#include <span>
#include <string_view>

namespace cadre::model {

struct FileDefault {
    std::string_view entity, field;
    std::string_view value;  // that it then has, as JSON
};

std::span<const FileDefault> file_defaults();

}  // namespace cadre::model
