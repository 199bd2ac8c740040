// What a fork takes over of the run that it comes from: decided effect by effect while the fork is rehearsed.
#pragma once

#include "engine/perform.hpp"
#include "engine/recorded.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::engine {

/// Asked in the order in which the fork comes to its effects. An effect that it does not take waits, and with it everything that
/// comes after it in its branch and behind the join of that branch; so nothing is ever asked about what a live effect may have
/// changed.
class Reuse {
public:
    struct Rules {
        std::uint32_t at = 0;  // up to this record all is taken that can be; behind it, what is asked the same
        std::vector<std::string> other_agents{};  // who think otherwise now: another model, other settings
        std::set<std::string> other_work{};       // paths of what was delegated to, or by, agents that are others now
        bool has_digests = true;                  // false: the run was redacted
    };

    explicit Reuse(Rules rules) : rules_(std::move(rules)) {}

    /// Whether the outcome that is recorded is this effect's in the fork too.
    bool takes(const Effect& effect, const RecordedEffect& recorded);
    /// A node has come to its end without waiting for anything; `recorded` is how it had ended, or null.
    void node_ended(const std::string& path, std::string_view result, const RecordedEffect* recorded);

    /// Not after all: it waits for a cancellation that may not come.
    void give_back(const std::string& path) { taken_.erase(path); }
    /// Paths of what was taken, effects and nodes.
    const std::set<std::string, std::less<>>& taken() const { return taken_; }

private:
    Rules rules_;
    std::set<std::string, std::less<>> taken_;
};

}  // namespace cadre::engine
