// Rooms: the scopes that are in use, read from the store when they are first needed and let go when others need the place.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_mutex.hpp"
#include "base/async_scope.hpp"
#include "base/log.hpp"
#include "memory/shelf.hpp"
#include "storage/store.hpp"
#include "text/encoder.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cadre {
class Loop;
class Pool;
}  // namespace cadre

namespace cadre::memory {

using Encoder = std::shared_ptr<const text::Encoder>;

/// All of it outlives the memory.
struct Surroundings {
    Loop& loop;
    Pool& pool;
    storage::Store& store;
    std::function<Encoder()> encoder;  // asked once, on the pool; it may take a while
    Log log;
};

struct Room {
    AsyncMutex turn{};  // whoever changes something has it
    Shelf shelf{};
    bool is_read = false;        // from the store
    bool lacks_vectors = false;  // some items do, or have those of another encoder
    std::uint64_t used = 0;
};
using RoomPtr = std::shared_ptr<Room>;

/// What a change writes, all at once.
struct Writing {
    std::vector<storage::Document> documents{};
    std::vector<storage::DocumentName> removed{};

    void put(const Item& item, Time now);
    void put(const Item& item, const std::string& encoder, std::span<const float> vector, Time now);
    void remove(const Item& item);
};

/// Lives on its loop; close() before it dies.
class Rooms {
public:
    explicit Rooms(Surroundings around) : around_(std::move(around)), scope_(around_.loop) {}

    Async<RoomPtr> open(Scope scope);
    /// The one who makes vectors, from the first time that somebody needs one.
    Async<Encoder> encoder();
    Async<Vector> encode(std::string text);
    /// Vectors that are missing are made behind the scenes; until then their texts are found by words.
    void mend(const RoomPtr& room);
    /// Until no vectors are being made.
    Async<> until_mended() { return scope_.join(); }
    Async<> write(Writing writing);
    Async<> close() { return scope_.close(); }

    const Surroundings& around() const { return around_; }
    Time now() const;

private:
    Async<> read(const RoomPtr& room, std::string key);
    Async<> mend_all(RoomPtr room);
    void make_place();

    Surroundings around_;
    Encoder encoder_{};
    std::map<std::string, RoomPtr, std::less<>> rooms_;
    std::uint64_t uses_ = 0;
    AsyncScope scope_;  // last: its coroutines use all of the above
};

}  // namespace cadre::memory
