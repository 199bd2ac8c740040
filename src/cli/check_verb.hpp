// cadre check: what is wrong with the configuration, before anything runs.
#pragma once

namespace cadre::cli {

class Args;
struct Output;

int check(const Args& args, Output& output);

}  // namespace cadre::cli
