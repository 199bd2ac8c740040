// The verb `checkpoints`.
#pragma once

#include <vector>

namespace cadre::cli {

struct Verb;

std::vector<Verb> checkpoint_verbs();

}  // namespace cadre::cli
