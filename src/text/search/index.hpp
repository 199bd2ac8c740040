// Texts found by their words (BM25) and by their meaning (cosine of vectors), both ranks fused.
#pragma once

#include "text/search/terms.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cadre::text::search {

using Key = std::uint64_t;

struct Hit {
    Key key = 0;
    double rank = 0;      // what hits are ordered by: the two ranks fused
    double words = 0;     // BM25
    double cosine = 0;    // 0 where there are no vectors
    double coverage = 0;  // how much of the query's words it has, rare ones counting more: 0 to 1

    /// How much it has to do with the query, 0 to 1: what a threshold is compared with.
    double relevance() const;
};

struct Wanted {
    std::size_t limit = 10;
    double dense_weight = 0.5;  // of meaning, against words
    double threshold = 0;       // hits of less relevance are left out
};

/// Searches may run at the same time as each other, not as changes. Vectors are compared one by one, which takes as long as it takes to read
/// them: so each of their numbers is kept as a byte.
class Index {
public:
    explicit Index(Language language = Language::english) : language_(language) {}

    /// In place of what was there under this key. All vectors have one size; an empty one: the text is found by its words only.
    void put(Key key, std::string_view text, std::span<const float> vector = {});
    bool erase(Key key);
    std::size_t size() const { return entries_.size(); }

    /// The best first; of those that are as good, the lower key first.
    std::vector<Hit> find(std::string_view text, std::span<const float> vector = {}, const Wanted& wanted = {}) const;

private:
    struct Posting {
        std::uint32_t slot = 0;
        std::uint32_t count = 0;
    };
    struct Entry {
        std::uint32_t slot = 0;
        std::vector<std::string> terms{};  // each once
    };
    struct Slot {
        Key key = 0;
        std::uint32_t length = 0;  // in terms
        float step = 0;            // what a byte of its vector is worth; 0: it has none
    };

    std::uint32_t free_slot();
    double weight_of(std::size_t documents) const;
    /// 0 for a text without a vector.
    float cosine(std::span<const float> vector, std::uint32_t slot) const;

    Language language_;
    std::map<Key, Entry> entries_{};
    std::unordered_map<std::string, std::vector<Posting>> postings_{};
    std::vector<Slot> slots_{};
    std::vector<std::uint32_t> free_{};
    std::size_t dimensions_ = 0;
    std::vector<std::int8_t> vectors_{};  // a row for each slot
    std::uint64_t length_ = 0;            // of all
};

}  // namespace cadre::text::search
