#include "home/local_router.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "model/wire_name.hpp"
#include "text/encoder.hpp"
#include "text/route/choice.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::home {
namespace {

namespace route = text::route;

constexpr std::size_t kMostLearnt = 16;

/// Everything that is learnt from: names, descriptions and examples, each with its length before it.
Digest digest_of_catalogue(const std::vector<engine::RouteTarget>& catalogue)
{
    std::string all;
    const auto add = [&](std::string_view text) { all += fmt::format("{}:{}", text.size(), text); };
    for (const engine::RouteTarget& target : catalogue) {
        add(target.name);
        add(target.description);
        all += fmt::format("{};", target.examples.size());
        for (const std::string& example : target.examples) add(example);
    }
    return digest_of(all);
}

std::shared_ptr<const route::Classifier> learn(const std::vector<engine::RouteTarget>& catalogue,
                                               const EncoderSource& encoder)
{
    std::vector<route::Entry> entries;
    for (const engine::RouteTarget& target : catalogue)
        entries.push_back({target.name, target.description, target.examples});
    return std::make_shared<const route::Classifier>(entries, encoder ? encoder() : nullptr);
}

void add_target(model::Decision& decision, const std::string& name)
{
    if (std::ranges::find(decision.targets, name) == decision.targets.end()) decision.targets.push_back(name);
}

std::string reasons(const route::Choice& choice, const engine::RouteQuery& query)
{
    const auto name = [&](std::size_t entry) { return query.catalogue[entry].name; };
    if (choice.parts.empty()) return fmt::format("there is no {} to choose from", model::wire_name(query.kind));
    if (choice.is_compound()) {
        std::string text = "asks for several things: ";
        for (const route::Part& part : choice.parts)
            text += fmt::format("{}{} for {}", &part == choice.parts.data() ? "" : ", ", in_quotes(part.text),
                                name(part.entry));
        return text;
    }
    const std::string& best = name(choice.parts.front().entry);
    if (choice.out_of_scope) return fmt::format("is like nothing that they deal with; closest is {}", best);
    std::string text = choice.nearest.empty() ? "by its words" : fmt::format("like {}", in_quotes(choice.nearest));
    if (choice.ambiguous) return fmt::format("{} or {}; {}", best, name(choice.next.front().entry), text);
    if (!choice.next.empty() && choice.next.front().probability >= 0.05)
        text += fmt::format("; then {} ({:.2f})", name(choice.next.front().entry), choice.next.front().probability);
    return text;
}

engine::Routed ranked(const route::Classifier& classifier, const engine::RouteQuery& query)
{
    const route::Verdict verdict = classifier.classify(query.text, static_cast<std::size_t>(std::max(query.limit, 1)));
    engine::Routed result{.encoder = classifier.encoder()};
    model::Decision& decision = result.decision;
    decision.query = query.text;
    decision.target_kind = query.kind;
    decision.confidence = verdict.confidence;
    decision.clarify = verdict.best.empty();
    for (const route::Standing& one : verdict.best) add_target(decision, query.catalogue[one.entry].name);
    return result;
}

engine::Routed routed(const route::Classifier& classifier, const engine::RouteQuery& query)
{
    if (query.ranks) return ranked(classifier, query);
    const route::Choice choice =
        route::choose(classifier, query.text,
                      {.threshold = query.threshold, .most = static_cast<std::size_t>(std::max(query.limit, 1))});
    engine::Routed result{.encoder = classifier.encoder()};
    model::Decision& decision = result.decision;
    decision.query = query.text;
    decision.target_kind = query.kind;
    decision.confidence = choice.parts.empty() ? 0 : choice.confidence;
    decision.ambiguous = choice.ambiguous;
    decision.clarify = choice.out_of_scope;
    for (const route::Part& part : choice.parts) add_target(decision, query.catalogue[part.entry].name);
    if (choice.ambiguous && query.limit > 1) add_target(decision, query.catalogue[choice.next.front().entry].name);
    decision.reasoning = reasons(choice, query);
    return result;
}

}  // namespace

LocalRouter::LocalRouter(Pool& pool, EncoderSource encoder) : pool_(pool), encoder_(std::move(encoder))
{}
LocalRouter::~LocalRouter() = default;

LocalRouter::Learnt LocalRouter::find(const Digest& catalogue)
{
    const auto found = std::ranges::find(recent_, catalogue, &std::pair<Digest, Learnt>::first);
    if (found == recent_.end()) return nullptr;
    std::rotate(found, found + 1, recent_.end());
    return recent_.back().second;
}

void LocalRouter::keep(const Digest& catalogue, Learnt learnt)
{
    if (find(catalogue)) return;  // somebody else has learnt it meanwhile
    if (recent_.size() == kMostLearnt) recent_.erase(recent_.begin());
    recent_.emplace_back(catalogue, std::move(learnt));
}

Async<engine::Routed> LocalRouter::route(engine::RouteQuery query)
{
    const Digest catalogue = digest_of_catalogue(query.catalogue);
    Learnt learnt = find(catalogue);
    if (!learnt) {
        learnt =
            co_await on(pool_, [targets = query.catalogue, encoder = encoder_] { return learn(targets, encoder); });
        keep(catalogue, learnt);
    }
    // an encoder takes milliseconds, which are the pool's
    if (learnt->has_encoder())
        co_return co_await on(pool_, [learnt, query = std::move(query)] { return routed(*learnt, query); });
    co_return routed(*learnt, query);
}

}  // namespace cadre::home
