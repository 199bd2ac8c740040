// What the owner of a home does with its memory when it is asked to.
#include "home/home_owner.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "engine/projections/chronicle.hpp"
#include "engine/projections/short_term.hpp"
#include "engine/task_state.hpp"
#include "home/run_memory.hpp"
#include "model/wire_name.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::home {
namespace {

using memory::Item;
using memory::Scope;

/// Whom a request is about: whoever makes it, or another of their tenant, for who may administer it.
std::string user_in(const engine::Principal& by, const std::string& asked, engine::Act act)
{
    engine::expect_may(by, asked.empty() || asked == by.subject ? act : engine::Act::administer);
    return asked.empty() ? by.subject : asked;
}

std::vector<Scope> scopes_of(const std::vector<Item>& items)
{
    std::vector<Scope> scopes;
    for (const Item& item : items)
        if (std::ranges::find(scopes, item.scope) == scopes.end()) scopes.push_back(item.scope);
    return scopes;
}

/// The one whose id begins so.
Item item_in(const std::vector<Item>& items, const std::string& prefix)
{
    std::vector<Item> found;
    for (const Item& item : items)
        if (item.id.starts_with(prefix) || item.id.substr(std::string_view("mem_").size()).starts_with(prefix))
            found.push_back(item);
    if (found.empty()) throw Error(Code::not_found, "nothing is remembered as " + in_quotes(prefix));
    if (found.size() > 1)
        throw Error(Code::invalid, fmt::format("{} is the beginning of {} and {}: give more of it", in_quotes(prefix),
                                               found[0].id, found[1].id));
    return found.front();
}

FoundMemory found_memory(memory::Hit hit, const std::string& query)
{
    Item& item = hit.item;
    return {.memory_id = item.id,
            .memory_type = item.type,
            .content = std::move(item.text),
            .relevance_score = hit.relevance,
            .retrieval_query = query,
            .source = item.sources.empty() ? "" : item.sources.back().task,
            .scope = item.scope.kind,
            .conflicts = std::move(item.conflicts),
            .told_at = item.updated_at};
}

ConsolidatedMemory consolidated(const memory::Consolidation& done)
{
    ConsolidatedMemory answer{.topic = done.topic, .items_consolidated = done.items, .summary_length = done.length};
    for (const Item& summary : done.summaries) answer.memory_ids.push_back(summary.id);
    return answer;
}

}  // namespace

Async<TaskMemory> HomeOwner::memory_of(engine::Principal by, engine::Act act, Id task)
{
    auto state = co_await runtime_->queries().task_for(std::move(by), act, task);
    co_return co_await runtime_->memory().of_task(std::move(state));
}

/// What their folders show of what is forgotten.
Async<> HomeOwner::show_memory_again(engine::Principal by, std::set<std::string> tasks)
{
    for (const std::string& name : tasks) {
        const auto id = find_id(name);
        if (!id || !(co_await runtime_->store().find_task(*id))) continue;  // removed meanwhile
        TaskMemory memory = co_await memory_of(by, engine::Act::read, *id);
        co_await runtime_->memory().write_files(*id, std::move(memory.scopes));
    }
}

Async<KnownItems> HomeOwner::perform(engine::Principal by, ListMemory request)
{
    std::string user = user_in(by, request.user, engine::Act::read);
    KnownItems known{.items = co_await runtime_->memory().memory().of_user(by.tenant, std::move(user))};
    std::erase_if(known.items, [&](const Item& item) {
        return (request.type && item.type != *request.type) || (request.scope && item.scope.kind != *request.scope);
    });
    co_return known;
}

Async<FoundMemories> HomeOwner::perform(engine::Principal by, SearchMemory request)
{
    memory::Memory& memory = runtime_->memory().memory();
    std::vector<Scope> scopes;
    memory::Query query{.text = request.query,
                        .limit = static_cast<std::size_t>(std::clamp(request.limit, 1, 100)),
                        .threshold = request.threshold.value_or(memory::kUsualThreshold),
                        .types = std::move(request.types)};
    if (request.task) {
        TaskMemory task = co_await memory_of(by, engine::Act::read, *request.task);
        scopes = std::move(task.scopes);
        query.semantic = task.config.semantic_search_enabled;
    } else {
        std::string user = user_in(by, request.user, engine::Act::read);
        scopes = scopes_of(co_await memory.of_user(by.tenant, std::move(user)));
    }
    memory::Found found = co_await memory.search(std::move(scopes), std::move(query));
    FoundMemories answer;
    for (memory::Hit& hit : found.hits) answer.results.push_back(found_memory(std::move(hit), request.query));
    co_return answer;
}

