#include "memory/rooms.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/loop.hpp"
#include "base/pool.hpp"
#include "memory/vector.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <algorithm>

namespace cadre::memory {
namespace {

constexpr std::size_t kMostRooms = 512;
constexpr std::size_t kMostKept = 200'000;  // items in all rooms
constexpr std::size_t kMendedAtOnce = 64;

/// A newer release may have written more.
constexpr model::ReadOptions kFromStore{.ignore_unknown = true};

}  // namespace

void Writing::put(const Item& item, Time now)
{
    documents.push_back(
        {.kind = std::string(kItemKind), .key = key_of(item), .text = model::to_json_text(item), .updated_at = now});
}

void Writing::put(const Item& item, const std::string& encoder, std::span<const float> vector, Time now)
{
    documents.push_back({.kind = std::string(kVectorKind),
                         .key = key_of(item),
                         .text = model::to_json_text(kept(encoder, vector)),
                         .updated_at = now});
}

void Writing::remove(const Item& item)
{
    removed.push_back({std::string(kItemKind), key_of(item)});
    removed.push_back({std::string(kVectorKind), key_of(item)});
}

Time Rooms::now() const
{
    return around_.loop.clock().now();
}

Async<Encoder> Rooms::encoder()
{
    if (!encoder_) {
        Encoder found = co_await on(around_.pool, around_.encoder);
        if (!encoder_) encoder_ = std::move(found);
    }
    co_return encoder_;
}

Async<Vector> Rooms::encode(std::string text)
{
    Encoder encoder = co_await this->encoder();
    co_return co_await on(around_.pool, [encoder = std::move(encoder), text = std::move(text)] {
        const std::string_view one = text;
        Vector vector = std::move(encoder->encode({&one, 1}).front());
        // as it will be read again, so that the same text is just as near before and after
        return opened(kept(encoder->id(), vector));
    });
}

Async<> Rooms::write(Writing writing)
{
    co_await around_.store.put_all(std::move(writing.documents), std::move(writing.removed));
}

void Rooms::make_place()
{
    std::size_t items = 0;
    for (const auto& [key, room] : rooms_) items += room->shelf.size();
    while (rooms_.size() > kMostRooms || items > kMostKept) {
        auto oldest = rooms_.end();
        for (auto place = rooms_.begin(); place != rooms_.end(); ++place)
            if (place->second.use_count() == 1 &&
                (oldest == rooms_.end() || place->second->used < oldest->second->used))
                oldest = place;
        if (oldest == rooms_.end()) return;  // all are in use
        items -= oldest->second->shelf.size();
        rooms_.erase(oldest);
    }
}

Async<RoomPtr> Rooms::open(Scope scope)
{
    std::string key = key_of(scope);
    auto place = rooms_.find(key);
    if (place == rooms_.end()) {
        make_place();
        place = rooms_.emplace(key, std::make_shared<Room>()).first;
    }
    RoomPtr room = place->second;
    room->used = ++uses_;
    if (room->is_read) co_return room;
    const auto lock = co_await room->turn.lock();
    if (!room->is_read) co_await read(room, std::move(key));
    co_return room;
}

/// What is past its time is removed on that occasion.
Async<> Rooms::read(const RoomPtr& room, std::string key)
{
    auto items = co_await around_.store.list(std::string(kItemKind), key, SIZE_MAX);
    if (!items.empty()) {
        auto vectors = co_await around_.store.list(std::string(kVectorKind), key, SIZE_MAX);
        const Encoder encoder = co_await this->encoder();
        Writing expired = co_await on(around_.pool, [room, items = std::move(items), vectors = std::move(vectors),
                                                     id = encoder->id(), now = now(), log = around_.log] {
            std::map<std::string, Vector, std::less<>> ours;
            for (const storage::Document& document : vectors) {
                const auto vector = model::from_text<KeptVector>(document.text, kFromStore);
                if (vector.encoder == id) ours.emplace(document.key, opened(vector));
            }
            Writing writing;
            for (const storage::Document& document : items) {
                try {
                    auto item = model::from_text<Item>(document.text, kFromStore);
                    if (item.is_expired(now)) {
                        writing.remove(item);
                        continue;
                    }
                    const auto vector = ours.find(document.key);
                    room->lacks_vectors = room->lacks_vectors || vector == ours.end();
                    room->shelf.put(std::move(item), vector == ours.end() ? Vector() : vector->second);
                } catch (const Error& error) {  // one that is damaged must not hide the others
                    log.error("an item of memory cannot be read: " + std::string(error.what()));
                }
            }
            return writing;
        });
        if (!expired.removed.empty()) co_await write(std::move(expired));
    }
    room->is_read = true;
}

void Rooms::mend(const RoomPtr& room)
{
    if (!room->lacks_vectors) return;
    room->lacks_vectors = false;
    scope_.spawn(mend_all(room));
}

Async<> Rooms::mend_all(RoomPtr room)
{
    try {
        const Encoder encoder = co_await this->encoder();
        const auto missing = room->shelf.without_vector();
        for (std::size_t from = 0; from < missing.size(); from += kMendedAtOnce) {
            std::vector<std::shared_ptr<const Item>> some(
                missing.begin() + static_cast<std::ptrdiff_t>(from),
                missing.begin() + static_cast<std::ptrdiff_t>(std::min(from + kMendedAtOnce, missing.size())));
            const auto vectors = co_await on(around_.pool, [encoder, some] {
                std::vector<std::string_view> texts;
                for (const auto& item : some) texts.emplace_back(item->text);
                auto made = encoder->encode(texts);
                for (Vector& vector : made) vector = opened(kept(encoder->id(), vector));
                return made;
            });
            const auto lock = co_await room->turn.lock();
            Writing writing;
            for (std::size_t i = 0; i < some.size(); ++i)
                if (const auto now_there = room->shelf.find(some[i]->id); now_there && now_there->text == some[i]->text)
                    writing.put(*now_there, encoder->id(), vectors[i], now());
            co_await write(std::move(writing));
            for (std::size_t i = 0; i < some.size(); ++i) room->shelf.put_vector(some[i]->id, vectors[i]);
        }
    } catch (const Error& error) {
        room->lacks_vectors = true;
        around_.log.error("vectors of memory were not made: " + std::string(error.what()));
    }
}

}  // namespace cadre::memory
