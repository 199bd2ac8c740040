// All patterns that come with Cadre.
#pragma once

namespace cadre::engine {
class Patterns;
}

namespace cadre::patterns {

void add_patterns(engine::Patterns& patterns);

}  // namespace cadre::patterns
