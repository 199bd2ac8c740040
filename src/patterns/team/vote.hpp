// Vote: what an agent says to a proposal, in whatever words.
#pragma once

#include "model/type.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cadre::patterns {

enum class Choice : std::uint8_t { approve, reject, abstain };

struct Vote {
    std::string agent{};
    Choice choice = Choice::abstain;
    std::string reasoning{};

    bool operator==(const Vote&) const = default;
};

/// `{"vote": "approve", "reasoning": "…"}`, alone, in a code fence or in other words; else words like "Yes, I approve" or "LGTM".
/// Nothing when it cannot be told, or is both: a vote that is misread is worse than one that is asked for again.
std::optional<Vote> read_vote(std::string_view agent, std::string_view text);

/// Only what a member `vote` or `verdict` says, where there is one.
std::optional<Choice> choice_in_json(std::string_view text);

std::string_view word_of(Choice choice);

}  // namespace cadre::patterns
