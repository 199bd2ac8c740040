#include "model/file_defaults.hpp"

namespace cadre::model {

std::span<const FileDefault> file_defaults()
{
    static constexpr FileDefault kDefaults[] = {
        {"team", "default_llm", "{}"},  // it is left to the agents and the project
        {"team", "tools", "[]"},
    };
    return kDefaults;
}

}  // namespace cadre::model
