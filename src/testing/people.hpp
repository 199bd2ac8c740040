// What people answer in a test: which of the answers that a case has fits a question, and as what it is given.
#pragma once

#include "model/human.hpp"
#include "model/test_file.hpp"

#include <string>

namespace cadre::testing {

bool is_asked_for(const model::TestAnswer& answer, const model::HumanRequest& request);
model::HumanAnswer human_answer(const model::TestAnswer& answer);

/// For people.
std::string answer_text(const model::TestAnswer& answer);
std::string words_of(const model::HumanRequest& request);

}  // namespace cadre::testing
