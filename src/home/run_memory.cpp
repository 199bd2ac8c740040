#include "home/run_memory.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "base/timeout.hpp"
#include "engine/host.hpp"
#include "engine/task_state.hpp"
#include "engine/upkeep.hpp"
#include "home/memory_files.hpp"
#include "model/wire_name.hpp"
#include "text/embed/hashed_encoder.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace cadre::home {
namespace {

/// Words where there are no weights.
std::function<memory::Encoder()> or_words(EncoderSource encoder)
{
    return [encoder = std::move(encoder)]() -> memory::Encoder {
        auto found = encoder ? encoder() : nullptr;
        return found ? found : std::make_shared<const text::embed::HashedEncoder>();
    };
}

engine::MemoryChange change_of(memory::Change change)
{
    switch (change) {
    case memory::Change::created: return engine::MemoryChange::created;
    case memory::Change::merged: return engine::MemoryChange::merged;
    case memory::Change::conflict: break;
    }
    return engine::MemoryChange::conflict;
}

/// Since when something waits to be summed up; nothing: nothing does.
std::optional<Time> waits_since(const std::vector<memory::Item>& items)
{
    std::optional<Time> oldest;
    std::size_t open = 0;
    for (const memory::Item& item : items) {
        if (item.type != model::MemoryType::episodic || !item.consolidated_into.empty()) continue;
        ++open;
        oldest = oldest ? std::min(*oldest, item.created_at) : item.created_at;
    }
    return open < 2 ? std::nullopt : oldest;
}

}  // namespace

memory::Reader reader_of(const engine::MemoryOwner& owner, const std::string& agent)
{
    return {.tenant = owner.tenant,
            .user = owner.user,
            .session = owner.session,
            .task = to_string(owner.task),
            .project = owner.project,
            .team = owner.team,
            .agent = agent};
}

RunMemory::RunMemory(Loop& loop, Pool& pool, storage::Store& store, std::filesystem::path folders,
                     EncoderSource encoder, Log log)
    : loop_(loop),
      pool_(pool),
      folders_(std::move(folders)),
      log_(log),
      memory_({.loop = loop, .pool = pool, .store = store, .encoder = or_words(std::move(encoder)), .log = log}),
      scope_(loop)
{}

Async<engine::Recall> RunMemory::recall(engine::MemoryOwner owner, engine::MemoryQuery query)
{
    const memory::Reader reader = reader_of(owner, query.agent);
    // where nothing outlives a task, it knows only what it has noted itself
    if (!owner.config.long_term_enabled) query.scope = model::wire_name(memory::ScopeKind::task);
    auto scopes = query.scope.empty() ? memory::readable(reader) : std::vector{memory::scope_for(reader, query.scope)};
    const double threshold = query.threshold.value_or(memory::kUsualThreshold);
    memory::Query asked{.text = std::move(query.text),
                        .limit = static_cast<std::size_t>(std::clamp(query.limit, 1, 100)),
                        .threshold = threshold,
                        .semantic = owner.config.semantic_search_enabled};
    memory::Found found = co_await memory_.search(std::move(scopes), std::move(asked));
    engine::Recall recall{.encoder = std::move(found.encoder), .threshold = threshold};
    for (memory::Hit& hit : found.hits)
        recall.hits.push_back({.id = std::move(hit.item.id),
                               .type = std::string(model::wire_name(hit.item.type)),
                               .text = std::move(hit.item.text),
                               .score = hit.relevance,
                               .at = hit.item.updated_at,
                               .conflicts = std::move(hit.item.conflicts)});
    co_return recall;
}

Async<engine::Remembered> RunMemory::remember(engine::MemoryOwner owner, engine::MemoryNote note)
{
    auto type = model::find_named<model::MemoryType>(note.type);
    if (!type) throw Error(Code::invalid, in_quotes(note.type) + " is not a type of memory");
    if (!owner.config.long_term_enabled) {
        type = model::MemoryType::short_term;
        note.scope = model::wire_name(memory::ScopeKind::task);
    }
    if (*type == model::MemoryType::short_term && note.scope.empty())
        note.scope = model::wire_name(memory::ScopeKind::task);
    const memory::Reader reader = reader_of(owner, note.agent);
    memory::Scope scope = memory::scope_for(reader, note.scope);
    memory::Note kept{.type = *type,
                      .text = std::move(note.text),
                      .tags = std::move(note.tags),
                      .importance = note.importance,
                      .expires_at = note.expires_at,
                      .semantic = owner.config.semantic_search_enabled};
    memory::Source source{.task = to_string(owner.task), .step = owner.path, .agent = note.agent, .by = owner.user};
    const memory::Kept done = co_await memory_.remember(scope, std::move(kept), std::move(source));
    show(owner.task, memory::readable(reader));
    if (*type == model::MemoryType::episodic)
        consolidate_in_time(owner.task, scope, std::chrono::seconds(owner.config.consolidation_interval));
    co_return engine::Remembered{.id = done.item.id,
                                 .change = change_of(done.change),
                                 .scope = std::string(model::wire_name(done.item.scope.kind)),
                                 .type = std::string(model::wire_name(done.item.type)),
                                 .conflicts = done.change == memory::Change::conflict ? done.item.conflicts
                                                                                      : std::vector<std::string>()};
}