Async<AddedMemory> HomeOwner::perform(engine::Principal by, AddMemory request)
{
    if (leaving_) throw Leaving{};
    engine::expect_may(by, engine::Act::work);
    if (!request.session.empty() + !request.agent.empty() + !request.team.empty() > 1)
        throw Error(Code::invalid, "a note belongs to a session, an agent or a team, not to several of them");
    const std::string_view kind = !request.session.empty() ? "session"
                                  : !request.agent.empty() ? "agent"
                                  : !request.team.empty()  ? "team"
                                                           : "user";
    const memory::Reader reader{.tenant = by.tenant,
                                .user = by.subject,
                                .session = std::move(request.session),
                                .project = std::move(request.project),
                                .team = std::move(request.team),
                                .agent = std::move(request.agent)};
    memory::Scope scope = memory::scope_for(reader, kind);
    memory::Note note{.type = request.type,
                      .text = std::move(request.text),
                      .tags = std::move(request.tags),
                      .importance = request.importance,
                      .expires_at = request.expires_at};
    memory::Source source{.by = by.subject};
    const memory::Kept kept =
        co_await runtime_->memory().memory().remember(std::move(scope), std::move(note), std::move(source));
    co_return AddedMemory{.memory_id = kept.item.id,
                          .change = kept.change,
                          .scope = kept.item.scope.kind,
                          .conflicts = kept.item.conflicts};
}

Async<ForgottenMemory> HomeOwner::perform(engine::Principal by, ForgetMemory request)
{
    if (leaving_) throw Leaving{};
    memory::Memory& memory = runtime_->memory().memory();
    const std::string user = user_in(by, request.user, engine::Act::work);
    if (request.all == !request.ids.empty())
        throw Error(Code::invalid, "say what to forget: ids of items, or everything");
    memory::Erasure erasure;
    if (request.all) {
        erasure = co_await memory.erase(by.tenant, user);
    } else {
        const auto known = co_await memory.of_user(by.tenant, user);
        std::vector<Item> items;
        for (const std::string& id : request.ids) items.push_back(item_in(known, id));
        erasure.items = co_await memory.forget(std::move(items));
        for (const Item& item : erasure.items)
            for (const memory::Source& source : item.sources)
                if (!source.task.empty()) erasure.tasks.insert(source.task);
    }
    co_await show_memory_again(by, erasure.tasks);
    ForgottenMemory answer{.tasks = {erasure.tasks.begin(), erasure.tasks.end()}};
    for (const Item& item : erasure.items) answer.memory_ids.push_back(item.id);
    co_return answer;
}

Async<ConsolidatedMemory> HomeOwner::perform(engine::Principal by, ConsolidateMemory request)
{
    if (leaving_) throw Leaving{};
    if (request.task) {
        TaskMemory task = co_await memory_of(by, engine::Act::work, *request.task);
        co_return consolidated(co_await runtime_->memory().consolidate(*request.task, std::move(task.scopes),
                                                                       std::move(request.topic), by.subject));
    }
    engine::expect_may(by, engine::Act::work);
    memory::Memory& memory = runtime_->memory().memory();
    auto scopes = scopes_of(co_await memory.of_user(by.tenant, by.subject));
    std::erase_if(scopes, [](const Scope& scope) { return scope.kind == memory::ScopeKind::team; });
    memory::Source source{.by = by.subject};
    co_return consolidated(co_await memory.consolidate(std::move(scopes), std::move(request.topic), std::move(source)));
}

Async<MemorySummary> HomeOwner::perform(engine::Principal by, SummarizeMemory request)
{
    TaskMemory task = co_await memory_of(by, engine::Act::read, request.task);
    MemorySummary summary{.short_term = {.limit = task.config.short_term_limit}};
    engine::Chronicle chronicle;
    for (const storage::Record& record : co_await runtime_->queries().records(by, request.task))
        chronicle.apply(record);
    summary.short_term.tokens = engine::short_term(chronicle.history(), task.config.short_term_limit).tokens;
    for (const Item& item : co_await runtime_->memory().memory().items(std::move(task.scopes))) {
        switch (item.type) {
        case model::MemoryType::short_term: ++summary.counts.short_term; break;
        case model::MemoryType::long_term: ++summary.counts.long_term; break;
        case model::MemoryType::semantic: ++summary.counts.semantic; break;
        case model::MemoryType::episodic: ++summary.counts.episodic; break;
        }
        if (!item.supersedes.empty())
            summary.consolidated_at = std::max(summary.consolidated_at.value_or(item.created_at), item.created_at);
    }
    co_return summary;
}

}  // namespace cadre::home
