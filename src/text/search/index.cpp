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

/// What a text has of the words of a query.
struct InWords {
    double score = 0;   // BM25
    double weight = 0;  // of the words that are in it
};

/// The best, by score; the order of the keys decides between equals.
template <class KeyOf>
void keep_best(std::vector<Scored>& all, std::size_t count, const KeyOf& key_of)
{
    const auto better = [&](const Scored& a, const Scored& b) {
        return a.score != b.score ? a.score > b.score : key_of(a.slot) < key_of(b.slot);
    };
    if (count < all.size()) {
        std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), better);
        all.resize(count);
    }
    std::ranges::sort(all, better);
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

float Index::cosine(std::span<const float> vector, std::uint32_t slot) const
{
    const float step = slots_[slot].step;
    return step == 0 ? 0 : step * embed::kernels().dot_bytes(vector.data(), &vectors_[slot * dimensions_], dimensions_);
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
    float most = 0;
    for (const float x : vector) most = std::max(most, std::abs(x));
    slots_[slot] = {key, static_cast<std::uint32_t>(terms.size()), most / 127};
    length_ += terms.size();
    if (most > 0)
        std::ranges::transform(vector, vectors_.begin() + static_cast<std::ptrdiff_t>(slot * dimensions_),
                               [&](float x) { return static_cast<std::int8_t>(std::lround(x / slots_[slot].step)); });
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
    std::fill_n(vectors_.begin() + static_cast<std::ptrdiff_t>(slot * dimensions_), dimensions_, std::int8_t{0});
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
    std::vector<InWords> in_words(
        slots_.size());  // a usual word is in so many texts that looking each up would take longest
    std::vector<Scored> by_words;

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
            InWords& one = in_words[posting.slot];
            if (one.weight == 0) by_words.push_back({posting.slot});
            one.score +=
                weight * count * (kSaturation + 1) / (count + kSaturation * (1 - kLengthShare + kLengthShare * length));
            one.weight += weight;
        }
    }
    for (Scored& one : by_words) one.score = in_words[one.slot].score;
    const bool is_dense = !vector.empty() && dimensions_ != 0;
    std::vector<Scored> by_meaning;
    if (is_dense)
        for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
            if (const double like = cosine(vector, slot); like > 0) by_meaning.push_back({slot, like});
    const std::size_t ranked = std::max(kRanked, wanted.limit);
    keep_best(by_words, ranked, key_of);
    keep_best(by_meaning, ranked, key_of);

    const double dense = is_dense ? wanted.dense_weight : 0;
    std::unordered_map<std::uint32_t, double> fused;
    for (std::size_t i = 0; i < by_words.size(); ++i)
        fused[by_words[i].slot] += (1 - dense) / (kFusion + 1 + static_cast<double>(i));
    for (std::size_t i = 0; i < by_meaning.size(); ++i)
        fused[by_meaning[i].slot] += dense / (kFusion + 1 + static_cast<double>(i));

    std::vector<Scored> order;
    for (const auto& [slot, rank] : fused) order.push_back({slot, rank});
    keep_best(order, order.size(), key_of);
    std::vector<Hit> found;
    for (const Scored& one : order) {
        if (found.size() == wanted.limit) break;
        const InWords& said = in_words[one.slot];
        Hit hit{.key = key_of(one.slot), .rank = one.score, .words = said.score};
        if (said.weight > 0) hit.coverage = said.weight / whole;
        if (is_dense) hit.cosine = cosine(vector, one.slot);
        if (hit.relevance() >= wanted.threshold) found.push_back(hit);
    }
    return found;
}

}  // namespace cadre::text::search
