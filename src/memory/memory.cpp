#include "memory/memory.hpp"

#include "base/async.hpp"
#include "base/crash_point.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "base/redact.hpp"

#include <algorithm>

namespace cadre::memory {
namespace {

/// More than are told: some are too old, repeat each other, or are of another type.
constexpr std::size_t kCandidates = 64;

void add_new(std::vector<std::string>& all, const std::vector<std::string>& more, std::size_t most)
{
    for (const std::string& one : more)
        if (all.size() < most && std::ranges::find(all, one) == all.end()) all.push_back(one);
}

/// What one more source makes of what is known.
Item merged(Item item, Note note, Source source, Time now)
{
    source.change = Change::merged;
    add_source(item, std::move(source));
    add_new(item.tags, note.tags, kMostTags);
    item.importance = std::max(item.importance, note.importance);
    // it is needed as long as anybody needs it
    if (item.expires_at) item.expires_at = note.expires_at ? std::max(item.expires_at, note.expires_at) : std::nullopt;
    item.updated_at = now;
    return item;
}

Change change_by(const Item& item, const Source& source)
{
    for (const Source& one : item.sources)
        if (one.task == source.task && one.step == source.step) return one.change;
    return Change::merged;
}

}  // namespace

void sort_newest_first(std::vector<Item>& items)
{
    std::ranges::sort(items, [](const Item& a, const Item& b) {
        return a.updated_at != b.updated_at ? a.updated_at > b.updated_at : a.id < b.id;
    });
}

Async<Kept> Memory::remember(Scope scope, Note note, Source source)
{
    expect_keepable(note.text, note.tags, note.importance);
    note.text = redact(note.text);
    const RoomPtr room = co_await rooms_.open(scope);
    Vector vector;
    if (note.semantic) vector = co_await rooms_.encode(note.text);
    const auto lock = co_await room->turn.lock();
    if (!source.task.empty())
        if (const auto said = room->shelf.find_said(source.task, source.step))
            co_return Kept{*said, change_by(*said, source)};

    const Time now = rooms_.now();
    source.at = now;
    Item item{
        .id = id_of(scope, note.type, note.text), .type = note.type, .scope = std::move(scope), .text = note.text};
    Neighbours around;
    around.same = room->shelf.find(item.id);
    if (!around.same)
        around = co_await on(rooms_.around().pool, [room, type = note.type, text = note.text, vector] {
            return room->shelf.neighbours(type, text, vector);
        });
    if (around.same && around.same->is_expired(now)) around.same = nullptr;  // it is forgotten: this one is new

    Writing writing;
    std::vector<Item> others;  // that change with it
    Change change = Change::created;
    if (around.same) {
        change = Change::merged;
        vector = room->shelf.vector_of(around.same->id);
        item = merged(*around.same, std::move(note), std::move(source), now);
    } else {
        for (const auto& other : around.contradicting) {
            if (other->is_expired(now)) continue;
            change = Change::conflict;
            item.conflicts.push_back(other->id);
            others.push_back(*other);
            others.back().conflicts.push_back(item.id);
        }
        source.change = change;
        item.tags = std::move(note.tags);
        item.importance = note.importance;
        item.sources = {std::move(source)};
        item.created_at = item.updated_at = now;
        item.expires_at = note.expires_at;
        if (!vector.empty()) writing.put(item, (co_await rooms_.encoder())->id(), vector, now);
        else room->lacks_vectors = true;
    }
    std::shared_ptr<const Item> least;
    if (!around.same && room->shelf.size() >= kMostInScope) least = room->shelf.least(now);
    if (least) {
        writing.remove(*least);
        std::erase_if(others, [&](const Item& one) { return one.id == least->id; });
    }
    writing.put(item, now);
    for (const Item& other : others) writing.put(other, now);
    co_await rooms_.write(std::move(writing));
    crash_point("remembered");
    if (least) room->shelf.erase(least->id);
    for (Item& other : others) {
        const Vector own = room->shelf.vector_of(other.id);
        room->shelf.put(std::move(other), own);
    }
    room->shelf.put(item, vector);
    co_return Kept{std::move(item), change};
}

Async<Found> Memory::search(std::vector<Scope> scopes, Query query)
{
    std::vector<RoomPtr> rooms;
    for (Scope& scope : scopes) {
        RoomPtr room = co_await rooms_.open(std::move(scope));
        if (room->shelf.size() > 0) rooms.push_back(std::move(room));
    }
    Found found;
    if (rooms.empty()) co_return found;
    Encoder encoder;
    if (query.semantic) {
        encoder = co_await rooms_.encoder();
        found.encoder = encoder->id();
        for (const RoomPtr& room : rooms) rooms_.mend(room);
    }
    found.hits = co_await on(rooms_.around().pool, [rooms, encoder, query, now = rooms_.now()] {
        Vector vector;
        if (encoder) {
            const std::string_view text = query.text;
            vector = std::move(encoder->encode({&text, 1}).front());
            if (std::ranges::all_of(vector, [](float x) { return x == 0; })) vector.clear();
        }
        std::vector<Candidate> all;
        for (const RoomPtr& room : rooms)
            for (Candidate& one : room->shelf.search(query.text, vector, now, std::max(kCandidates, 4 * query.limit))) {
                const bool is_wanted =
                    query.types.empty() || std::ranges::find(query.types, one.item->type) != query.types.end();
                if (is_wanted) all.push_back(std::move(one));
            }
        std::vector<Hit> hits;
        for (const Candidate& one : ranked(std::move(all), now, {.limit = query.limit, .threshold = query.threshold}))
            hits.push_back({*one.item, one.relevance});
        return hits;
    });
    co_return found;
}

Async<std::vector<KeptVector>> Memory::vectors(std::vector<Item> items)
{
    std::vector<KeptVector> all;
    if (items.empty()) co_return all;
    const std::string encoder = (co_await rooms_.encoder())->id();
    for (Item& item : items) {
        const RoomPtr room = co_await rooms_.open(std::move(item.scope));
        all.push_back(kept(encoder, room->shelf.vector_of(item.id)));
    }
    co_return all;
}

Async<std::vector<Item>> Memory::items(std::vector<Scope> scopes)
{
    std::vector<Item> all;
    const Time now = rooms_.now();
    for (Scope& scope : scopes) {
        const RoomPtr room = co_await rooms_.open(std::move(scope));
        for (const auto& item : room->shelf.all())
            if (!item->is_expired(now)) all.push_back(*item);
    }
    sort_newest_first(all);
    co_return all;
}

}  // namespace cadre::memory
