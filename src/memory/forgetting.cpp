// What becomes of items over time: summed up, forgotten, erased.
#include "memory/memory.hpp"
#include "memory/summary.hpp"

#include "base/async.hpp"
#include "base/crash_point.hpp"
#include "base/pool.hpp"
#include "model/read.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace cadre::memory {
namespace {

constexpr std::size_t kMostInSummary = 200;  // items

bool said_by(const Item& item, const std::string& user)
{
    return std::ranges::any_of(item.sources, [&](const Source& one) { return one.by == user; });
}

Item summary_item(const Scope& scope, const std::vector<Member>& members, Source source, Time now)
{
    Item summary{.type = model::MemoryType::long_term, .scope = scope, .text = summary_of(members)};
    summary.id = id_of(scope, summary.type, summary.text);
    summary.tags = {"summary"};
    summary.importance = 0;
    for (const Member& member : members) {
        summary.supersedes.push_back(member.item->id);
        summary.importance = std::max(summary.importance, member.item->importance);
    }
    summary.sources = {std::move(source)};
    summary.created_at = summary.updated_at = now;
    return summary;
}

}  // namespace

Async<> Memory::consolidate(Scope scope, const std::string& topic, const Source& source, Consolidation& done)
{
    const RoomPtr room = co_await rooms_.open(scope);
    const auto lock = co_await room->turn.lock();
    const Time now = rooms_.now();
    Vector asked;
    if (!topic.empty() && room->shelf.size() > 0) asked = co_await rooms_.encode(topic);
    auto groups = co_await on(rooms_.around().pool, [room, topic, asked, now] {
        const auto is_open = [&](const Item& item) {
            return item.type == model::MemoryType::episodic && item.consolidated_into.empty() && !item.is_expired(now);
        };
        std::vector<Member> members;
        if (topic.empty()) {
            for (const auto& item : room->shelf.all())
                if (is_open(*item)) members.push_back({item, room->shelf.vector_of(item->id)});
            return clusters(std::move(members));
        }
        for (Candidate& one : room->shelf.search(topic, asked, now, kMostInSummary))
            if (is_open(*one.item) && one.relevance >= kUsualThreshold)
                members.push_back({std::move(one.item), std::move(one.vector)});
        std::ranges::sort(members, {}, [](const Member& one) { return one.item->created_at; });
        std::vector<std::vector<Member>> one;
        if (members.size() > 1) one.push_back(std::move(members));
        return one;
    });
    for (std::vector<Member>& members : groups) {
        if (members.size() > kMostInSummary) members.resize(kMostInSummary);
        Source own = source;
        own.at = now;
        const Item summary = summary_item(scope, members, std::move(own), now);
        const Vector vector = co_await rooms_.encode(summary.text);
        Writing writing;
        writing.put(summary, now);
        if (!vector.empty()) writing.put(summary, (co_await rooms_.encoder())->id(), vector, now);
        std::vector<Item> marked;
        for (const Member& member : members) {
            marked.push_back(*member.item);
            marked.back().consolidated_into = summary.id;
            writing.put(marked.back(), now);
        }
        crash_point("before_consolidated");
        co_await rooms_.write(std::move(writing));  // the summary and its marks, or neither
        crash_point("consolidated");
        room->shelf.put(summary, vector);
        for (std::size_t i = 0; i < marked.size(); ++i) room->shelf.put(std::move(marked[i]), members[i].vector);
        const std::string about = topic.empty() ? topic_of(members) : topic;
        if (done.topic.empty()) done.topic = about;
        else if (topic.empty()) done.topic += "; " + about;
        done.items += static_cast<std::int64_t>(members.size());
        done.length += static_cast<std::int64_t>(summary.text.size());
        done.summaries.push_back(summary);
    }
}

Async<Consolidation> Memory::consolidate(std::vector<Scope> scopes, std::string topic, Source source)
{
    Consolidation done{.topic = topic};
    for (Scope& scope : scopes) co_await consolidate(std::move(scope), topic, source, done);
    co_return done;
}

