// Tasks, questions and answers as our rooms have them, and as public headers do.
#pragma once

#include "cadre/task.hpp"
#include "engine/task_state.hpp"
#include "model/human.hpp"

#include <boost/json/object.hpp>

namespace cadre::library {

/// `driven`: somebody works on it, so that one that runs is not interrupted.
Status status_of(model::TaskStatus status, bool driven);
/// What that task asks: the one of the outcome, or one below it.
void add_questions(Outcome& outcome, const engine::TaskState& state);
Outcome outcome_of(const engine::TaskState& state, bool driven);

/// What a person is asked, from what the question was put with.
Question question_of(std::string id, QuestionKind kind, std::string agent, const boost::json::object& context);

model::HumanAnswer inner_form(model::HumanRequestType type, Answer answer);

}  // namespace cadre::library
