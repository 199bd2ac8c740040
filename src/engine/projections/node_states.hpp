// NodeStates: the state of a workflow behind each of its nodes, from the records of their ends. Those say what a reducer made and what
// a join put together, so nothing of the workflow itself is needed.
#pragma once

#include "model/state.hpp"
#include "storage/record.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace cadre::engine {

using SharedState = std::shared_ptr<const model::State>;

class NodeStates {
public:
    /// The state behind the node whose end the record is; null: it is not a node of a workflow, but a part of one.
    SharedState take(const storage::Record& done);
    /// The last state of the workflow that the path lies in; empty if nothing has ended there yet.
    SharedState last_in(std::string_view path) const;

private:
    std::map<std::string, SharedState, std::less<>> behind_;  // by path
    std::map<std::string, SharedState, std::less<>> last_;    // by scope
};

}  // namespace cadre::engine
