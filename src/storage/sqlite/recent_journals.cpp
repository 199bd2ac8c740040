#include "storage/sqlite/recent_journals.hpp"

#include <algorithm>
#include <utility>

namespace cadre::storage {
namespace {

std::size_t bytes_in(const std::vector<Record>& records)
{
    std::size_t bytes = 0;
    for (const Record& record : records) bytes += sizeof(Record) + record.path.size() + record.body.size();
    return bytes;
}

std::vector<Record> slice(const std::vector<Record>& records, std::uint32_t from, std::size_t limit)
{
    const auto first = std::ranges::lower_bound(records, from, {}, &Record::seq);
    const auto count = std::min<std::size_t>(static_cast<std::size_t>(records.end() - first), limit);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

std::vector<Record> RecentJournals::read(const Id& task, std::uint32_t from, std::size_t limit, const Fetch& fetch)
{
    const Records known = find(task);
    if (!known) {
        auto records = fetch(from, limit);
        if (from <= 1 && records.size() < limit) keep(task, records);
        return records;
    }
    if (from > known->back().seq) return fetch(from, limit);
    // The hash of a record covers all before it: while the last one is the same, so are the others.
    const auto since = fetch(known->back().seq, SIZE_MAX);
    if (since.empty() || since.front().hash != known->back().hash) {
        forget(task);
        return fetch(from, limit);
    }
    if (since.size() == 1) return slice(*known, from, limit);
    std::vector<Record> all = *known;
    all.insert(all.end(), since.begin() + 1, since.end());
    auto wanted = slice(all, from, limit);
    keep(task, std::move(all));
    return wanted;
}

RecentJournals::Records RecentJournals::find(const Id& task)
{
    const std::lock_guard lock(mutex_);
    const auto place = std::ranges::find(kept_, task, [](const auto& one) { return one.first; });
    if (place == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, place);
    return place->second;
}

void RecentJournals::keep(const Id& task, std::vector<Record> records)
{
    forget(task);
    if (records.empty() || bytes_in(records) > kLargest) return;
    const std::lock_guard lock(mutex_);
    kept_.emplace_front(task, std::make_shared<const std::vector<Record>>(std::move(records)));
    if (kept_.size() > kMost) kept_.pop_back();
}

void RecentJournals::forget(const Id& task)
{
    const std::lock_guard lock(mutex_);
    kept_.remove_if([&](const auto& one) { return one.first == task; });
}

}  // namespace cadre::storage
