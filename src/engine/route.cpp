// route: who deals with a query, decided without a model.
#include "base/json.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

namespace cadre::engine {

namespace {

/// Everything that the decision hangs on, so that another catalogue is another question.
std::string catalogue_text(const RouteQuery& query)
{
    json::array all;
    for (const RouteTarget& target : query.catalogue)
        all.push_back({target.name, target.description, json::array(target.examples.begin(), target.examples.end())});
    return std::string(model::wire_name(query.kind)) + to_text(all);
}

class Routing final : public Performer {
public:
    Routing(Router* router, RouteQuery& query, const std::string& path) : router_(router), query_(query), path_(path) {}

    Async<Answered> attempt(Attempt) override
    {
        if (!router_)
            throw Error(Code::invalid, path_ + ": this program cannot route without a model; it needs Env::router");
        routed = co_await router_->route(query_);
        Answered answered;
        append_members(answered.members,
                       RouteOutcome{.decision = routed.decision, .encoder = Text::unless_empty(routed.encoder)});
        co_return answered;
    }

    Routed routed;

private:
    Router* router_;
    RouteQuery& query_;
    const std::string& path_;
};

}  // namespace

Async<model::Decision> Run::route(RouteQuery query)
{
    Effect effect{.ask = RequestDigest(EffectKind::route), .path = next_path(EffectKind::route)};
    effect.ask.part("query", query.text)
        .part("scope", query.scope)
        .part("limits", fmt::format("{} {}", query.limit, query.threshold))
        .part("catalogue", catalogue_text(query));
    append_members(effect.outcome, RouteOutcome{.agent = Text::unless_empty(query.agent)});
    effect.agent = query.agent;
    Router* router = state_.env().router;
    effect.leaves = effect.records_intent = router && router->is_remote();
    const std::string path = effect.path;
    Routing routing(router, query, path);
    if (const auto recorded = co_await perform(std::move(effect), routing)) {
        const auto outcome = body_of<OutcomeBody>(*recorded);
        throw_recorded_error(outcome);
        co_return own_of<RouteOutcome>(outcome, *recorded).decision.get();
    }
    co_return std::move(routing.routed.decision);
}

}  // namespace cadre::engine
