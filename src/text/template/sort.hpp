// Sorting with a comparison that may fail, or contradict itself as NaN does: stable, and the order that Python's sort arrives at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cadre::text::tpl {

inline constexpr std::size_t kInsertionRun = 64;

/// Python's way for few: a run that is in order already, or strictly backwards, then each further one where binary search puts it.
template <class Iterator, class Less>
void sort_few(Iterator first, Iterator last, Less less)
{
    if (last - first < 2) return;
    Iterator sorted = first + 1;
    if (less(*sorted, *first)) {
        while (sorted + 1 != last && less(*(sorted + 1), *sorted)) ++sorted;
        std::reverse(first, ++sorted);
    } else {
        while (sorted + 1 != last && !less(*(sorted + 1), *sorted)) ++sorted;
        ++sorted;
    }
    for (; sorted != last; ++sorted) {
        Iterator low = first;
        Iterator high = sorted;
        while (low < high) {
            Iterator middle = low + (high - low) / 2;
            if (less(*sorted, *middle)) high = middle;
            else low = middle + 1;
        }
        std::rotate(low, sorted, sorted + 1);
    }
}

template <class T, class Less>
void sort_stably(std::vector<T>& items, Less less)
{
    const auto begin = items.begin();
    const auto at = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(std::min(i, items.size())); };
    const std::size_t run = items.size() < kInsertionRun ? kInsertionRun : 32;
    for (std::size_t i = 0; i < items.size(); i += run) sort_few(at(i), at(i + run), less);
    std::vector<T> merged(items.size() > run ? items.size() : 0);
    for (std::size_t width = run; width < items.size(); width *= 2) {
        for (std::size_t i = 0; i < items.size(); i += 2 * width) {
            std::size_t left = i;
            std::size_t right = std::min(i + width, items.size());
            const std::size_t middle = right;
            const std::size_t end = std::min(i + 2 * width, items.size());
            for (std::size_t to = i; to < end; ++to) {
                const bool from_right = left == middle || (right < end && less(items[right], items[left]));
                merged[to] = std::move(from_right ? items[right++] : items[left++]);
            }
        }
        items.swap(merged);
    }
}

}  // namespace cadre::text::tpl