Async<std::vector<Item>> Memory::forget(std::vector<Item> items)
{
    std::map<std::string, std::vector<Item>> by_scope;
    for (Item& item : items) by_scope[key_of(item.scope)].push_back(std::move(item));
    std::vector<Item> gone;
    for (auto& [key, wanted] : by_scope) {
        Scope scope = wanted.front().scope;
        const RoomPtr room = co_await rooms_.open(std::move(scope));
        const auto lock = co_await room->turn.lock();
        std::set<std::string> ids;
        for (const Item& item : wanted)
            if (room->shelf.find(item.id)) ids.insert(item.id);
        const auto all = room->shelf.all();
        for (const auto& item : all)  // a summary repeats the words of what it sums up
            if (std::ranges::any_of(item->supersedes, [&](const std::string& id) { return ids.contains(id); }))
                ids.insert(item->id);
        Writing writing;
        std::vector<Item> changed;
        for (const auto& item : all) {
            if (ids.contains(item->id)) {
                writing.remove(*item);
                gone.push_back(*item);
                continue;
            }
            const bool is_marked = ids.contains(item->consolidated_into);
            const bool is_contradicted =
                std::ranges::any_of(item->conflicts, [&](const std::string& id) { return ids.contains(id); });
            if (!is_marked && !is_contradicted) continue;
            Item other = *item;
            if (is_marked) other.consolidated_into.clear();
            std::erase_if(other.conflicts, [&](const std::string& id) { return ids.contains(id); });
            writing.put(other, rooms_.now());
            changed.push_back(std::move(other));
        }
        if (ids.empty()) continue;
        co_await rooms_.write(std::move(writing));
        for (const std::string& id : ids) room->shelf.erase(id);
        for (Item& other : changed) {
            const Vector own = room->shelf.vector_of(other.id);
            room->shelf.put(std::move(other), own);
        }
    }
    co_return gone;
}

Async<std::vector<Item>> Memory::of_user(std::string tenant, std::string user)
{
    std::vector<std::string> keys{key_of_user(tenant, "")};  // of teams and tasks
    if (!user.empty()) keys.push_back(key_of_user(tenant, user));
    std::vector<Item> found;
    for (std::string& key : keys) {
        auto documents = co_await rooms_.around().store.list(std::string(kItemKind), std::move(key), SIZE_MAX);
        auto items = co_await on(rooms_.around().pool, [documents = std::move(documents), user, now = rooms_.now()] {
            std::vector<Item> all;
            for (const storage::Document& document : documents) {
                auto item = model::from_text<Item>(document.text, {.ignore_unknown = true});
                const bool is_own = !user.empty() && item.scope.user == user;
                if ((is_own || said_by(item, user)) && !item.is_expired(now)) all.push_back(std::move(item));
            }
            return all;
        });
        std::ranges::move(items, std::back_inserter(found));
    }
    sort_newest_first(found);
    co_return found;
}

Async<Erasure> Memory::erase(std::string tenant, std::string user)
{
    Erasure erasure;
    std::vector<Item> own;
    std::vector<Item> shared;  // with others who have said the same
    for (Item& item : co_await of_user(tenant, user)) {
        for (const Source& source : item.sources)
            if (!source.task.empty() && source.by == user) erasure.tasks.insert(source.task);
        const bool is_own = (!user.empty() && item.scope.user == user) ||
                            std::ranges::all_of(item.sources, [&](const Source& one) { return one.by == user; });
        (is_own ? own : shared).push_back(std::move(item));
    }
    erasure.items = co_await forget(std::move(own));
    for (Item& item : shared) {
        const RoomPtr room = co_await rooms_.open(item.scope);
        const auto lock = co_await room->turn.lock();
        const auto there = room->shelf.find(item.id);
        if (!there) continue;
        Item changed = *there;
        std::erase_if(changed.sources, [&](const Source& one) { return one.by == user; });
        Writing writing;
        writing.put(changed, rooms_.now());
        co_await rooms_.write(std::move(writing));
        const Vector vector = room->shelf.vector_of(changed.id);
        room->shelf.put(std::move(changed), vector);
    }
    co_return erasure;
}

Async<> Memory::drop(std::vector<Scope> scopes)
{
    auto all = co_await items(std::move(scopes));
    co_await forget(std::move(all));
}

}  // namespace cadre::memory
