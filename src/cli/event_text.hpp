// Events in words for people: for `tail`, `show` and the progress of `run`.
#pragma once

#include "cli/output.hpp"
#include "model/event.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

/// Of a call whose outcome was not known until somebody said it.
bool said_by_person(const model::ToolResult& result);

/// What happened, in a line: `researcher calls calculator {"expression":"2+3"}`. Not yet safe for a terminal.
std::string words_of(const model::Event& event);

/// Whether people want to see it while they wait for the answer: calls and their results, and what goes wrong.
bool is_progress(const model::Event& event);

/// What stands before the words.
struct EventMark {
    std::string_view sign{};
    Tone tone = Tone::bold;
};
/// Of what agents do together: handoffs, votes, sync points, …; nothing: it is something else.
std::optional<EventMark> team_mark(const model::Event& event, bool utf8);

/// The items of a plan that is JSON, a line each: `lookup (ann): Find the facts, after intro`. Empty: it is not a plan.
std::vector<std::string> plan_lines(std::string_view json);
/// The same in brief: `plan: 3 items, 1 completed`.
std::string plan_text(std::string_view json);

/// Who is at work, `▸ review (editor)`: in a node of a workflow, or else only the agent. A node that has its agent's name is not named twice.
std::string node_title(std::string_view node, std::string_view agent, bool utf8);
/// The same of an event with which work begins; empty: it is another one, or in no node.
std::string node_title(const model::Event& event, bool utf8);

}  // namespace cadre::cli
