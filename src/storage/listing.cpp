#include "storage/listing.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace cadre::storage {

namespace {

auto list_place(const TaskEntry& entry)
{
    return std::pair(entry.created_at, entry.task);
}

auto turn_place(const TaskEntry& entry)
{
    return std::tuple(entry.turn, entry.created_at, entry.task);
}

bool is_wanted(const TaskEntry& entry, const TaskQuery& query)
{
    const auto fits = [](const std::string& wanted, const std::string& value) {
        return wanted.empty() || wanted == value;
    };
    return fits(query.tenant, entry.tenant) && (!query.open_only || entry.open) &&
           (query.statuses.empty() || std::ranges::find(query.statuses, entry.status) != query.statuses.end()) &&
           fits(query.session, entry.session) && fits(query.parent, entry.parent) &&
           fits(query.created_by, entry.created_by) &&
           (query.id_prefix.empty() || to_string(entry.task).starts_with(query.id_prefix)) &&
           (!query.before || list_place(entry) < std::pair(query.before->created_at, query.before->task));
}

}  // namespace

std::vector<TaskEntry> listed(std::vector<TaskEntry> entries, const TaskQuery& query)
{
    std::erase_if(entries, [&](const TaskEntry& entry) { return !is_wanted(entry, query); });
    std::ranges::sort(entries, std::greater{}, list_place);
    if (entries.size() > query.limit) entries.resize(query.limit);
    return entries;
}

std::vector<SessionSummary> sessions_among(std::vector<TaskEntry> entries, const SessionQuery& query)
{
    std::ranges::sort(entries, {}, turn_place);
    std::map<std::pair<std::string, std::string>, SessionSummary> found;
    for (TaskEntry& entry : entries) {
        if (entry.session.empty() || (!query.tenant.empty() && entry.tenant != query.tenant)) continue;
        if ((!query.id.empty() && entry.session != query.id) || !entry.session.starts_with(query.id_prefix)) continue;
        const auto [place, is_new] = found.try_emplace(std::pair(entry.tenant, entry.session));
        SessionSummary& session = place->second;
        if (is_new) {
            session.id = entry.session;
            session.created_at = entry.created_at;
            session.created_by = entry.created_by;
        }
        ++session.turns;
        session.created_at = std::min(session.created_at, entry.created_at);
        session.last = std::move(entry);
    }
    std::vector<SessionSummary> sessions;
    for (auto& [key, session] : found) sessions.push_back(std::move(session));
    std::ranges::sort(sessions, std::greater{},
                      [](const SessionSummary& one) { return std::tie(one.last.updated_at, one.id, one.last.tenant); });
    return sessions;
}

}  // namespace cadre::storage
