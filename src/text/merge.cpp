#include "text/merge.hpp"

#include <algorithm>
#include <functional>

namespace cadre::text {
namespace {

constexpr std::size_t kShort = 96;  // up to here looking through all pairs is quicker than keeping a queue

}  // namespace

std::size_t Merger::count(std::string_view piece)
{
    if (piece.size() == 1 || vocabulary_.find(piece)) return 1;
    merge(piece);
    return parts_.size() - 1;
}

void Merger::append(std::string_view piece, std::vector<Token>& out)
{
    if (piece.size() == 1) return out.push_back(vocabulary_.of_byte(piece[0]));
    if (const auto token = vocabulary_.find(piece)) return out.push_back(*token);
    merge(piece);
    for (std::size_t i = 0; i + 1 < parts_.size(); ++i) out.push_back(parts_[i].token);
}

Token Merger::pair_of(std::string_view piece, std::size_t begin, std::size_t end) const
{
    return vocabulary_.find(piece.substr(begin, end - begin)).value_or(kNone);
}

void Merger::merge(std::string_view piece)
{
    parts_.resize(piece.size() + 1);
    for (std::size_t i = 0; i < piece.size(); ++i) {
        const Token pair = i + 1 < piece.size() ? pair_of(piece, i, i + 2) : kNone;
        parts_[i] = {static_cast<std::uint32_t>(i), vocabulary_.of_byte(piece[i]), pair};
    }
    parts_.back() = {.begin = static_cast<std::uint32_t>(piece.size())};
    if (piece.size() <= kShort) merge_short(piece);
    else merge_long(piece);
}

void Merger::merge_short(std::string_view piece)
{
    const auto renew = [&](std::size_t i) {
        parts_[i].pair = i + 2 < parts_.size() ? pair_of(piece, parts_[i].begin, parts_[i + 2].begin) : kNone;
    };
    while (true) {
        const auto least = std::ranges::min_element(parts_, {}, &Part::pair);
        if (least->pair == kNone) return;
        least->token = least->pair;
        const auto place = static_cast<std::size_t>(least - parts_.begin());
        parts_.erase(least + 1);
        renew(place);
        if (place > 0) renew(place - 1);
    }
}

void Merger::merge_long(std::string_view piece)
{
    const auto last = static_cast<std::uint32_t>(piece.size());
    next_.resize(parts_.size());
    previous_.resize(parts_.size());
    queue_.clear();
    for (std::uint32_t i = 0; i <= last; ++i) {
        next_[i] = std::min(i + 1, last);
        previous_[i] = i == 0 ? 0 : i - 1;
        if (parts_[i].pair != kNone) queue_.push_back(std::uint64_t{parts_[i].pair} << 32 | i);
    }
    std::ranges::make_heap(queue_, std::greater{});

    const auto renew = [&](std::uint32_t i) {
        const std::uint32_t second = next_[i];
        parts_[i].pair = second == last ? kNone : pair_of(piece, i, next_[second]);
        if (parts_[i].pair == kNone) return;
        queue_.push_back(std::uint64_t{parts_[i].pair} << 32 | i);
        std::ranges::push_heap(queue_, std::greater{});
    };
    while (!queue_.empty()) {
        const std::uint64_t least = queue_.front();
        std::ranges::pop_heap(queue_, std::greater{});
        queue_.pop_back();
        const auto place = static_cast<std::uint32_t>(least);
        Part& part = parts_[place];
        if (part.pair != least >> 32) continue;  // a neighbour has become something else since

        part.token = part.pair;
        const std::uint32_t gone = next_[place];
        parts_[gone].pair = kNone;
        next_[place] = next_[gone];
        previous_[next_[gone]] = place;
        renew(place);
        if (place > 0) renew(previous_[place]);
    }

    std::size_t kept = 0;
    for (std::uint32_t i = 0; i < last; i = next_[i]) parts_[kept++] = parts_[i];
    parts_[kept++] = parts_[last];
    parts_.resize(kept);
}

}  // namespace cadre::text
