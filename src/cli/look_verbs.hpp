// The verbs that only look: tasks, show, tail, replay, verify. They work beside whoever owns the home, and without an owner.
#pragma once

#include <string>
#include <vector>

namespace cadre::cli {

class Args;
struct Output;

/// What `tasks` may say of a task, and what its --status takes.
std::vector<std::string> statuses();

int tasks(const Args& args, Output& output);
int show(const Args& args, Output& output);
int tail(const Args& args, Output& output);
int replay(const Args& args, Output& output);
int verify(const Args& args, Output& output);

}  // namespace cadre::cli
