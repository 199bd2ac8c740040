// Who decides without a model which agents or domains deal with a query.
#pragma once

#include "base/async_fwd.hpp"
#include "model/decision.hpp"

#include <string>
#include <vector>

namespace cadre::engine {

struct RouteTarget {
    std::string name{};
    std::string description{};
    std::vector<std::string> examples{};
};

struct RouteQuery {
    std::string agent{};
    std::string text{};
    std::string scope{};  // what of the past counts: a session, a user
    model::TargetKind kind = model::TargetKind::agent;
    std::vector<RouteTarget> catalogue{};
    int limit = 3;
    double threshold = model::kConfidenceThreshold;
    /// Not who deals with it, but the `limit` that it is most like, whether or not it is for any of them.
    bool ranks = false;
};

struct Routed {
    model::Decision decision{};
    std::string encoder{};
};

/// Lives on the loop of whoever asks, and longer.
class Router {
public:
    /// Whether the query leaves the machine, to an encoder elsewhere.
    virtual bool is_remote() const = 0;
    virtual Async<Routed> route(RouteQuery query) = 0;

protected:
    ~Router() = default;
};

}  // namespace cadre::engine
