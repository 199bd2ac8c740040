// Rooms: what a process of the simulation asks of memory, files, messages, guardrails and compaction. What they did stands in the
// ledger, outside every process; policies and the size of windows change with time.
#pragma once

#include <memory>

namespace cadre::engine {
struct Env;
}

namespace cadre::sim {

class Simulation;
struct Worker;

/// A worker's. Dies before it.
class Rooms {
public:
    virtual ~Rooms() = default;
    /// From here on, runs of that environment ask these.
    virtual void furnish(engine::Env& env) = 0;
};

std::unique_ptr<Rooms> rooms_of(Simulation& simulation, Worker& worker);

}  // namespace cadre::sim
