// What a shell offers for the values that only this machine knows: tasks, agents, statuses and their like.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

struct Argument;
struct Flag;

/// Which words can stand for it: `tasks`; empty: files, or what its choices say.
std::string_view words_for(const Argument& argument);
std::string_view words_for(const Flag& flag);

/// All there are of words: `tasks`, `agents` …
std::vector<std::string> kinds_of_words();

/// The words of that kind, here and now. Nothing is an error: whoever presses a key reads no message.
std::vector<std::string> completion_words(std::string_view kind);

}  // namespace cadre::cli
