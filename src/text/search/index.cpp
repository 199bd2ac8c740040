#include "text/search/index.hpp"

#include "base/error.hpp"
#include "text/embed/kernels.hpp"

#include <algorithm>
#include <cmath>

namespace cadre::text::search {
namespace {

// Robertson's usual constants
constexpr double kSaturation = 1.2, kLengthShare = 0.75;
/// Of reciprocal rank fusion: how little the very first ranks differ.
constexpr double kFusion = 20;
/// Ranks behind this one add nothing that could be seen.
constexpr std::size_t kRanked = 200;

struct Scored {
    std::uint32_t slot = 0;
    double score = 0;
};

/// The best, by score; the order of the keys decides between equals.
template <class KeyOf>
void keep_best(std::vector<Scored>& all, std::size_t count, const KeyOf& key_of)
{
    const auto better = [&](const Scored& a, const Scored& b) {
        return a.score != b.score ? a.score > b.score : key_of(a.slot) < key_of(b.slot);
    };
    count = std::min(count, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), better);
    all.resize(count);
}

}  // namespace

double Hit::relevance() const
{
    return 0.5 * std::max(cosine, 0.0) + 0.5 * coverage;
}

std::uint32_t Index::free_slot()
{
    if (free_.empty()) {
        slots_.emplace_back();
        vectors_.resize(slots_.size() * dimensions_);
        return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
}

double Index::weight_of(std::size_t documents) const
{
    const double all = static_cast<double>(entries_.size()), with = static_cast<double>(documents);
    return std::log(1 + (all - with + 0.5) / (with + 0.5));
}

void Index::put(Key key, std::string_view text, std::span<const float> vector)
{
    if (!vector.empty() && dimensions_ != 0 && vector.size() != dimensions_)
        throw Error(Code::invalid, "a vector of " + std::to_string(vector.size()) + " numbers does not fit the " +
                                       std::to_string(dimensions_) + " of this index");
    erase(key);
    if (!vector.empty() && dimensions_ == 0) {
        dimensions_ = vector.size();
        vectors_.resize(slots_.size() * dimensions_);
    }
    const std::uint32_t slot = free_slot();
    std::vector<std::string> terms = terms_of(text, language_);
    slots_[slot] = {key, static_cast<std::uint32_t>(terms.size()), !vector.empty()};
    length_ += terms.size();
    std::ranges::copy(vector, vectors_.begin() + static_cast<std::ptrdiff_t>(slot * dimensions_));
    std::ranges::sort(terms);
    std::vector<std::string> unique;
    for (std::string& term : terms) {
        if (!unique.empty() && unique.back() == term) {
            ++postings_[term].back().count;
            continue;
        }
        postings_[term].push_back({slot, 1});
        unique.push_back(std::move(term));
    }
    entries_.emplace(key, Entry{slot, std::move(unique)});
}

bool Index::erase(Key key)
{
    const auto found = entries_.find(key);
    if (found == entries_.end()) return false;
    const std::uint32_t slot = found->second.slot;
    for (const std::string& term : found->second.terms) {
        const auto postings = postings_.find(term);
        std::erase_if(postings->second, [&](const Posting& posting) { return posting.slot == slot; });
        if (postings->second.empty()) postings_.erase(postings);
    }
    length_ -= slots_[slot].length;
    slots_[slot] = {};
    std::fill_n(vectors_.begin() + static_cast<std::ptrdiff_t>(slot * dimensions_), dimensions_, 0.F);
    free_.push_back(slot);
    entries_.erase(found);
    return true;
}

std::vector<Hit> Index::find(std::string_view text, std::span<const float> vector, const Wanted& wanted) const
{
    if (!vector.empty() && dimensions_ != 0 && vector.size() != dimensions_)
        throw Error(Code::invalid, "a query of " + std::to_string(vector.size()) + " numbers does not fit the " +
                                       std::to_string(dimensions_) + " of this index");
    const auto key_of = [&](std::uint32_t slot) { return slots_[slot].key; };
    std::unordered_map<std::uint32_t, Hit> hits;

    std::vector<std::string> terms = terms_of(text, language_);
    std::ranges::sort(terms);
    terms.erase(std::ranges::unique(terms).begin(), terms.end());
    const double usual = entries_.empty() ? 1 : std::max(1.0, double(length_) / double(entries_.size()));
    double whole = 0;
    for (const std::string& term : terms) {
        const auto postings = postings_.find(term);
        const double weight = weight_of(postings == postings_.end() ? 0 : postings->second.size());
        whole += weight;
        if (postings == postings_.end()) continue;
        for (const Posting& posting : postings->second) {
            const double length = slots_[posting.slot].length / usual;
            const double count = posting.count;
            Hit& hit = hits[posting.slot];
            hit.words +=
                weight * count * (kSaturation + 1) / (count + kSaturation * (1 - kLengthShare + kLengthShare * length));
            hit.coverage += weight;
        }
    }
    std::vector<Scored> by_words;
    for (auto& [slot, hit] : hits) {
        hit.coverage /= whole;
        by_words.push_back({slot, hit.words});
    }
    const bool is_dense = !vector.empty() && dimensions_ != 0;
    std::vector<Scored> by_meaning;
    if (is_dense)
        for (const auto& [key, entry] : entries_)
            if (slots_[entry.slot].has_vector)
                by_meaning.push_back(
                    {entry.slot,
                     embed::kernels().dot(vector.data(), &vectors_[entry.slot * dimensions_], dimensions_)});
    const std::size_t ranked = std::max(kRanked, wanted.limit);
    keep_best(by_words, ranked, key_of);
    keep_best(by_meaning, ranked, key_of);

    const double dense = is_dense ? wanted.dense_weight : 0;
    std::unordered_map<std::uint32_t, double> fused;
    for (std::size_t i = 0; i < by_words.size(); ++i)
        fused[by_words[i].slot] += (1 - dense) / (kFusion + 1 + static_cast<double>(i));
    for (std::size_t i = 0; i < by_meaning.size(); ++i)
        if (by_meaning[i].score > 0) fused[by_meaning[i].slot] += dense / (kFusion + 1 + static_cast<double>(i));

    std::vector<Scored> order;
    for (const auto& [slot, rank] : fused) order.push_back({slot, rank});
    keep_best(order, order.size(), key_of);
    std::vector<Hit> found;
    for (const Scored& one : order) {
        if (found.size() == wanted.limit) break;
        const auto by_word = hits.find(one.slot);
        Hit hit = by_word == hits.end() ? Hit{} : by_word->second;
        hit.key = key_of(one.slot);
        hit.rank = one.score;
        if (is_dense && slots_[one.slot].has_vector)
            hit.cosine = embed::kernels().dot(vector.data(), &vectors_[one.slot * dimensions_], dimensions_);
        if (hit.relevance() >= wanted.threshold) found.push_back(hit);
    }
    return found;
}

}  // namespace cadre::text::search
