// One commit for many: what is queued is put into one transaction, and those who wait are told once, when it is on disk.
#pragma once

#include "storage/port.hpp"
#include "storage/sqlite/tables.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace cadre::storage {

/// Of one commit, so that nobody waits long for the others.
inline constexpr std::size_t kCommitRecords = 8192;
inline constexpr std::size_t kCommitBytes = 4 << 20;

/// What a coroutine wants done in a transaction. Its loop and the writer share it; either may let go of it first.
struct Request {
    std::function<void(Tables&)> act{};
    std::exception_ptr failure{};
    Loop* loop = nullptr;
    class CommitWait* waiting = nullptr;  // the loop's alone
};

/// How much memory an append holds while it waits.
std::size_t cost_of(const Append& append);

/// Used by one thread.
class GroupCommit {
public:
    explicit GroupCommit(Tables& tables) : tables_(tables) {}

    /// Into the transaction, which begins with the first of these.
    void append(const std::shared_ptr<Backchannel>& channel, const Append& append, const Blob* blob);
    void perform(std::shared_ptr<Request> request);

    bool full() const { return records_ >= kCommitRecords || bytes_ >= kCommitBytes; }

    /// Commits, then tells everybody. Returns the cost of what was settled. When it throws, nobody has been told.
    std::size_t finish();
    /// Tells everybody that nothing was written; also those whom this commit has not reached.
    void fail(const std::exception_ptr& error);
    void refuse(const std::shared_ptr<Backchannel>& channel, const Append& append, const std::exception_ptr& error);
    static void refuse(const std::shared_ptr<Request>& request, const std::exception_ptr& error);

private:
    /// What one receipt will hear.
    struct Outcome {
        AppendResult result{};
        std::uint32_t first = 0;  // where to begin, should it come to nothing
    };
    struct Report {
        std::shared_ptr<Backchannel> channel{};
        std::vector<Outcome> outcomes{};
    };

    void begin();
    std::vector<Outcome>& outcomes_for(const std::shared_ptr<Backchannel>& channel);
    void tell();

    Tables& tables_;
    bool begun_ = false;
    std::size_t records_ = 0;
    std::size_t bytes_ = 0;
    std::size_t cost_ = 0;
    std::vector<Report> reports_;
    std::vector<std::shared_ptr<Request>> requests_;
};

}  // namespace cadre::storage
