#include "base/suggest.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace cadre {
namespace {

constexpr std::size_t kMaxLength = 64;
constexpr std::size_t kMinPrefix = 2;

bool same(char a, char b)
{
    return lower(a) == lower(b);
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. Both have kMaxLength or less.
std::size_t distance(std::string_view a, std::string_view b)
{
    using Row = std::array<std::size_t, kMaxLength + 1>;
    Row two_above{}, above{}, row{};
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = std::min(row[j], two_above[j - 2] + 1);
        }
        two_above = above;
        above = row;
    }
    return above[b.size()];
}

bool begins(std::string_view whole, std::string_view start)
{
    return start.size() >= kMinPrefix && start.size() <= whole.size() &&
           std::equal(start.begin(), start.end(), whole.begin(), same);
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates)
{
    if (word.empty() || word.size() > kMaxLength) return std::nullopt;

    const std::string* best = nullptr;
    std::size_t best_distance = kMaxLength + 1;
    const std::string* completed = nullptr;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > kMaxLength) continue;
        if (!completed && begins(candidate, word)) completed = &candidate;
        const std::size_t changes = distance(word, candidate);
        if (changes * 3 > std::max(word.size(), candidate.size()) || changes >= best_distance) continue;
        best = &candidate;
        best_distance = changes;
    }
    if (!best) best = completed;
    return best ? std::optional(*best) : std::nullopt;
}

}  // namespace cadre
