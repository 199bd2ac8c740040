// Who sums up a conversation that has become too long: the agent's own model, under a name of its own.
#pragma once

#include <string>
#include <string_view>

namespace cadre::engine {

inline constexpr std::string_view kSummarizer = "/summary";

inline std::string summarizer_name(std::string_view agent)
{
    return std::string(agent) + std::string(kSummarizer);
}

/// What it says is an answer to nobody.
inline bool is_summarizer(std::string_view agent)
{
    return agent.ends_with(kSummarizer);
}

}  // namespace cadre::engine
