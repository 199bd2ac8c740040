// Whether two texts say the same, or something else of the same thing: plain functions of words and a cosine.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace cadre::memory {

inline constexpr double kSameCosine = 0.92;
inline constexpr double kSameOverlap = 0.8;

/// What a text is compared by.
struct Said {
    std::set<std::string> terms{};   // stems, without what follows
    std::set<std::string> values{};  // numbers, months, days of the week
    std::set<std::string> names{};   // words with a capital inside a sentence
    bool is_negated = false;
};
Said said_in(std::string_view text);

/// How many of all their terms both have: 0 to 1.
double overlap(const Said& a, const Said& b);

enum class Likeness : std::uint8_t {
    different,
    same,
    contradicting,  // the same subject with another number or date, or denied
};
/// `cosine`: of their vectors; 0 where there are none. What only says more or names somebody else is different: merged, it would be lost.
Likeness compare(const Said& a, const Said& b, double cosine);

}  // namespace cadre::memory
