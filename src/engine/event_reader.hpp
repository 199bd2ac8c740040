// The events of a task, read from the journal.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "engine/hub.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <vector>

namespace cadre::engine {

/// Reads on where it stopped.
class EventReader {
public:
    /// Begins with event number `first`.
    EventReader(storage::Store& store, const Id& task, std::uint32_t first) : store_(store), task_(task), first_(first)
    {}

    /// What has come since the last time, some of it; empty when there is nothing new.
    Async<std::vector<EventPtr>> next();
    /// The task has ended, and its last record was read.
    bool ended() const { return ended_; }

private:
    storage::Store& store_;
    Id task_;
    std::uint32_t first_;
    std::uint32_t next_seq_ = 1;
    std::uint32_t events_ = 0;  // in the records that were read
    bool terminal_ = false;
    bool ended_ = false;
};

}  // namespace cadre::engine
