#include "engine/queries.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "engine/body.hpp"
#include "engine/delegated.hpp"
#include "engine/event_reader.hpp"
#include "engine/events.hpp"
#include "engine/index_detail.hpp"
#include "engine/pinned_teams.hpp"
#include "model/wire_name.hpp"
#include "storage/verify.hpp"

#include <algorithm>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <utility>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;
using storage::TaskEntry;

namespace {

using StatePtr = std::shared_ptr<const TaskState>;

/// Those of a state that is kept; texts that only pass through it are not counted.
std::size_t kept_bytes(const Record& record)
{
    switch (record.kind) {
    case RecordKind::created:
    case RecordKind::setting:
    case RecordKind::unknown:
    case RecordKind::completed:
    case RecordKind::failed: return record.body.size();
    default: return 0;
    }
}

}  // namespace

/// Folded states of tasks that are not in memory. Whether one is current, its last record says: see kept_state().
class Queries::States {
public:
    struct Kept {
        StatePtr state{};
        std::size_t bytes = 0;
    };

    Kept find(const Id& task)
    {
        const auto found = places_.find(task);
        if (found == places_.end()) return {};
        order_.splice(order_.begin(), order_, found->second);
        return *found->second;
    }
    void keep(Kept kept)
    {
        forget(kept.state->id);
        bytes_ += kept.bytes;
        order_.push_front(std::move(kept));
        places_[order_.front().state->id] = order_.begin();
        while (order_.size() > kMostStates || (bytes_ > kMostBytes && order_.size() > 1))
            forget(Id(order_.back().state->id));
    }
    void forget(const Id& task)
    {
        const auto found = places_.find(task);
        if (found == places_.end()) return;
        bytes_ -= found->second->bytes;
        order_.erase(found->second);
        places_.erase(found);
    }

private:
    static constexpr std::size_t kMostStates = 512;
    static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

    std::list<Kept> order_;  // the one used last first
    std::map<Id, std::list<Kept>::iterator> places_;
    std::size_t bytes_ = 0;
};

std::string missing_task(const Id& task)
{
    return "there is no task " + to_string(task);
}

Async<std::vector<Record>> read_whole(storage::Store& store, Id task)
{
    auto records = co_await store.read(task);
    if (!records.empty()) {
        storage::expect_intact(records);
        co_return records;
    }
    if (const auto entry = co_await store.find_task(task))
        if (const auto purged_at = detail_of(*entry).purged_at)
            throw Error(Code::not_found, "the history of task " + to_string(task) + " was removed on " +
                                             to_iso(*purged_at) + ", as the retention policy says; it had " +
                                             entry->status);
    throw Error(Code::not_found, missing_task(task));
}

Queries::Queries(storage::Store& store, const ActiveStates* active)
    : store_(store), active_(active), states_(std::make_unique<States>())
{}

Queries::~Queries() = default;

// ---- who may ----

Async<std::string> Queries::owner_of(Principal by, Id task)
{
    const std::string missing = missing_task(task);
    if (const TaskState* live = active_ ? active_->active_state(task) : nullptr) {
        expect_tenant(by, live->tenant, missing);
        co_return live->spec.created_by;
    }
    const auto entry = co_await store_.find_task(task);
    if (!entry) throw Error(Code::not_found, missing);
    expect_tenant(by, entry->tenant, missing);
    co_return entry->created_by;
}

Async<> Queries::expect(Principal by, Act act, Id task)
{
    const std::string owner = co_await owner_of(by, task);
    expect_may(by, act, Owned{by.tenant, owner}, missing_task(task));
}

// ---- tasks ----

Async<Id> Queries::resolve(Principal by, std::string prefix)
{
    if (const auto id = find_id(prefix)) co_return *id;
    if (prefix.empty()) throw Error(Code::invalid, "a task id is missing");
    storage::TaskQuery query{.id_prefix = prefix, .limit = 10};
    const auto found = co_await tasks(std::move(by), std::move(query));
    if (found.size() == 1) co_return found.front().task;
    if (found.empty())
        throw Error(Code::not_found, "no task begins with " + in_quotes(prefix), Hint{"to see all", "tasks"});
    std::string ids;
    for (const auto& entry : found) ids += (ids.empty() ? "" : ", ") + to_string(entry.task);
    throw Error(Code::invalid, in_quotes(prefix) + " begins several task ids: " + ids);
}

Async<StatePtr> Queries::task(Principal by, Id task)
{
    return task_for(std::move(by), Act::read, task);
}

