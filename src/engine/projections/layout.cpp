#include "engine/projections/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::engine::layout {

std::string checkpoint(int number)
{
    return fmt::format("checkpoint_{:03}.json", number);
}

std::string sub_agent(std::string_view session)
{
    return fmt::format("sub_agents/{}.json", session);
}

bool is_history(std::string_view name)
{
    static constexpr std::string_view kNames[] = {kHistory,  kTrace,       kPlan,    kTeam,
                                                  ".agentx", "sub_agents", "memory", kBlobs};
    // a draft of ours that a crash left behind
    if (name.starts_with('.') && name.ends_with(".json.new")) return true;
    if (name.starts_with("checkpoint_") && name.ends_with(".json")) return true;
    return std::ranges::find(kNames, name) != std::end(kNames);
}

bool is_projected(std::string_view name)
{
    return name == kTask || (name != "memory" && name != kBlobs && is_history(name));
}

}  // namespace cadre::engine::layout
