// Forks: another run of a task from some point on, with something changed. What is not affected is taken over, not done again.
#pragma once

#include "base/id.hpp"
#include "engine/budget.hpp"
#include "model/type.hpp"
#include "storage/record.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::engine {

/// A place in a task's journal, as those who ask know it.
struct ForkPoint {
    enum class By : std::uint8_t { record, event, checkpoint };

    By by = By::record;
    std::uint32_t number = 0;
};
std::span<const model::EnumName> names_of(const ForkPoint::By*);
const model::Entity& describe(const ForkPoint*);

/// A change of the team, see change_team().
struct Setting {
    std::string path{};
    std::string value{};
};
const model::Entity& describe(const Setting*);

/// What somebody asks for when they ask for a fork. Without any change, everything behind `at` is done anew.
struct ForkTask {
    std::optional<Id> id{};  // the caller's, where a second request with it must not make a second fork
    Id from{};
    std::optional<ForkPoint> at{};  // up to here everything is as it was; without it, only what is not affected
    std::optional<std::string> description{};
    std::optional<std::string> model{};  // for all agents
    std::string agent{};                 // whose prompt; empty: the only one's
    std::optional<std::string> prompt{};
    std::vector<Setting> settings{};
    boost::json::object state{};  // of a workflow, at a checkpoint: fields of its state and what they become
    std::optional<Budget> budget{};
    std::string project{};  // of a task that was imported: whose servers and models it has here
};
const model::Entity& describe(const ForkTask*);

struct ForkReport {
    Id task{};
    Id from{};
    std::size_t reused = 0;           // effects whose outcome was taken over
    std::size_t model_calls = 0;      // how many of them are of a model
    std::vector<std::string> live{};  // with what it goes on, by path; empty: nothing is left to do
    std::uint32_t events = 0;         // that its journal begins with
};
const model::Entity& describe(const ForkReport*);

/// The last record that belongs to that point. Throws Error(not_found) that says which there are.
std::uint32_t record_at(const std::vector<storage::Record>& records, const ForkPoint& point);
/// The node of the workflow that checkpoint `number` stands in or behind. Throws Error(invalid) when it is inside of another one.
std::string node_at(const std::vector<storage::Record>& records, std::uint32_t number);

}  // namespace cadre::engine
