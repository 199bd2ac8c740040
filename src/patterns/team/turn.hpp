// What comes of an agent's turn in a team.
#pragma once

#include "model/team.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace cadre::model {
struct Entity;
}

namespace cadre::patterns {

/// An agent wants another one to carry on.
struct Handoff {
    std::string call{};  // of the tool `handoff`; empty: a rule of the team decided it
    std::string to{};
    std::string reason{};
    boost::json::object context{};
    model::HandoffType type = model::HandoffType::sequential;

    bool operator==(const Handoff&) const = default;
};

struct Turn {
    std::string agent{};
    std::string text{};
    std::optional<Handoff> handoff{};  // that the agent called for, and that the team allows

    bool operator==(const Turn&) const = default;
};

const model::Entity& describe(const Handoff*);
const model::Entity& describe(const Turn*);

}  // namespace cadre::patterns
