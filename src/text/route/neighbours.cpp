#include "text/route/neighbours.hpp"

#include <algorithm>

namespace cadre::text::route {

void NearestThree::add(std::uint32_t label, float likeness)
{
    Three& three = best_[label];
    int at = three.count < 3 ? three.count++ : 3;
    while (at > 0 && three.values[at - 1] < likeness) {
        if (at < 3) three.values[at] = three.values[at - 1];
        --at;
    }
    if (at < 3) three.values[at] = likeness;
}

void NearestThree::write(std::span<float> means) const
{
    for (std::size_t c = 0; c < best_.size(); ++c) {
        float sum = 0;
        for (int i = 0; i < best_[c].count; ++i) sum += best_[c].values[i];
        means[c] = best_[c].count ? sum / static_cast<float>(best_[c].count) : 0;
    }
}

Postings::Postings(std::span<const Sparse> vectors, std::size_t features)
    : starts_(features + 1), examples_(vectors.size())
{
    for (const Sparse& vector : vectors)
        for (const auto& [feature, value] : vector) ++starts_[feature + 1];
    for (std::size_t i = 0; i < features; ++i) starts_[i + 1] += starts_[i];
    postings_.resize(starts_.back());
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t example = 0; example < vectors.size(); ++example)
        for (const auto& [feature, value] : vectors[example]) postings_[next[feature]++] = {example, value};
}

std::vector<float> Postings::likeness(const Sparse& vector) const
{
    std::vector<float> sums(examples_);
    for (const auto& [feature, value] : vector)
        for (std::uint32_t i = starts_[feature]; i < starts_[feature + 1]; ++i)
            sums[postings_[i].example] += value * postings_[i].value;
    return sums;
}

}  // namespace cadre::text::route