Async<TaskMemory> RunMemory::of_task(std::shared_ptr<const engine::TaskState> state)
{
    const engine::Agents agents = co_await host_->teams().agents_for(state->spec);
    engine::MemoryOwner owner{.tenant = state->tenant,
                              .task = state->id,
                              .session = state->spec.session.value_or(""),
                              .user = state->spec.created_by,
                              .team = agents && agents->team ? agents->team->name : "",
                              .project = state->spec.project};
    TaskMemory found{.scopes = memory::readable(reader_of(owner, ""))};
    if (!agents) co_return found;
    if (agents->team) found.config = agents->team->memory_config;
    for (const engine::Agent& agent : *agents) {
        if (agent.name == state->spec.agent) found.config = agent.memory;
        for (memory::Scope& scope : memory::readable(reader_of(owner, agent.name)))
            if (std::ranges::find(found.scopes, scope) == found.scopes.end()) found.scopes.push_back(std::move(scope));
    }
    if (!found.config.long_term_enabled)
        std::erase_if(found.scopes, [](const memory::Scope& scope) { return scope.kind != memory::ScopeKind::task; });
    co_return found;
}

Async<memory::Consolidation> RunMemory::consolidate(Id task, std::vector<memory::Scope> scopes, std::string topic,
                                                    std::string by)
{
    std::vector<memory::Scope> shown = scopes;
    memory::Source source{.task = to_string(task), .step = "upkeep", .by = by};
    memory::Consolidation done = co_await memory_.consolidate(std::move(scopes), std::move(topic), std::move(source));
    if (done.items == 0) co_return done;
    engine::Upkeep upkeep{.what = "consolidate", .by = std::move(by)};
    boost::json::array ids;
    for (const memory::Item& summary : done.summaries) ids.emplace_back(summary.id);
    upkeep.detail["memory_ids"] = std::move(ids);
    upkeep.events.emplace_back(model::MemoryConsolidateEvent{
        .topic = done.topic, .items_consolidated = done.items, .summary_length = done.length});
    co_await host_->upkeep(task, std::move(upkeep));
    co_await write_files(task, std::move(shown));
    co_return done;
}

Async<> RunMemory::write_files(Id task, std::vector<memory::Scope> scopes)
{
    const std::vector<memory::Item> all = co_await memory_.items(std::move(scopes));
    auto items = items_of_task(all, to_string(task));
    auto vectors = co_await memory_.vectors(items);
    co_await on(pool_, [folder = folders_ / to_string(task), items = std::move(items), vectors = std::move(vectors)] {
        write_memory_files(folder, items, vectors);
    });
}

Async<> RunMemory::drop_task(std::string tenant, Id task)
{
    std::vector<memory::Scope> scopes{
        {.tenant = std::move(tenant), .kind = memory::ScopeKind::task, .name = to_string(task)}};
    co_await memory_.drop(std::move(scopes));
}

/// Soon; several changes of one task are written once.
void RunMemory::show(Id task, std::vector<memory::Scope> scopes)
{
    shown_.insert_or_assign(task, std::move(scopes));
    if (!is_writing_ && !scope_.cancelled()) scope_.spawn(write_shown());
}

Async<> RunMemory::write_shown()
{
    is_writing_ = true;
    while (!shown_.empty()) {
        auto next = shown_.extract(shown_.begin());
        try {
            co_await write_files(next.key(), next.mapped());
        } catch (const Error& error) {
            log_.error("the files of memory were not written: " + std::string(error.what()));
        } catch (...) {  // cancelled: settle() writes them
            shown_.insert(std::move(next));
            throw;
        }
    }
    is_writing_ = false;
}

Async<> RunMemory::close()
{
    co_await write_shown();
    co_await memory_.close();
}

Async<> RunMemory::settle()
{
    co_await scope_.close();
    co_await write_shown();
}

/// Once what happened has waited for so long. A process that ends before leaves it to the next one that remembers something there.
void RunMemory::consolidate_in_time(Id task, const memory::Scope& scope, Millis interval)
{
    if (host_ && !scope_.cancelled() && waiting_.insert(key_of(scope)).second)
        scope_.spawn(consolidate_when_due(task, scope, interval));
}

Async<> RunMemory::consolidate_when_due(Id task, memory::Scope scope, Millis interval)
{
    const std::string key = key_of(scope);
    try {
        std::vector<memory::Scope> scopes{scope};
        const auto items = co_await memory_.items(scopes);
        Time due = waits_since(items).value_or(loop_.clock().now()) + interval;
        // what did not belong together then need not be looked at each time
        if (const auto looked = looked_at_.find(key); looked != looked_at_.end())
            due = std::max(due, looked->second + interval);
        const Millis rest = due - loop_.clock().now();
        if (rest.count() > 0) co_await sleep_for(rest);
        looked_at_.insert_or_assign(key, loop_.clock().now());
        waiting_.erase(key);
        co_await consolidate(task, std::move(scopes), "", "");
    } catch (const Error& error) {
        log_.error("memory was not summed up: " + std::string(error.what()));
    }
    waiting_.erase(key);
}

}  // namespace cadre::home
