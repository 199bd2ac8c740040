#include "storage/sqlite/group_commit.hpp"

#include "base/crash_point.hpp"
#include "storage/sqlite/commit_wait.hpp"

#include <utility>

namespace cadre::storage {

std::size_t cost_of(const Append& append)
{
    return sizeof append + append.record.path.size() + append.record.body.size();
}

void GroupCommit::append(const std::shared_ptr<Line>& line, const Append& append, const Blob* blob)
{
    cost_ += cost_of(append);
    if (line->refuses(append)) return;
    begin();
    if (const auto error = tables_.append(append.record, append.entry.get(), blob)) {
        line->refuse(append);
        return refuse(line, append, error);
    }
    ++records_;
    bytes_ += append.record.path.size() + (blob ? 0 : append.record.body.size());
    const std::uint32_t seq = append.record.seq;
    auto& results = results_for(line);
    if (!results.empty() && results.back().news.slot == append.slot &&
        results.back().news.generation == append.generation) {
        results.back().news.seq = seq;
    } else {
        results.push_back({{append.slot, append.generation, seq}, seq});
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
        for (Result& result : report.results) {
            if (result.news.error) continue;  // refused by itself
            result.news.seq = result.first;
            result.news.error = error;
        }
    for (const auto& request : requests_) request->failure = error;
    tell();
}

void GroupCommit::refuse(const std::shared_ptr<Line>& line, const Append& append, const std::exception_ptr& error)
{
    results_for(line).push_back({{append.slot, append.generation, append.record.seq, error}, append.record.seq});
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

/// There are as many lines as loops: a handful.
std::vector<GroupCommit::Result>& GroupCommit::results_for(const std::shared_ptr<Line>& line)
{
    for (Report& report : reports_)
        if (report.line == line) return report.results;
    reports_.push_back({.line = line});
    return reports_.back().results;
}

void GroupCommit::tell()
{
    for (Report& report : std::exchange(reports_, {})) {
        std::vector<News> news;
        news.reserve(report.results.size());
        for (Result& result : report.results) news.push_back(std::move(result.news));
        Line::report(report.line, std::move(news));
    }
    for (const auto& request : std::exchange(requests_, {})) CommitWait::report(request);
}

}  // namespace cadre::storage