Async<StatePtr> Queries::task_for(Principal by, Act act, Id task)
{
    StatePtr known;
    if (const TaskState* live = active_ ? active_->active_state(task) : nullptr)
        known = std::make_shared<const TaskState>(*live);
    else known = co_await kept_state(task);
    if (known) {
        expect_may(by, act, Owned{known->tenant, known->spec.created_by}, missing_task(task));
        co_return known;
    }
    co_await expect(std::move(by), act, task);
    co_return co_await read_state(task);
}

Async<std::vector<StatePtr>> Queries::open_tree(Principal by, Id task)
{
    std::vector<StatePtr> found;
    std::vector<Id> tasks{task};
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        StatePtr state;
        try {
            state = co_await this->task(by, tasks[i]);
        } catch (const Error& error) {
            if (i == 0 || error.code() != Code::not_found) throw;  // else a crash came before it was created
            continue;
        }
        if (state->finished()) continue;
        found.push_back(state);
        for (const auto& [path, child] : state->children) tasks.push_back(child);
    }
    co_return found;
}

Async<StatePtr> Queries::top_of(Principal by, Id task)
{
    StatePtr top = co_await this->task(by, task);
    std::set<Id> seen{task};  // earlier releases imported tasks that were below themselves
    while (const auto above = top->spec.parent ? find_id(*top->spec.parent) : std::nullopt) {
        StatePtr parent;
        try {
            parent = co_await this->task(by, *above);
        } catch (const Error& error) {
            if (error.code() != Code::not_found) throw;  // else retention has removed it, or it was not imported
        }
        if (!parent || parent->finished() || parent->pause_reason || !seen.insert(parent->id).second) break;
        top = parent;
    }
    co_return top;
}

/// As it was folded before, with what came since; null: it was not, or is no longer kept. The hash of a record covers all before it, so a
/// kept state is current if its last record is the journal's: one record is read, and whoever writes, purges or imports need not tell us.
Async<StatePtr> Queries::kept_state(Id task)
{
    const States::Kept kept = states_->find(task);
    if (!kept.state) co_return nullptr;
    const auto records = co_await store_.read(task, kept.state->end.seq);
    if (records.empty() || records.front().hash != kept.state->end.hash) {
        states_->forget(task);
        co_return nullptr;
    }
    if (records.size() == 1) co_return kept.state;
    storage::expect_intact_after(records);
    auto state = std::make_shared<TaskState>(*kept.state);
    std::size_t bytes = kept.bytes;
    for (std::size_t i = 1; i < records.size(); ++i) {
        take_in(*state, records[i]);
        bytes += kept_bytes(records[i]);
    }
    states_->keep({state, bytes});
    co_return state;
}

Async<StatePtr> Queries::read_state(Id task)
{
    const auto records = co_await read_whole(store_, task);
    auto state = std::make_shared<TaskState>(fold(records));
    std::size_t bytes = sizeof(TaskState);
    for (const Record& record : records) bytes += kept_bytes(record);
    states_->keep({state, bytes});
    co_return state;
}

Async<TaskEntry> Queries::entry(Principal by, Id task, Act act)
{
    auto entry = co_await store_.find_task(task);
    const std::string missing = missing_task(task);
    if (!entry) throw Error(Code::not_found, missing);
    expect_may(by, act, Owned{entry->tenant, entry->created_by}, missing);
    co_return std::move(*entry);
}

Async<std::vector<TaskEntry>> Queries::tasks(Principal by, storage::TaskQuery query)
{
    expect_may(by, Act::read);
    query.tenant = visible_tenant(by);
    if (reach_of(by, Act::read) == Reach::own) {
        if (!query.created_by.empty() && query.created_by != by.subject) co_return std::vector<TaskEntry>{};
        query.created_by = by.subject;
    }
    co_return co_await store_.tasks(std::move(query));
}

Async<std::vector<Record>> Queries::records(Principal by, Id task)
{
    co_await expect(std::move(by), Act::read, task);
    co_return co_await read_whole(store_, task);
}

Async<std::vector<EventPtr>> Queries::events(Principal by, Id task, std::uint32_t after)
{
    co_await expect(std::move(by), Act::read, task);
    std::vector<EventPtr> events;
    if (after == std::numeric_limits<std::uint32_t>::max()) co_return events;
    EventReader reader(store_, task, after + 1);
    while (true) {
        auto more = co_await reader.next();
        if (more.empty()) co_return events;
        std::ranges::move(more, std::back_inserter(events));
    }
}

// ---- the whole of a run ----

