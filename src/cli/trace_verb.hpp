// The verb trace.
#pragma once

namespace cadre::cli {

class Args;
struct Output;

int trace(const Args& args, Output& output);

}  // namespace cadre::cli
