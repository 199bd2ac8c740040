// Tasks in words for people: short ids, ages, times of day, one line of anything, and the command that helps.
#pragma once

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "model/human.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {
struct OpenQuestion;
struct TaskState;
}  // namespace cadre::engine

namespace cadre::cli {

/// Of a task that should run and that nobody drives. Not a status of the engine.
inline constexpr std::string_view kInterrupted = "interrupted";

/// `now`, `5 min`, `3 h`, `12 d`
std::string age_text(Millis age);

/// In the time zone of this machine: `14:03:05` of today, `Nov 14 14:03` of this year, `2025-11-14`.
std::string local_time(Time time, Time now);

/// `throttled until 14:03:06`: whole seconds, and none too few.
std::string throttled_text(Time until);

/// `text` on one line of at most that many columns, safe for a terminal; what is cut off ends in `…`.
std::string one_line(std::string_view text, std::size_t most, bool utf8);

/// What is asked, in a sentence, with characters that cannot be seen written out: whoever decides sees all of it.
std::string question_text(const model::HumanRequest& request);

/// `cadre approve 3f2a4b1c --request 9b1c22d4` and `cadre reject …`: what can be typed to answer this question and no other.
std::vector<std::string> answer_commands(const Id& task, const model::HumanRequest& request);
/// The same in a sentence.
std::string answer_command(const Id& task, const model::HumanRequest& request);

/// `cadre resume 3f2a4b1c`, with what a paused task needs to go on.
std::string resume_command(const engine::TaskState& state);

/// What helps a task that has failed; without a verb: nothing that we know of.
Hint way_on(const engine::TaskState& state);

/// `2 model calls, 1 tool call, 340 tokens, $0.0012`
std::string usage_text(const engine::TaskState& state);

}  // namespace cadre::cli
