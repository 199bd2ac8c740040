// How the answers of several agents become one text (document 002): the same texts always make the same answer, and no
// model is asked.
#pragma once

#include "model/views/orchestration_options.hpp"
#include "model/views/orchestration_route.hpp"

#include <span>
#include <string>

namespace cadre::model::orchestration {

/// One success is its content as it is; several are joined; failures are told with the template; when nobody succeeded,
/// the fallback message stands alone.
std::string aggregate(std::span<const AgentReplyView> replies, const ResultAggregatorOptions& options = {});

/// "lights on and music playing", but "The lights are on. Also, Music is playing." where one is a sentence (S-22).
std::string join_naturally(std::span<const std::string> texts);

}  // namespace cadre::model::orchestration
