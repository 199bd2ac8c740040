// The verbs with which a person answers: approve, reject, answer.
#pragma once

namespace cadre::cli {

class Args;
struct Output;

int approve(const Args& args, Output& output);
int reject(const Args& args, Output& output);
int answer(const Args& args, Output& output);

}  // namespace cadre::cli
