// Shelf: the items of one scope while they are in use, with the index that they are found by.
#pragma once

#include "memory/item.hpp"
#include "memory/likeness.hpp"
#include "text/search/index.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cadre::memory {

using Vector = std::vector<float>;  // empty: there is none

/// An item that may be what was asked for.
struct Candidate {
    std::shared_ptr<const Item> item{};
    Vector vector{};
    double rank = 0;       // of words and meaning together; comparable within one search
    double relevance = 0;  // 0 to 1, to three digits
};

/// What is known already of what a text says.
struct Neighbours {
    std::shared_ptr<const Item> same{};  // null: nothing says that
    std::vector<std::shared_ptr<const Item>> contradicting{};
};

/// From any thread; nothing blocks long. Items do not change: a changed one takes the other's place.
class Shelf {
public:
    void put(Item item, std::span<const float> vector);
    /// A vector for an item that has none yet; nothing when it is gone.
    void put_vector(const std::string& id, std::span<const float> vector);
    void erase(const std::string& id);

    std::size_t size() const;
    std::shared_ptr<const Item> find(const std::string& id) const;
    /// The item that this very effect has said something about.
    std::shared_ptr<const Item> find_said(const std::string& task, const std::string& step) const;
    /// By id. Without a vector: those alone that have none.
    std::vector<std::shared_ptr<const Item>> all() const;
    std::vector<std::shared_ptr<const Item>> without_vector() const;
    Vector vector_of(const std::string& id) const;

    Neighbours neighbours(model::MemoryType type, std::string_view text, std::span<const float> vector) const;
    /// The best first, expired ones left out.
    std::vector<Candidate> search(std::string_view text, std::span<const float> vector, Time now,
                                  std::size_t limit) const;
    /// Whom to forget when there are too many; null when it is empty.
    std::shared_ptr<const Item> least(Time now) const;

private:
    struct Kept {
        text::search::Key key = 0;
        std::shared_ptr<const Item> item{};
        Vector vector{};
    };

    std::vector<std::shared_ptr<const Item>> those(const std::function<bool(const Kept&)>& wanted) const;

    mutable std::mutex mutex_;
    std::map<std::string, Kept, std::less<>> items_;
    std::unordered_map<text::search::Key, const Kept*> by_key_;  // of those
    std::map<std::string, std::string, std::less<>> said_;       // ids by task and step
    text::search::Index index_;
    text::search::Key next_ = 1;
};

/// How much of what was said then still counts: half after thirty days.
double freshness(Time at, Time now);

}  // namespace cadre::memory
