#include "memory/shelf.hpp"

#include <algorithm>
#include <cmath>

namespace cadre::memory {
namespace {

/// Texts that say the same are among the first few that a search finds.
constexpr std::size_t kMostNeighbours = 24;

std::string place_of(const std::string& task, const std::string& step)
{
    return task + '\n' + step;
}

double dot(std::span<const float> a, std::span<const float> b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

}  // namespace

double freshness(Time at, Time now)
{
    constexpr double kHalfLife = 30 * 24 * 3600 * 1000.0;
    return std::exp2(-std::max(0.0, static_cast<double>((now - at).count())) / kHalfLife);
}

void Shelf::put(Item item, std::span<const float> vector)
{
    const std::scoped_lock lock(mutex_);
    const auto [place, is_new] = items_.try_emplace(item.id);
    Kept& kept = place->second;
    if (is_new) {
        kept.key = next_++;
        by_key_.emplace(kept.key, &kept);
    }
    for (const Source& source : item.sources)
        if (!source.task.empty()) said_.insert_or_assign(place_of(source.task, source.step), item.id);
    // words and vector are the text's: a source more changes neither
    if (is_new || kept.item->text != item.text || kept.item->tags != item.tags ||
        !std::ranges::equal(kept.vector, vector)) {
        kept.vector.assign(vector.begin(), vector.end());
        std::string text = item.text;
        for (const std::string& tag : item.tags) text += '\n' + tag;
        index_.put(kept.key, text, kept.vector);
    }
    kept.item = std::make_shared<const Item>(std::move(item));
}

void Shelf::put_vector(const std::string& id, std::span<const float> vector)
{
    const auto item = find(id);
    if (item) put(*item, vector);
}

void Shelf::erase(const std::string& id)
{
    const std::scoped_lock lock(mutex_);
    const auto place = items_.find(id);
    if (place == items_.end()) return;
    for (const Source& source : place->second.item->sources)
        if (!source.task.empty()) said_.erase(place_of(source.task, source.step));
    index_.erase(place->second.key);
    by_key_.erase(place->second.key);
    items_.erase(place);
}

std::size_t Shelf::size() const
{
    const std::scoped_lock lock(mutex_);
    return items_.size();
}

std::shared_ptr<const Item> Shelf::find(const std::string& id) const
{
    const std::scoped_lock lock(mutex_);
    const auto place = items_.find(id);
    return place == items_.end() ? nullptr : place->second.item;
}

std::shared_ptr<const Item> Shelf::find_said(const std::string& task, const std::string& step) const
{
    const std::scoped_lock lock(mutex_);
    const auto said = said_.find(place_of(task, step));
    return said == said_.end() ? nullptr : items_.at(said->second).item;
}

std::vector<std::shared_ptr<const Item>> Shelf::those(const std::function<bool(const Kept&)>& wanted) const
{
    const std::scoped_lock lock(mutex_);
    std::vector<std::shared_ptr<const Item>> found;
    for (const auto& [id, kept] : items_)
        if (wanted(kept)) found.push_back(kept.item);
    return found;
}

std::vector<std::shared_ptr<const Item>> Shelf::all() const
{
    return those([](const Kept&) { return true; });
}

std::vector<std::shared_ptr<const Item>> Shelf::without_vector() const
{
    return those([](const Kept& kept) { return kept.vector.empty(); });
}

Vector Shelf::vector_of(const std::string& id) const
{
    const std::scoped_lock lock(mutex_);
    const auto place = items_.find(id);
    return place == items_.end() ? Vector() : place->second.vector;
}

Neighbours Shelf::neighbours(model::MemoryType type, std::string_view text, std::span<const float> vector) const
{
    const Said said = said_in(text);
    const std::scoped_lock lock(mutex_);
    Neighbours found;
    for (const auto& hit : index_.find(text, vector, {.limit = kMostNeighbours})) {
        const Kept& kept = *by_key_.at(hit.key);
        if (kept.item->type != type) continue;
        const Likeness likeness = compare(said, said_in(kept.item->text), dot(vector, kept.vector));
        if (likeness == Likeness::same && !found.same) found.same = kept.item;
        if (likeness == Likeness::contradicting) found.contradicting.push_back(kept.item);
    }
    return found;
}

std::vector<Candidate> Shelf::search(std::string_view text, std::span<const float> vector, Time now,
                                     std::size_t limit) const
{
    const std::scoped_lock lock(mutex_);
    std::vector<Candidate> found;
    for (const auto& hit : index_.find(text, vector, {.limit = limit})) {
        const Kept& kept = *by_key_.at(hit.key);
        if (kept.item->is_expired(now)) continue;
        // where there are no vectors, words are all that there is to compare
        const double relevance = vector.empty() || kept.vector.empty() ? hit.coverage : hit.relevance();
        found.push_back({.item = kept.item,
                         .vector = kept.vector,
                         .rank = hit.rank,
                         .relevance = std::min(1.0, std::round(relevance * 1000) / 1000)});
    }
    return found;
}

std::shared_ptr<const Item> Shelf::least(Time now) const
{
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<const Item> least;
    double lowest = 2;
    for (const auto& [id, kept] : items_) {
        const double worth =
            kept.item->is_expired(now) ? -1 : kept.item->importance * freshness(kept.item->updated_at, now);
        if (worth >= lowest) continue;
        lowest = worth;
        least = kept.item;
    }
    return least;
}

}  // namespace cadre::memory