Async<VerifyReport> Queries::verify(Principal by, Id task)
{
    const std::string missing = missing_task(task);
    VerifyReport report{.task = task};
    std::optional<TaskEntry> entry;
    std::vector<Record> records;
    try {
        entry = co_await store_.find_task(task);
        if (entry) expect_tenant(by, entry->tenant, missing);
        records = co_await store_.read(task);
    } catch (const Error& error) {
        if (error.code() == Code::not_found) throw;
        report.problems.push_back(error.what());
    }
    if (entry) expect_may(by, Act::read, Owned{entry->tenant, entry->created_by}, missing);
    else expect_may(by, Act::read);
    if (!report.problems.empty()) co_return report;
    if (entry && detail_of(*entry).purged_at) co_return report;
    if (records.empty() && !entry) throw Error(Code::not_found, missing);
    if (!entry) expect_may(by, Act::read, Owned{records.front().tenant, ""}, missing);
    report.records = records.size();
    for (const auto& problem : storage::verify(records)) report.problems.push_back(problem.text);
    if (!report.problems.empty()) co_return report;

    const TaskState state = fold(records);
    for (const Record& record : records) {
        try {
            const Body body(record);
            body.expect_readable();
            public_events(record, body);
        } catch (const Error& error) {
            report.problems.push_back(error.what());
        }
    }
    if (!report.problems.empty()) co_return report;
    const bool still = (co_await store_.read(task, state.end.seq + 1)).empty();  // nobody writes it meanwhile
    if (!entry) report.problems.push_back("the index does not know it");
    else if (still && !state.spec.imported && entry->open == state.finished())
        report.problems.push_back("the index says that it is " + entry->status + ", the journal says " +
                                  std::string(model::wire_name(state.status)));
    else if (still) {
        const TaskEntry right = index_entry(state);
        if (entry->title != right.title)
            report.problems.push_back("the index calls it " + in_quotes(entry->title) + ", the journal " +
                                      in_quotes(right.title));
        // that of its last change: not every record is one
        const bool is_a_records = std::ranges::find(records, entry->updated_at, &Record::at) != records.end();
        if (entry->created_at != right.created_at || !is_a_records)
            report.problems.push_back("the index says that it was begun " + to_iso(entry->created_at) +
                                      " and last changed " + to_iso(entry->updated_at) + ", the journal " +
                                      to_iso(right.created_at) + " and " + to_iso(right.updated_at));
    }
    try {
        PinnedTeams teams(store_);
        co_await teams.agents_for(state.spec);
        co_await history_of(store_, state.spec.history);
    } catch (const Error& error) {
        report.problems.push_back(error.what());
    }
    co_return report;
}

Async<Transfer> Queries::export_run(Principal by, Id task, bool full)
{
    co_await expect(by, Act::read, task);
    Transfer transfer{.task = task};
    std::vector<Id> wanted{task};
    std::set<Id> seen{task};
    std::set<std::string> teams, turns;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        std::vector<Record> records;
        if (i == 0) records = co_await read_whole(store_, task);
        else records = co_await store_.read(wanted[i]);
        if (records.empty()) continue;                      // delegated, and never begun or no longer kept
        if (records.front().tenant != by.tenant) continue;  // an imported journal may name whatever it likes
        if (i > 0) storage::expect_intact(records);
        const TaskState state = fold(records);
        if (state.spec.imported && state.spec.imported->redacted) transfer.redacted = true;
        if (!state.spec.config.empty() && teams.insert(state.spec.config).second) {
            auto team = co_await store_.find(std::string(kTeamDocument), state.spec.config);
            if (!team)
                throw Error(Code::unavailable, "the team of task " + to_string(wanted[i]) + " is missing in the store");
            transfer.documents.push_back(std::move(*team));
        }
        if (state.spec.setup && teams.insert(*state.spec.setup).second) {
            auto setup = co_await store_.find(std::string(kSetupDocument), *state.spec.setup);
            if (!setup)
                throw Error(Code::unavailable,
                            "the workflow of task " + to_string(wanted[i]) + " is missing in the store");
            transfer.documents.push_back(std::move(*setup));
        }
        if (state.spec.history) {
            HistoryWalk walk(state.spec.history);
            for (storage::Document& document : co_await read_all(store_, walk))
                if (turns.insert(document.key).second) transfer.documents.push_back(std::move(document));
        }
        if (state.unreadable.empty())  // else whoever gets the file sees what there is
            for (const Delegated& below : delegated_in(records))
                if (!state.is_reused(below.seq) && seen.insert(below.child).second) wanted.push_back(below.child);
        if (wanted.size() > kMaxExportedTasks)
            throw Error(Code::too_large, "the run has more than " + std::to_string(kMaxExportedTasks) + " tasks");
        transfer.journals.push_back(std::move(records));
    }
    if (!full) redact_run(transfer);
    co_return transfer;
}

}  // namespace cadre::engine
