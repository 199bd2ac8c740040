// What the index entry of a task says beyond its columns: for lists, retention and those who wait, without its journal.
#pragma once

#include "model/human.hpp"
#include "model/task.hpp"
#include "storage/store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::engine {

struct IndexDetail {
    std::vector<model::HumanRequest> questions{};  // open ones
    std::string error{};
    std::string pause{};
    std::string kind{};
    std::optional<int> retention_days{};
    int turn = 0;                          // of its session, for releases whose entries do not say it
    std::optional<std::string> history{};  // what it needs of the conversation before it
    std::optional<Time> kept_from{};       // of an imported one: its time here begins then
    std::optional<Time> purged_at{};       // since then only this entry is left of its journal

    bool operator==(const IndexDetail&) const = default;
};
const model::Entity& describe(const IndexDetail*);

std::string detail_text(const IndexDetail& detail);
/// Of an entry that a newer or older release has written, what is known of it.
IndexDetail detail_of(const storage::TaskEntry& entry);
/// What a newer release calls otherwise has not ended.
model::TaskStatus listed_status(const storage::TaskEntry& entry);

}  // namespace cadre::engine
