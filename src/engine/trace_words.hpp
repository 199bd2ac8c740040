// What is told of a part of a trace.
#pragma once

#include "engine/body.hpp"
#include "model/human.hpp"

#include <string>
#include <string_view>

namespace cadre::engine {

/// What a compaction has written down before its model is asked: no node of anybody's.
bool is_compaction_plan(std::string_view path);
/// `a` of `x/a`, `a 2` of its second visit `x/a/2`; `branch 2` of `branch:1.1`, `ann` of `branch:1.ann`.
std::string scope_name(std::string_view path);
std::string question_in(const model::HumanRequest& request);
/// Who said what. Of a call whose outcome was not known, nothing is approved.
std::string answered_text(const model::HumanAnswer& answer);
std::string text_of(const CompactOutcome& compact);

}  // namespace cadre::engine
