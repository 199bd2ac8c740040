// `cadre embeddings`: the weights with which texts are compared by meaning.
#pragma once

#include "cli/verb.hpp"

namespace cadre::cli {

Verb embeddings_verb();

}  // namespace cadre::cli
