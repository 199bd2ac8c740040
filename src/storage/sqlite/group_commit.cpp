#include "storage/sqlite/group_commit.hpp"

#include "base/crash_point.hpp"
#include "storage/sqlite/commit_wait.hpp"

#include <utility>

namespace cadre::storage {

std::size_t cost_of(const Append& append)
{
    return sizeof append + append.record.path.size() + append.record.body.size();
}

void GroupCommit::append(const std::shared_ptr<Backchannel>& channel, const Append& append, const Blob* blob)
{
    cost_ += cost_of(append);
    if (channel->refuses(append)) return;
    begin();
    if (const auto error = tables_.append(append.record, append.entry.get(), blob)) {
        channel->refuse(append);
        return refuse(channel, append, error);
    }
    ++records_;
    bytes_ += append.record.path.size() + (blob ? 0 : append.record.body.size());
    const std::uint32_t seq = append.record.seq;
    auto& outcomes = outcomes_for(channel);
    if (!outcomes.empty() && outcomes.back().result.slot == append.slot &&
        outcomes.back().result.generation == append.generation) {
        outcomes.back().result.seq = seq;
    } else {
        outcomes.push_back({{append.slot, append.generation, seq}, seq});
    }
}

void GroupCommit::perform(std::shared_ptr<Request> request)
{
    requests_.push_back(std::move(request));  // first: when it fails, it is told like the others
    begin();
    requests_.back()->act(tables_);
    ++records_;
}

std::size_t GroupCommit::finish()
{
    crash_point("before_commit");
    if (begun_) tables_.commit();
    begun_ = false;
    crash_point("after_commit");
    tell();
    records_ = bytes_ = 0;
    return std::exchange(cost_, 0);
}

void GroupCommit::fail(const std::exception_ptr& error)
{
    for (Report& report : reports_)
        for (Outcome& outcome : report.outcomes) {
            if (outcome.result.error) continue;  // refused by itself
            outcome.result.seq = outcome.first;
            outcome.result.error = error;
        }
    for (const auto& request : requests_) request->failure = error;
    tell();
}

void GroupCommit::refuse(const std::shared_ptr<Backchannel>& channel, const Append& append,
                         const std::exception_ptr& error)
{
    outcomes_for(channel).push_back({{append.slot, append.generation, append.record.seq, error}, append.record.seq});
}

void GroupCommit::refuse(const std::shared_ptr<Request>& request, const std::exception_ptr& error)
{
    request->failure = error;
    CommitWait::report(request);
}

void GroupCommit::begin()
{
    if (begun_) return;
    tables_.begin();
    begun_ = true;
}

/// There are as many channels as loops: a handful.
std::vector<GroupCommit::Outcome>& GroupCommit::outcomes_for(const std::shared_ptr<Backchannel>& channel)
{
    for (Report& report : reports_)
        if (report.channel == channel) return report.outcomes;
    reports_.push_back({.channel = channel});
    return reports_.back().outcomes;
}

void GroupCommit::tell()
{
    for (Report& report : std::exchange(reports_, {})) {
        std::vector<AppendResult> results;
        results.reserve(report.outcomes.size());
        for (Outcome& outcome : report.outcomes) results.push_back(std::move(outcome.result));
        Backchannel::report(report.channel, std::move(results));
    }
    for (const auto& request : std::exchange(requests_, {})) CommitWait::report(request);
}

}  // namespace cadre::storage
