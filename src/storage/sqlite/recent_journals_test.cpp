#include "storage/sqlite/recent_journals.hpp"

#include "storage/journal_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::storage;

namespace {

/// A journal that counts what is read of it.
struct Disk {
    std::vector<Record> records = sample_journal(10);
    std::size_t read = 0;

    RecentJournals::Fetch fetch()
    {
        return [this](std::uint32_t from, std::size_t limit) {
            std::vector<Record> found;
            for (const Record& record : records)
                if (record.seq >= from && found.size() < limit) found.push_back(record);
            read += found.size();
            return found;
        };
    }
    const Id& task() const { return records.front().task; }
};

}  // namespace

TEST_CASE("recent journals: who reads one again reads only what has come since")
{
    Disk disk;
    RecentJournals recent;
    CHECK(recent.read(disk.task(), 1, SIZE_MAX, disk.fetch()) == disk.records);
    CHECK(disk.read == 10);
    CHECK(recent.read(disk.task(), 1, SIZE_MAX, disk.fetch()) == disk.records);
    CHECK(disk.read == 11);  // the last one says that the others are the same
    disk.records.push_back(sample_after(disk.records.back()));
    CHECK(recent.read(disk.task(), 1, SIZE_MAX, disk.fetch()) == disk.records);
    CHECK(disk.read == 13);
    CHECK(recent.read(disk.task(), 4, 3, disk.fetch()).front().seq == 4);
    CHECK(recent.read(disk.task(), 4, 3, disk.fetch()).size() == 3);
    CHECK(recent.read(disk.task(), 12, SIZE_MAX, disk.fetch()).empty());
    CHECK(disk.read == 15);
}

TEST_CASE("recent journals: one that was replaced or removed is read again")
{
    Disk disk;
    RecentJournals recent;
    const Id task = disk.task();
    recent.read(task, 1, SIZE_MAX, disk.fetch());
    disk.records = sample_journal(12, task, 2);
    CHECK(recent.read(task, 1, SIZE_MAX, disk.fetch()) == disk.records);
    disk.records.clear();
    CHECK(recent.read(task, 1, SIZE_MAX, disk.fetch()).empty());
}

TEST_CASE("recent journals: large ones, parts and the least used are not kept")
{
    RecentJournals recent;
    Disk large;
    large.records.push_back(sample_after(large.records.back(), std::string(RecentJournals::kLargest, 'x')));
    recent.read(large.task(), 1, SIZE_MAX, large.fetch());
    recent.read(large.task(), 1, SIZE_MAX, large.fetch());
    CHECK(large.read == 22);

    Disk page;
    recent.read(page.task(), 1, 5, page.fetch());
    recent.read(page.task(), 1, SIZE_MAX, page.fetch());
    CHECK(page.read == 15);

    std::vector<Disk> others(RecentJournals::kMost);
    for (Disk& other : others) recent.read(other.task(), 1, SIZE_MAX, other.fetch());
    recent.read(page.task(), 1, SIZE_MAX, page.fetch());
    CHECK(page.read == 25);
}
