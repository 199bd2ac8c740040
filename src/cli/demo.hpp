// The verb demo: two agents, a tool, a question, a real crash, and no work lost; in a few seconds and from a script.
#pragma once

namespace cadre::cli {

class Args;
struct Output;

int demo(const Args& args, Output& output);

}  // namespace cadre::cli
