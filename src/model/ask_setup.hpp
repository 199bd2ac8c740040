// What a question to data domains is pinned to: the domains as they were when it was asked, and how it is answered.
#pragma once

#include "model/router_kind.hpp"
#include "model/views/domains.hpp"

#include <vector>

namespace cadre::model {

struct AskSetup {
    std::vector<domains::Domain> domains{};
    domains::AskOptions options{};
    RouterKind router = RouterKind::model;  // what `options` come to where the question was asked
    bool has_model = true;                  // false: nothing can be asked of one

    bool operator==(const AskSetup&) const = default;
};
const Entity& describe(const AskSetup*);

}  // namespace cadre::model
