#include "model/route_setup.hpp"

#include "model/describe.hpp"

namespace cadre::model {

const Entity& describe(const RouteSetup*)
{
    static const Entity entity{
        .name = "route_setup",
        .doc = "What a request that is routed to agents is pinned to beside its team.",
        .fields =
            {
                field("settings", &RouteSetup::settings, "As they were when it was made.", {.required = true}),
                field("router", &RouteSetup::router, "Who decides which agents work."),
                field("has_model", &RouteSetup::has_model, "Whether the router can ask a model."),
                field("router_agent", &RouteSetup::router_agent, "The agent that decides.", {.min_length = 1}),
            },
        .home = {Home::Kind::inside},
    };
    return entity;
}

}  // namespace cadre::model
