// The events of a task from the journal, a page at a time, and with them what models had written: so who comes late can be told all of it.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/time.hpp"
#include "engine/hub.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cadre::engine {

/// A model has finished writing a step, or broke off.
struct StepEnd {
    std::string step{};
    std::string agent{};
    std::string text{};    // all of it; of what broke off, nothing
    bool aborted = false;  // what came of it is not the answer
    Time at{};

    bool operator==(const StepEnd&) const = default;
};

/// An event, and the steps that ended before it and after the event before.
struct JournaledEvent {
    EventPtr event{};
    std::vector<StepEnd> ends{};
};

struct ToldPage {
    std::vector<JournaledEvent> events{};
    std::vector<StepEnd> rest{};  // that no event follows yet
    std::uint32_t next_seq = 1;   // the first record that was not looked at
    std::uint32_t counted = 0;    // events in the records before it
    bool is_whole = false;        // there are no further records for now
    bool ended = false;           // one of the records has ended the task
};

/// From record `seq` on, before which there are `counted` events: some, about so many bytes of records at most.
Async<ToldPage> read_told(storage::Store& store, Id task, std::uint32_t seq, std::uint32_t counted,
                          std::size_t bytes = 128 << 10);

/// The record that event `number` is of, in a journal of `last` records: its numbers never decrease, so a few looks find it.
struct JournalPlace {
    std::uint32_t seq = 1;
    std::uint32_t counted = 0;
};
Async<JournalPlace> place_of_event(storage::Store& store, Id task, std::uint32_t number, std::uint32_t last);

}  // namespace cadre::engine
