// All versions of the files of a task, as its journal has them.
#pragma once

#include "artifacts/artifact.hpp"
#include "engine/artifact_port.hpp"
#include "model/event.hpp"
#include "storage/record.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace cadre::engine {

using Histories = std::map<std::string, artifacts::History>;  // by path

/// Takes in what the record says. True: there was something. What an imported journal says that cannot be so is left out.
bool note_versions(Histories& histories, const storage::Record& record);
Histories histories_of(std::span<const storage::Record> records);

/// The version as documents tell it.
model::Artifact artifact_of(const SavedVersion& version, const std::string& by);

/// What the public hears of a change; `reason`: `tool`, `save`, `restore`, …
std::vector<model::Event> events_of_change(const Saved& saved, const std::string& by, const std::string& reason,
                                           Time at);
/// How many those are.
int count_events(const Saved& saved);

}  // namespace cadre::engine
