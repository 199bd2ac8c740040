#include "home/project/workflow_input.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "model/graph.hpp"
#include "model/team.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::home {
namespace {

bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct ReadInput {
    std::vector<std::string> names{};
    bool whole = false;  // some text takes all of it, so any name may be meant
};

/// What follows `task.input` wherever templates and expressions have it: a name, or anything else.
void add_reads(std::string_view text, ReadInput& reads)
{
    constexpr std::string_view kInput = "task.input";
    for (std::size_t at = text.find(kInput); at != text.npos; at = text.find(kInput, at)) {
        at += kInput.size();
        std::size_t end = at + 1;
        while (end < text.size() && is_of_name(text[end])) ++end;
        if (at < text.size() && is_of_name(text[at])) continue;  // task.inputs is another name
        if (at < text.size() && text[at] == '.' && end > at + 1)
            reads.names.emplace_back(text.substr(at + 1, end - at - 1));
        else reads.whole = true;
    }
}

ReadInput reads_of(const model::WorkflowSetup& workflow, const model::Team& team)
{
    ReadInput reads;
    const auto add_state = [&](const model::Graph& graph) {
        for (const auto& [name, field] : graph.state) reads.names.push_back(name);
    };
    add_state(workflow.graph);
    for (const auto& [name, graph] : workflow.nested) add_state(graph);
    add_reads(model::to_json_text(workflow), reads);
    add_reads(model::to_json_text(team), reads);
    std::ranges::sort(reads.names);
    reads.names.erase(std::unique(reads.names.begin(), reads.names.end()), reads.names.end());
    return reads;
}

}  // namespace

void expect_input(const boost::json::object& input, const model::WorkflowSetup& workflow, const model::Team& team)
{
    if (input.empty()) return;
    const ReadInput reads = reads_of(workflow, team);
    if (reads.whole) return;
    for (const auto& member : input) {
        const std::string name(member.key());
        if (std::ranges::find(reads.names, name) != reads.names.end()) continue;
        std::string fix = "; it has no fields and no text that reads task.input";
        if (const auto near = nearest(name, reads.names)) fix = fmt::format("; did you mean {}?", *near);
        else if (!reads.names.empty()) fix = fmt::format("; there are: {}", fmt::join(reads.names, ", "));
        throw Error(Code::invalid, fmt::format("--input {}: nothing in the workflow {} reads it{}", in_quotes(name),
                                               workflow.graph.name, fix));
    }
}

}  // namespace cadre::home
