// The structure of runs: what Run declares as templates. Included by run.hpp alone.
#pragma once

#include "base/join.hpp"
#include "engine/body_field.hpp"
#include "engine/flow.hpp"
#include "engine/run.hpp"
#include "engine/strand.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <algorithm>

namespace cadre::engine {

template <class F>
auto Run::node(std::string name, F body) -> std::invoke_result_t<F&, Run&>
{
    return visit(std::move(name), false, std::move(body));
}

/// A node by its name, or at a path that is its own already.
template <class F>
auto Run::visit(std::string name, bool is_path, F body) -> std::invoke_result_t<F&, Run&>
{
    using Result = AsyncValue<std::invoke_result_t<F&, Run&>>;
    F held = std::move(body);
    std::string path = is_path ? std::move(name) : enter(name);
    if constexpr (std::is_void_v<Result>) {
        if (find_done(path)) co_return;
        Run inner(state_, scope_of(path));
        inner.count_iteration();  // the node itself
        inner.set_state(shown_state_);
        co_await held(inner);
        record_done(std::move(path), "null");
    } else {
        if (const auto* done = find_done(path)) co_return model::from_text<Result>(done->body, {.limits = kBodyLimits});
        Run inner(state_, scope_of(path));
        inner.count_iteration();  // the node itself
        inner.set_state(shown_state_);
        Result result = co_await held(inner);
        record_done(std::move(path), model::to_json_text(result));
        co_return result;
    }
}

template <class Item>
Branches Run::fork_for(const std::vector<Item>& items, const MapOptions<Item>& options)
{
    std::vector<std::string> keys;
    if (options.key)
        for (const Item& item : items) keys.push_back(options.key(item));
    return fork(items.size(), std::move(keys), options.width);
}

template <class Item, class F, class R>
auto Run::first(std::vector<Item> items, MapOptions<Item> options, F body) -> Async<std::pair<std::size_t, R>>
{
    F held = std::move(body);
    const std::string path = next_path(EffectKind::first);
    Race shared(co_await this_context());
    shared.recorded = recorded_winner(path);
    Branches fork = fork_for(items, options);
    std::vector<Async<std::optional<R>>> branches;
    for (std::size_t i = 0; i < items.size(); ++i)
        branches.push_back(race<R>(*fork.runs[i], shared, i, held(*fork.runs[i], std::move(items[i]))));
    std::vector<std::optional<R>> results;
    {
        const Busy busy(*this, fork.prefix);
        const Strands strands(state_, branches.size());
        results = co_await all(std::move(branches));
    }
    if (!shared.winner) {
        if (shared.failure) std::rethrow_exception(shared.failure);
        throw Error(Code::invalid, "first() of nothing");
    }
    co_await record_winner(path, *shared.winner);
    co_return std::pair(*shared.winner, std::move(*results[*shared.winner]));
}

template <class F>
auto Run::within(Millis limit, F body) -> Async<std::optional<AsyncValue<std::invoke_result_t<F&, Run&>>>>
{
    struct Raced {
        std::optional<AsyncValue<std::invoke_result_t<F&, Run&>>> value{};
        std::exception_ptr failure{};
    };
    enum class Who : std::uint8_t { body, clock };
    F held = std::move(body);
    const auto branch = [&held, limit](Run& run, Who who) -> Async<Raced> {
        Raced raced;
        if (who == Who::clock) {
            co_await run.sleep(limit);
            co_return raced;
        }
        try {
            raced.value = co_await held(run);
        } catch (const Error&) {
            raced.failure = std::current_exception();  // a failure ends it too, it need not wait for the clock
        }
        co_return raced;
    };
    auto [who, raced] = co_await first(std::vector{Who::body, Who::clock}, branch);
    if (raced.failure) std::rethrow_exception(raced.failure);
    co_return std::move(raced.value);
}

template <class Item, class F, class R>
auto Run::map(std::vector<Item> items, MapOptions<Item> options, F body) -> Async<std::vector<R>>
{
    F held = std::move(body);
    Branches fork = fork_for(items, options);
    std::vector<Async<R>> branches;
    branches.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        branches.push_back(as_strand(*fork.runs[i], held(*fork.runs[i], std::move(items[i]))));
    const Busy busy(*this, fork.prefix);
    const Strands strands(state_, branches.size());
    co_return co_await all(std::move(branches));
}

/// All branches of collect() or quorum().
template <class R, class Item, class F>
auto Run::gather_all(Branches& fork, std::vector<Item>& items, F& body, Gathering& shared)
    -> Async<std::vector<Settled<R>>>
{
    std::vector<Settled<R>> results(items.size());
    std::vector<Async<>> branches;
    branches.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        branches.push_back(gather(*fork.runs[i], shared, i, body(*fork.runs[i], std::move(items[i])), results));
    const Busy busy(*this, fork.prefix);
    const Strands strands(state_, branches.size());
    co_await all(std::move(branches));
    co_return results;
}

template <class Item, class F, class R>
auto Run::collect(std::vector<Item> items, MapOptions<Item> options, F body) -> Async<std::vector<Settled<R>>>
{
    F held = std::move(body);
    Gathering shared(co_await this_context(), items.size(), std::nullopt);
    Branches fork = fork_for(items, options);
    co_return co_await gather_all<R>(fork, items, held, shared);
}

template <class Item, class F, class R>
auto Run::quorum(std::size_t enough, std::vector<Item> items, MapOptions<Item> options, F body)
    -> Async<std::vector<Settled<R>>>
{
    F held = std::move(body);
    const std::string path = next_path(EffectKind::join);
    if (enough == 0 || enough > items.size())
        throw Error(Code::invalid, path + ": a quorum of " + std::to_string(enough) + " of " +
                                       std::to_string(items.size()) + " cannot be");
    Gathering shared(co_await this_context(), items.size(), enough);
    shared.recorded = recorded_winners(path);
    Branches fork = fork_for(items, options);
    auto results = co_await gather_all<R>(fork, items, held, shared);
    expect_quorum(fork, shared, results);
    co_await record_winners(path, shared.winners);
    for (std::size_t i = 0; i < results.size(); ++i)  // what else they came to depends on time
        if (std::ranges::count(shared.winners, i) == 0) results[i] = {.fate = Fate::cancelled};
    co_return results;
}

template <class T>
void Run::expect_quorum(const Branches& branches, const Gathering& shared, const std::vector<Settled<T>>& results)
{
    if (shared.winners.size() == shared.enough) return;
    std::string text = "quorum " + std::to_string(*shared.enough) + " of " + std::to_string(results.size()) +
                       " not reached at " + branches.prefix.substr(0, branches.prefix.size() - 1);
    std::optional<Code> code;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i].error) continue;
        text += (code ? "; " : ": ") + branches.name(i) + ": " + results[i].error->what();
        if (!code) code = results[i].error->code();
    }
    throw Error(code.value_or(Code::internal), text);
}

