// cadre init: a small project that works, to begin with.
#pragma once

namespace cadre::cli {

class Args;
struct Output;

int init(const Args& args, Output& output);

}  // namespace cadre::cli
