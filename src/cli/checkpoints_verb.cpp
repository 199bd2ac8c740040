#include "cli/checkpoints_verb.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/task_text.hpp"
#include "cli/verb.hpp"
#include "engine/projections/chronicle.hpp"
#include "engine/queries.hpp"
#include "model/node_result.hpp"
#include "model/read.hpp"
#include "model/team.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace cadre::cli {
namespace {

using engine::Chronicle;

/// The checkpoints of a task, and the fields of the state that the node of each has set.
struct Listing {
    Chronicle chronicle{};
    std::vector<std::vector<std::string>> changed{};
};

std::vector<std::string> changed_by(const storage::Record& record)
{
    std::vector<std::string> names;
    if (record.kind != storage::RecordKind::node_done) return names;
    const auto result =
        model::from_text<model::NodeResult>(record.body, {.ignore_unknown = true, .limits = model::kTeamLimits});
    for (const auto& member : result.work.update) {
        const auto* metadata = member.key() == "metadata" ? member.value().if_object() : nullptr;
        if (metadata)
            for (const auto& field : *metadata) names.emplace_back(field.key());
        else if (member.key() != "current_agent" && member.key() != "messages") names.emplace_back(member.key());
    }
    std::ranges::sort(names);
    return names;
}

std::string status_of(const model::Checkpoint& checkpoint, const Chronicle::Place& place)
{
    if (checkpoint.awaiting_human) return checkpoint.resumed_at ? "answered" : "waits for a person";
    return place.path == checkpoint.position ? "done" : "stopped";
}

std::string page_of(const Listing& listing, const std::string& id, Time now)
{
    const Chronicle& chronicle = listing.chronicle;
    const auto& all = chronicle.checkpoints();
    if (all.empty()) return fmt::format("task {} has no checkpoints: no node is done, and it did not stop\n", id);
    std::size_t widest = 4;
    for (const model::Checkpoint& one : all) widest = std::max(widest, columns(printable(one.position)));
    widest = std::min<std::size_t>(widest, 28);
    std::string text =
        fmt::format("  N  {}  {}  {}  CHANGED\n", padded("NODE", widest), padded("TIME", 8), padded("STATUS", 18));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Chronicle::Place& place = chronicle.places()[i];
        std::string line =
            fmt::format("{:>3}  {}  {}  {}  {}", all[i].seq, padded(one_line(all[i].position, widest, true), widest),
                        padded(local_time(all[i].created_at, now), 8), padded(status_of(all[i], place), 18),
                        fmt::join(listing.changed[i], ", "));
        line.erase(line.find_last_not_of(' ') + 1);
        text += printable(line) + "\n";
    }
    return text;
}

std::string json_of(const Listing& listing, const std::string& id)
{
    const Chronicle& chronicle = listing.chronicle;
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("task", id).key("checkpoints").begin_array();
    for (std::size_t i = 0; i < chronicle.checkpoints().size(); ++i) {
        const model::Checkpoint& one = chronicle.checkpoints()[i];
        json.begin_object().field("sequence", std::int64_t{one.seq}).field("checkpoint_id", one.id);
        json.field("position", one.position).field("created_at", to_iso(one.created_at));
        json.field("awaiting_human", one.awaiting_human).field("status", status_of(one, chronicle.places()[i]));
        json.key("changed").begin_array();
        for (const std::string& field : listing.changed[i]) json.value(field);
        json.end_array().key("state").raw(model::to_json_text(one.state)).end_object();
    }
    json.end_array().end_object();
    return text + "\n";
}

Async<std::string> list(ReadOnlyHome& onlooker, std::string prefix, bool json)
{
    const Id task = co_await onlooker.queries().resolve(onlooker.who(), std::move(prefix));
    Listing listing;
    const auto records = co_await onlooker.queries().records(onlooker.who(), task);
    for (const storage::Record& record : records) listing.chronicle.apply(record);
    for (const std::uint32_t seq : listing.chronicle.checkpoint_records())
        listing.changed.push_back(changed_by(records.at(seq - 1)));
    const std::string page =
        json ? json_of(listing, to_string(task)) : page_of(listing, short_id(task), system_clock().now());
    co_return page;
}

int checkpoints(const Args& args, Output& output)
{
    ReadOnlyHome onlooker;
    output.print(onlooker.run(list(onlooker, args["task"], output.json)));
    return 0;
}

}  // namespace

std::vector<Verb> checkpoint_verbs()
{
    return {{
        .name = "checkpoints",
        .summary = "List the checkpoints of a task: where it can be forked",
        .arguments = {{.name = "task", .help = "Its id, or the first letters of it"}},
        .text = "A workflow has one after each of its nodes, and every task has one wherever it stopped or asked a "
                "person. "
                "CHANGED are the fields of the state that the node has set. The same, with all messages, is in "
                "tasks/ID/checkpoint_NNN.json of the home.",
        .examples = {{"cadre checkpoints 3f2a4b1c", "What can be forked"},
                     {"cadre fork 3f2a4b1c --checkpoint 2 --state routing_key=legal", "From there on, another way"}},
        .run = checkpoints,
    }};
}

}  // namespace cadre::cli
