// Upkeep: what people, or the house, do to files or memory of a task from outside its run, also when it has ended.
#pragma once

#include "engine/artifact_port.hpp"
#include "engine/journal.hpp"
#include "model/event.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cadre::engine {

struct TaskState;

struct Upkeep {
    std::string what{};  // `restore`, `upload`, `consolidate`, `forget`, …
    std::string by{};    // empty: the house
    /// A file whose content is kept already; its version is the next one of its path, whatever stands here.
    std::optional<SavedVersion> artifact{};
    boost::json::object detail{};
    std::vector<model::Event> events{};  // beside those of the file
};

struct Upkept {
    std::uint32_t seq = 0;  // of its record; 0: the file was like that already
    std::optional<Saved> artifact{};
};

/// What the task's journal is to say of it, behind what `state` says; nothing when there is nothing to say.
std::optional<JournalEntry> upkeep_entry(const TaskState& state, Upkeep upkeep, Time now, Upkept& upkept);

/// The version that content of that hash is, behind what `state` says.
Saved next_version(const TaskState& state, SavedVersion artifact);
/// What has become of the files of a task, behind what `state` says; of very many changes the first.
std::vector<Saved> changes_in(const TaskState& state, FoundFiles found);

}  // namespace cadre::engine
