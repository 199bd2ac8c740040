// How a task of a team begins, and with which models it may come to speak.
#pragma once

#include "home/project/prepare_task.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cadre::model {
struct Agent;
struct LlmConfig;
struct Team;
struct WorkflowSetup;
}  // namespace cadre::model

namespace cadre::home {

struct Beginning {
    std::string pattern = "react@1";
    std::string collaboration{};  // of the team; empty: an agent begins
    std::optional<std::string>
        chosen{};  // what of the team's patterns was asked for; an empty text: none, whatever the team says
};

/// One agent without criteria works alone. `--pattern` wins over `--agent`, and that over what the team says.
Beginning beginning_of(const model::Team& team, const RunRequest& wanted);

/// Everybody who may come to speak, in the order of the file.
std::vector<const model::Agent*> speakers(const model::Team& team, const model::Agent& first, const Beginning& begin);
/// Every agent that a node names, or the pattern of a node, speaks with a model.
std::vector<const model::Agent*> speakers(const model::WorkflowSetup& workflow, const model::Team& team);

/// What those who speak speak with, and the judge of criteria.
std::vector<const model::LlmConfig*> models_of(const std::vector<const model::Agent*>& speaking,
                                               const model::Team& team, bool is_judged);

}  // namespace cadre::home
