// What comes of an agent's turn in a team.
#pragma once

#include "model/team.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

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

/// Of an agent who worked beside another one.
struct SideAnswer {
    std::string agent{};
    std::string text{};

    bool operator==(const SideAnswer&) const = default;
};

struct Turn {
    std::string agent{};
    std::string text{};
    std::optional<Handoff> handoff{};  // that the agent called for, and that the team allows
    std::vector<SideAnswer> beside{};  // of those whom it handed over to in parallel, in the order of its calls

    bool operator==(const Turn&) const = default;
};

/// All answers of a turn as one text; where there are several, headed by who gave them.
std::string whole_answer(const Turn& turn);

const model::Entity& describe(const Handoff*);
const model::Entity& describe(const SideAnswer*);
const model::Entity& describe(const Turn*);

}  // namespace cadre::patterns
