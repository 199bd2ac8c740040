// The verbs that only look: tasks, show, tail, replay, verify. They work beside whoever owns the home, and without an owner.
#pragma once

#include <string>
#include <vector>

namespace cadre::cli {

class Args;
class ReadOnlyHome;
struct Output;
struct SentViews;

/// What `tasks` may say of a task, and what its --status takes.
std::vector<std::string> statuses();

int tasks(const Args& args, Output& output);
int show(const Args& args, Output& output);
/// What the task's model calls were sent. Throws Error where this program lacks the code that ran the task.
SentViews sent_requests(ReadOnlyHome& onlooker, const std::string& task);
void show_requests(const std::string& task, const Output& output);
int tail(const Args& args, Output& output);
int replay(const Args& args, Output& output);
int verify(const Args& args, Output& output);

}  // namespace cadre::cli
