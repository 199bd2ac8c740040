// Reader: one who reads what happens to a task, on the engine's loop.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "cadre/task.hpp"
#include "library/event.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace cadre::engine {
class Subscription;
}

namespace cadre::library {

class Backend;

/// The backend outlives it.
class Reader {
public:
    Reader(Backend& backend, const Id& task, std::uint32_t after);
    Reader(Backend& backend, const Id& task, std::unique_ptr<engine::Subscription> from_the_first);
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader();

    /// Nothing: the task has ended, or rests and that is the end. Then the next one comes when it has been resumed.
    Async<std::optional<Event>> next(Until until);

private:
    Async<> read(std::optional<engine::Watched>& got, bool& over);
    Async<> until_rest();

    Backend& backend_;
    Id task_;
    std::uint32_t seen_ = 0;         // the last one that was handed out
    std::uint32_t rests_after_ = 0;  // the last one that the task is known to have
    bool resting_ = false;           // and it rests there
    std::unique_ptr<engine::Subscription> events_;
    EventTranslator translator_;
};

}  // namespace cadre::library
