// Changing one setting of a team by its path.
#pragma once

#include <string_view>

namespace cadre::model {
struct Team;
}

namespace cadre::engine {

/// Sets what `path` names to `value`: `agents.writer.temperature`, `default_llm.model`, `tools.send_mail.permission`. Elements of
/// lists are named by their `name` or by their number, from 0. The value is JSON or, if it is not, text. Throws Error(invalid)
/// for what a team may not be, and Error(not_found) for an element that is not there.
void change_team(model::Team& team, std::string_view path, std::string_view value);

}  // namespace cadre::engine
