// What the program says about itself: pages made from the verb table.
#pragma once

#include "cli/output.hpp"
#include "cli/verb.hpp"

#include <string>
#include <vector>

namespace cadre::cli {

/// `cadre` alone: what this is, what works, what to try.
std::string welcome_page(const Program& program, const Paint& paint = {});
/// `cadre help`: every verb and the flags they share.
std::string overview_page(const Program& program, const Paint& paint = {});
/// `cadre help VERB`, `cadre VERB --help`
std::string verb_page(const Verb& verb, const Paint& paint = {});
/// `cadre help exit-codes`
std::string exit_codes_page(const Paint& paint = {});
/// docs/reference/cli.md
std::string man_page(const Program& program);
std::string markdown_page(const Program& program);

/// What `cadre help` can be asked about: verbs and other topics.
std::vector<std::string> help_topics();

/// Help for the verb, or for the whole program when it is the root, as people or programs want it.
void explain(const Program& program, const Verb& verb, const Output& output);

/// The verbs.
int welcome(const Args& args, Output& output);
int help(const Args& args, Output& output);

}  // namespace cadre::cli
