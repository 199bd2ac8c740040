// Model calls that a task's journal holds from before this process: what a model that counts must know of them, without a replay.
#pragma once

#include "llm/model.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cadre::engine {

class Recorded;

struct EarlierCalls {
    std::map<std::string, int, std::less<>> turns{};                  // of each agent: how many there were
    std::shared_ptr<const std::vector<llm::EarlierCall>> answered{};  // null: none that a model has marked
};

EarlierCalls earlier_calls(const Recorded& recorded);

}  // namespace cadre::engine
