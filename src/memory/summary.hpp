// Consolidation without a model: which items belong together, and what they come to in sentences of their own.
#pragma once

#include "memory/shelf.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::memory {

inline constexpr std::size_t kMostSummary = 1200;  // bytes

/// An item with what it is compared by.
struct Member {
    std::shared_ptr<const Item> item{};
    Vector vector{};
};

/// Groups of two or more that are about the same, by their order in time. Nobody is in two.
std::vector<std::vector<Member>> clusters(std::vector<Member> members);
/// What `members` say, in the sentences that say most of it, in order of time.
std::string summary_of(const std::vector<Member>& members);
/// The words that most of them have.
std::string topic_of(const std::vector<Member>& members);

}  // namespace cadre::memory
