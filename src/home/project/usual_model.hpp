// The model that works where nobody has written one down.
#pragma once

#include <string>

namespace cadre::home {

class Project;

struct UsualModel {
    std::string spec{};
    std::string why{};  // for the person: `OPENAI_API_KEY is set`
};

/// Of the providers whose key is set the first, with the model that does for most things; where none is, `local`, which needs no key.
/// Throws Error(invalid) where one is set up, and nobody has said which of its models.
UsualModel usual_model(const Project& project);

}  // namespace cadre::home
