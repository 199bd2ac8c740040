#include "artifacts/text_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace cadre::artifacts {

namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kContext = 3;
/// Changed lines up to which the fewest are looked for: the effort grows with their square.
constexpr std::size_t kMostSearched = 2'000;

/// Each with its newline, if it has one.
Lines lines_of(std::string_view text)
{
    Lines lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::size_t size = end == text.npos ? text.size() : end + 1;
        lines.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return lines;
}

enum class Side : char { both = ' ', before = '-', after = '+' };

/// The shortest way from one to the other (Myers, An O(ND) Difference Algorithm, 1986); all of both when that takes too long.
std::vector<Side> way_between(std::span<const std::string_view> a, std::span<const std::string_view> b)
{
    const auto n = static_cast<std::ptrdiff_t>(a.size()), m = static_cast<std::ptrdiff_t>(b.size());
    const std::ptrdiff_t most = std::min<std::ptrdiff_t>(n + m, kMostSearched);
    std::vector<std::ptrdiff_t> reach(2 * static_cast<std::size_t>(most) + 3, 0);
    const auto at = [&](std::ptrdiff_t k) -> std::ptrdiff_t& { return reach[static_cast<std::size_t>(k + most + 1)]; };
    std::vector<std::vector<std::ptrdiff_t>> steps;
    std::ptrdiff_t found = -1;
    for (std::ptrdiff_t d = 0; d <= most && found < 0; ++d) {
        for (std::ptrdiff_t k = -d; k <= d && found < 0; k += 2) {
            std::ptrdiff_t x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
            while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
            at(k) = x;
            if (x >= n && x - k >= m) found = d;
        }
        steps.emplace_back(reach.begin() + (most + 1 - d), reach.begin() + (most + 2 + d));
    }
    std::vector<Side> way;
    if (found < 0) {
        way.assign(a.size(), Side::before);
        way.insert(way.end(), b.size(), Side::after);
        return way;
    }
    std::ptrdiff_t x = n, y = m;
    for (std::ptrdiff_t d = found; d > 0; --d) {
        const auto& before = steps[static_cast<std::size_t>(d - 1)];  // k from -(d - 1) to d - 1
        const auto reached = [&](std::ptrdiff_t k) {
            return k < -(d - 1) || k > d - 1 ? std::ptrdiff_t{-1} : before[static_cast<std::size_t>(k + d - 1)];
        };
        const std::ptrdiff_t k = x - y;
        const bool down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
        const std::ptrdiff_t from = down ? k + 1 : k - 1;
        const std::ptrdiff_t start = reached(from);
        const std::ptrdiff_t middle = down ? start : start + 1;
        for (; x > middle; --x, --y) way.push_back(Side::both);
        way.push_back(down ? Side::after : Side::before);
        x = start;
        y = start - from;
    }
    for (; x > 0; --x) way.push_back(Side::both);
    std::ranges::reverse(way);
    return way;
}

struct Compared {
    Lines before{}, after{};
    std::vector<Side> way{};
};

Compared compared(std::string_view before, std::string_view after)
{
    Compared out{lines_of(before), lines_of(after), {}};
    const auto [a, b] = std::ranges::mismatch(out.before, out.after);
    const auto begin = static_cast<std::size_t>(a - out.before.begin());
    std::size_t end = 0;
    while (end < std::min(out.before.size(), out.after.size()) - begin &&
           out.before[out.before.size() - 1 - end] == out.after[out.after.size() - 1 - end])
        ++end;
    out.way.assign(begin, Side::both);
    const auto middle = way_between(std::span(out.before).subspan(begin, out.before.size() - begin - end),
                                    std::span(out.after).subspan(begin, out.after.size() - begin - end));
    out.way.insert(out.way.end(), middle.begin(), middle.end());
    out.way.insert(out.way.end(), end, Side::both);
    return out;
}

/// `12,5`, as diff counts: an empty range is told by the line before it.
std::string range(std::size_t begin, std::size_t count)
{
    const std::size_t first = count == 0 ? begin : begin + 1;
    return count == 1 ? fmt::format("{}", first) : fmt::format("{},{}", first, count);
}

}  // namespace

LineCounts changes_between(std::string_view before, std::string_view after)
{
    const Compared both = compared(before, after);
    return {.added = std::ranges::count(both.way, Side::after), .removed = std::ranges::count(both.way, Side::before)};
}

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name_before,
                         std::string_view name_after)
{
    const Compared both = compared(before, after);
    const auto& way = both.way;
    std::string text;
    std::size_t a = 0, b = 0;  // lines that were passed
    for (std::size_t i = 0; i < way.size();) {
        if (way[i] == Side::both) {
            ++i, ++a, ++b;
            continue;
        }
        const std::size_t lead = std::min({kContext, a, b});
        std::size_t end = i, same = 0;  // behind the last change, and unchanged lines since
        for (std::size_t k = i; k < way.size() && same <= 2 * kContext; ++k) {
            same = way[k] == Side::both ? same + 1 : 0;
            if (same == 0) end = k + 1;
        }
        end = std::min(way.size(), end + kContext);
        std::size_t old_count = lead, new_count = lead;
        for (std::size_t k = i; k < end; ++k) {
            if (way[k] != Side::after) ++old_count;
            if (way[k] != Side::before) ++new_count;
        }
        if (text.empty()) text = fmt::format("--- {}\n+++ {}\n", name_before, name_after);
        text += fmt::format("@@ -{} +{} @@\n", range(a - lead, old_count), range(b - lead, new_count));
        const auto add = [&text](char mark, std::string_view line) {
            text += mark;
            text += line;
            if (!line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
        };
        for (std::size_t k = lead; k > 0; --k) add(' ', both.before[a - k]);
        for (; i < end; ++i) {
            if (way[i] == Side::after) add('+', both.after[b]);
            else add(static_cast<char>(way[i]), both.before[a]);
            if (way[i] != Side::after) ++a;
            if (way[i] != Side::before) ++b;
        }
    }
    return text;
}

}  // namespace cadre::artifacts
