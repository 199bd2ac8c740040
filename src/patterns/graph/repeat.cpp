// Loops and maps: one body, several times.
#include "patterns/graph/visit.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Run;
using engine::Settled;
using model::JoinPolicy;
using model::NodeWork;
using model::Role;

namespace {

Async<NodeWork> turn(Run& run, const Visit& visit)
{
    NodeWork work = co_await do_body(run, visit, visit.def().loop->workflow);
    set_fields(run, visit, work);
    co_return work;
}

constexpr std::size_t kMostItems = 10'000;

struct Item {
    json::value value{};
    std::string key{};
};

struct Done {
    Item item{};
    std::optional<NodeWork> work{};
    std::string error{};
};

std::string text_in(const NodeWork& work)
{
    for (std::size_t i = work.said.size(); i-- > 0;)
        if (work.said[i].role == Role::assistant) return work.said[i].text;
    return "";
}

std::vector<Item> items_of(const Run& run, const Visit& visit)
{
    const std::string& name = visit.node().name;
    const json::value list = to_json(visit.node().over->evaluate(names_for(run, visit)));
    if (!list.is_array())
        throw Error(Code::invalid,
                    fmt::format("map '{}' goes over {}, which is not a list", name, in_quotes(visit.def().map->over)));
    if (list.get_array().size() > kMostItems)
        throw Error(Code::limit, fmt::format("map '{}' goes over {} items; {} is the most", name,
                                             list.get_array().size(), kMostItems));
    std::vector<Item> items;
    for (const json::value& one : list.get_array()) {
        Item item{.value = one};
        if (visit.node().key) {
            Visit own = visit;
            own.names[visit.def().map->as] = one;
            const json::value key = to_json(visit.node().key->evaluate(names_for(run, own)));
            item.key = key.is_string() ? std::string(key.get_string()) : to_text(key);
        } else {
            item.key = std::to_string(items.size());
        }
        items.push_back(std::move(item));
    }
    return items;
}

/// What becomes of `into`: what each item gave, as JSON where it is a tool's or a JSON text.
json::value result_of(const Done& done)
{
    if (!done.work) return json::object{{"error", done.error}};
    const std::string text = text_in(*done.work);
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin != text.npos && (text[begin] == '{' || text[begin] == '[')) {
        try {
            return parse_json(text);
        } catch (const Error&) {
            // words that begin like JSON
        }
    }
    return json::value(text);
}

/// What workflows inside did to the state: two items cannot both replace a field.
void put_together(NodeWork& all, const Done& done, std::map<std::string, std::string>& writers,
                  const model::Dict<model::StateField>& declared)
{
    const json::value* metadata = done.work->update.if_contains("metadata");
    if (!metadata || !metadata->is_object()) return;
    for (const auto& field : metadata->get_object()) {
        const model::StateField* known = declared.find(field.key());
        if (known && known->reducer != model::Reducer::replace) continue;
        const auto [writer, is_new] = writers.emplace(field.key(), done.item.key);
        if (!is_new)
            throw Error(Code::invalid, fmt::format("field {} was set by both items {} and {}",
                                                   std::string_view(field.key()), writer->second, done.item.key));
    }
    all.update = model::composed(std::move(all.update), {{"metadata", *metadata}}, declared);
}

NodeWork work_of(const Visit& visit, const std::vector<Done>& all)
{
    NodeWork work;
    json::array list;
    std::string text;
    std::map<std::string, std::string> writers;
    for (const Done& done : all) {
        list.push_back(result_of(done));
        if (!done.work) continue;
        if (const std::string said = text_in(*done.work); !said.empty()) (text += text.empty() ? "" : "\n\n") += said;
        put_together(work, done, writers, visit.graph().state);
    }
    if (const auto& into = visit.def().map->into) {
        const json::value value(std::move(list));
        visit.walk.board().expect_value(*into, value, visit.node().name);
        work.update = model::composed(
            std::move(work.update), model::with_own_fields({{*into, value}}, visit.graph().state), visit.graph().state);
    }
    work.said.push_back({.text = std::move(text)});
    return work;
}

std::vector<Done> done_of(const std::vector<Item>& items, std::vector<Settled<NodeWork>> results)
{
    std::vector<Done> all;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (results[i].fate == engine::Fate::cancelled) continue;  // others were enough
        all.push_back({.item = items[i], .work = std::move(results[i].value)});
        if (results[i].error) all.back().error = results[i].error->what();
    }
    return all;
}

}  // namespace

Async<NodeWork> do_body(Run& run, const Visit& visit, const std::optional<std::string>& workflow)
{
    if (workflow) return run_nested(run, visit, *workflow);
    if (visit.def().tool) return call_tool(run, visit);
    return speak(run, visit);
}

Async<NodeWork> repeat(Run& run, const Visit& visit)
{
    const model::LoopDef& loop = *visit.def().loop;
    const auto& declared = visit.graph().state;
    Visit now = visit;
    NodeWork all;
    for (int i = 1; i <= loop.max; ++i) {
        now.names["loop"] = {{"index", i}, {"index0", i - 1}, {"first", i == 1}, {"last", i == loop.max}};
        const NodeWork work = co_await run.node("turn", [&now](Run& inner) { return turn(inner, now); });
        all.update = model::composed(std::move(all.update), work.update, declared);
        all.said = work.said;  // what came of it; earlier turns are in the history
        if (!work.update.empty())
            now.state = std::make_shared<const model::State>(updated(*now.state, work.update, declared));
        now.own.insert(now.own.end(), work.said.begin(), work.said.end());
        if (visit.node().until && visit.node().until->truth(names_for(run, now, &work))) co_return all;
    }
    if (visit.node().until && loop.on_limit == model::OnError::fail)
        throw Error(Code::limit, fmt::format("loop limit {} reached at '{}'", loop.max, visit.node().name));
    co_return all;
}

Async<NodeWork> for_each(Run& run, const Visit& at)
{
    const model::MapDef& map = *at.def().map;
    Visit visit = at;
    visit.shared_names = std::make_shared<const text::Scope>(names_for(run, at));
    const std::vector<Item> items = items_of(run, visit);
    engine::MapOptions<Item> options{.width = map.width};
    if (visit.node().key) options.key = [](const Item& item) { return item.key; };
    const auto body = [&visit, &map](Run& branch, Item item) -> Async<NodeWork> {
        Visit own = visit;
        own.names[map.as] = std::move(item.value);
        co_return co_await do_body(branch, own, map.workflow);
    };
    if (items.empty()) co_return work_of(visit, {});
    std::vector<Settled<NodeWork>> results(items.size());
    switch (map.policy) {
    case JoinPolicy::fail_fast: {
        std::vector<NodeWork> works = co_await run.map(items, options, body);
        for (std::size_t i = 0; i < works.size(); ++i)
            results[i] = {.fate = engine::Fate::done, .value = std::move(works[i])};
        break;
    }
    case JoinPolicy::collect: results = co_await run.collect(items, options, body); break;
    case JoinPolicy::quorum:
        results = co_await run.quorum(static_cast<std::size_t>(map.k.value_or(1)), items, options, body);
        break;
    case JoinPolicy::first: {
        for (auto& one : results) one.fate = engine::Fate::cancelled;
        auto [winner, work] = co_await run.first(items, options, body);
        results[winner] = {.fate = engine::Fate::done, .value = std::move(work)};
        break;
    }
    }
    co_return work_of(visit, done_of(items, std::move(results)));
}

}  // namespace cadre::patterns