/// The body of one part, as that of a node.
template <class R, class F>
struct InPart {
    F* body;
    const FlowRun* flow;
    std::size_t part;
    const std::vector<Settled<R>>* results;

    Async<R> operator()(Run& run)
    {
        const Inputs<R> inputs(*flow, part, *results);
        co_return co_await (*body)(run, part, inputs);
    }
};

template <class R, class F>
Async<> Run::flow_part(FlowRun& flow, std::size_t part, F& body, std::vector<Settled<R>>& results)
{
    const Strand strand(state_);
    Settled<R>& mine = results[part];
    std::exception_ptr failure;
    try {
        const FlowRun::PartScope scope(flow, part, co_await this_context());
        try {
            auto entering = flow.enter(part);
            if (!co_await std::move(entering).under(scope.context())) {
                mine.fate = Fate::skipped;
                flow.settle(part, mine.fate);
                co_return;
            }
            auto work = visit(flow.paths()[part], true, InPart<R, F>{&body, &flow, part, &results});
            if constexpr (std::is_void_v<R>) {
                co_await std::move(work).under(scope.context());
                mine.value.emplace();
            } else {
                mine.value.emplace(co_await std::move(work).under(scope.context()));
            }
            mine.fate = Fate::done;
        } catch (const Cancelled&) {
            if (!scope.is_useless()) throw;
            mine.fate = Fate::skipped;  // how far it had come depends on time
        }
    } catch (const Error& error) {
        mine.fate = Fate::failed;
        mine.error = error;
        if (!flow.flow().tolerates(part)) failure = std::current_exception();
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        if (is_held_back(state_)) co_await hold_back(state_, flow.paths()[part], flow.paths());
        std::rethrow_exception(failure);
    }
    flow.settle(part, mine.fate);
}

template <class R, class F>
auto Run::flow(const Flow& flow, F body) -> Async<std::vector<Settled<R>>>
{
    std::vector<Settled<R>> results;
    co_await this->flow(flow, std::move(body), results);
    co_return results;
}

template <class R, class F>
Async<> Run::flow(const Flow& flow, F body, std::vector<Settled<R>>& results)
{
    F held = std::move(body);
    expect_free("a flow");
    FlowRun work(*this, flow);
    results.assign(flow.size(), {});
    std::vector<Async<>> parts;
    parts.reserve(flow.size());
    for (std::size_t i = 0; i < flow.size(); ++i) parts.push_back(flow_part<R>(work, i, held, results));
    {
        const Busy busy(*this, "a flow");
        const Strands strands(state_, parts.size());
        co_await all(std::move(parts));
    }
    for (std::size_t i = 0; i < results.size(); ++i)  // whether it failed before it was useless depends on time
        if (results[i].fate == Fate::failed && work.is_useless(i)) results[i] = {.fate = Fate::skipped};
}

}  // namespace cadre::engine
