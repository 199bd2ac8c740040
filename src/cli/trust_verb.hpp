// `cadre trust`: a person looks at what a project wants, once.
#pragma once

#include "cli/verb.hpp"
#include "home/project/trust.hpp"

#include <vector>

namespace cadre::cli {

struct Output;

Verb trust_verb();

/// What the project and everything that can be run in it wants, whoever has trusted it.
std::vector<home::Want> all_wants(const std::filesystem::path& folder);

/// Shows what is missing and asks, where there is a person to ask. True: it is trusted now, and what was typed can be done again.
bool ask_for_trust(const home::NotTrusted& refused, const Output& output);

/// The same words in a process of its own, now that something is different. Returns only where that fails.
void begin_again();

}  // namespace cadre::cli
