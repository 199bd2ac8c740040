// Where a fork begins, in records.
#include "base/error.hpp"
#include "engine/fork.hpp"
#include "engine/projections/chronicle.hpp"

#include <algorithm>

namespace cadre::engine {

using storage::Record;

namespace {

/// In the order of their files: checkpoint_000.json is the first.
std::vector<std::uint32_t> checkpoints_in(const std::vector<Record>& records)
{
    Chronicle chronicle;
    for (const Record& record : records) chronicle.apply(record);
    return chronicle.checkpoint_records();
}

}  // namespace

std::uint32_t record_at(const std::vector<Record>& records, const ForkPoint& point)
{
    const auto none = [&](std::string_view what, std::size_t most) {
        return Error(Code::not_found, "there is no " + std::string(what) + " " + std::to_string(point.number) +
                                          "; the last is " + std::to_string(most));
    };
    const Record& last = records.back();
    switch (point.by) {
    case ForkPoint::By::record: {
        if (point.number > last.seq) throw none("record", last.seq);
        return point.number;
    }
    case ForkPoint::By::event: {
        if (point.number > last.event_seq) throw none("event", last.event_seq);
        const auto holds = [&](const Record& record) { return record.event_seq >= point.number; };
        const std::uint32_t events = std::ranges::find_if(records, holds)->event_seq;
        std::uint32_t seq = 0;  // records that nobody sees belong to the event before them
        for (const Record& record : records)
            if (record.event_seq <= events) seq = record.seq;
        return seq;
    }
    case ForkPoint::By::checkpoint: {
        const auto all = checkpoints_in(records);
        if (all.empty())
            throw Error(Code::not_found, "the task has no checkpoints: it was never paused and asked nothing");
        if (point.number >= all.size()) throw none("checkpoint", all.size() - 1);
        return all[point.number];
    }
    }
    return 0;
}

std::string node_at(const std::vector<Record>& records, std::uint32_t number)
{
    Chronicle chronicle;
    for (const Record& record : records) chronicle.apply(record);
    const model::Checkpoint& point = chronicle.checkpoints().at(number);
    const std::string& position = point.position;
    if (position.find('/') != position.npos)
        throw Error(Code::invalid, "checkpoint " + std::to_string(number) + " lies inside of node " +
                                       in_quotes(position.substr(0, position.find('/'))) +
                                       "; change the state at a checkpoint of a node of the workflow itself");
    if (point
            .awaiting_human)  // a change behind the node would come after the answer, and nobody would have agreed to it
        throw Error(Code::invalid, "at checkpoint " + std::to_string(number) + " a person is asked at node " +
                                       in_quotes(position) +
                                       ", who would not see the change; change the state at a checkpoint before it, or "
                                       "fork there without a change and answer with another state");
    return position;
}

}  // namespace cadre::engine
