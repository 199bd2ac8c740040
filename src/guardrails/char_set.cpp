#include "guardrails/char_set.hpp"

#include "text/fold.hpp"

#include <algorithm>

namespace cadre::guardrails {

namespace {

/// Every character that folding changes by its case, with what it becomes, in order. Made once.
const std::vector<std::pair<char32_t, char32_t>>& cased_characters()
{
    static const auto* all = [] {
        auto* pairs = new std::vector<std::pair<char32_t, char32_t>>;
        for (char32_t c = 0; c <= 0x1FFFF; ++c)  // the planes that have letters of two cases
            if (const char32_t plain = text::folded(c); plain != c && text::of_usual_width(c) == c)
                pairs->emplace_back(c, plain);
        return pairs;
    }();
    return *all;
}

}  // namespace

CharSet& CharSet::add(char32_t first, char32_t last)
{
    if (first > last) return *this;
    const auto begin = std::ranges::lower_bound(ranges_, first, {}, [](const Range& r) { return r.last + 1; });
    auto end = begin;
    for (; end != ranges_.end() && end->first <= last + 1; ++end) {
        first = std::min(first, end->first);
        last = std::max(last, end->last);
    }
    if (begin == end) {
        ranges_.insert(begin, {first, last});
    } else {
        *begin = {first, last};
        ranges_.erase(begin + 1, end);
    }
    return *this;
}

CharSet& CharSet::add(const CharSet& other)
{
    for (const Range& range : other.ranges_) add(range.first, range.last);
    return *this;
}

CharSet CharSet::inverted() const
{
    CharSet out;
    char32_t next = 0;
    for (const Range& range : ranges_) {
        if (range.first > next) out.ranges_.push_back({next, range.first - 1});
        next = range.last + 1;
    }
    if (next <= kLast) out.ranges_.push_back({next, kLast});
    return out;
}

CharSet CharSet::folded() const
{
    if (ranges_.size() == 1 && ranges_[0].first == ranges_[0].last) {  // one letter, as nearly all of them are
        const char32_t plain = text::folded(ranges_[0].first);
        const bool is_case = plain != text::kNotSeen && text::of_usual_width(ranges_[0].first) == ranges_[0].first;
        return is_case ? of(plain, plain) : *this;
    }
    CharSet out = *this;
    const auto& cased = cased_characters();
    for (const Range& range : ranges_)
        for (auto it = std::ranges::lower_bound(cased, range.first, {}, &std::pair<char32_t, char32_t>::first);
             it != cased.end() && it->first <= range.last; ++it)
            out.add(it->second, it->second);
    return out;
}

bool CharSet::has(char32_t c) const
{
    const auto range = std::ranges::lower_bound(ranges_, c, {}, &Range::last);
    return range != ranges_.end() && range->first <= c;
}

}  // namespace cadre::guardrails
