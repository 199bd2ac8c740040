// RecentJournals: the journals that were read last. Whoever resumes, watches and shows a task reads its journal several times within
// moments; only what has come since is asked of the database again.
#pragma once

#include "storage/record.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace cadre::storage {

/// Safe from any thread.
class RecentJournals {
public:
    /// Records of the task from `from` on, at most `limit`, from the database.
    using Fetch = std::function<std::vector<Record>(std::uint32_t from, std::size_t limit)>;

    static constexpr std::size_t kMost = 4;              // journals
    static constexpr std::size_t kLargest = 256 * 1024;  // bytes of one; larger ones are not kept

    /// What `fetch` would give.
    std::vector<Record> read(const Id& task, std::uint32_t from, std::size_t limit, const Fetch& fetch);

private:
    using Records = std::shared_ptr<const std::vector<Record>>;

    Records find(const Id& task);
    void keep(const Id& task, std::vector<Record> records);
    void forget(const Id& task);

    std::mutex mutex_;
    std::list<std::pair<Id, Records>> kept_;  // the last used one first
};

}  // namespace cadre::storage
