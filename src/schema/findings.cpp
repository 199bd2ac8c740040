// How a walk notes what it finds.
#include "schema/evaluation.hpp"
#include "schema/messages.hpp"
#include "schema/uri.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::schema {

namespace {

constexpr std::size_t kFindingSteps = 2'000;  // what a message with a suggestion may cost
constexpr std::size_t kPathBytesAStep = 4;    // of paths: bounds what all findings of a walk can occupy

/// How far a value is from a branch: a wrong type is far, a wrong tag (`const`, `enum`) less so, the rest is near.
std::size_t distance(const Findings& findings, const std::string& here)
{
    std::size_t sum = 0;
    for (const Finding& finding : findings) {
        const bool is_tag = finding.schema_path.ends_with("/const") || finding.schema_path.ends_with("/enum");
        const bool is_type = finding.value_path == here && finding.schema_path.ends_with("/type");
        sum += is_type ? 10'000 : is_tag ? 100 : 1;
    }
    return sum;
}

}  // namespace

std::string to_pointer(const Path& path)
{
    std::vector<const Path*> way;
    for (const Path* at = &path; at->outer; at = at->outer) way.push_back(at);
    std::string pointer;
    for (auto at = way.rbegin(); at != way.rend(); ++at)
        append_token(pointer, (*at)->in_array ? std::to_string((*at)->index) : (*at)->key);
    return pointer;
}

void Evaluation::add_finding(const Node& node, std::string_view keyword, const Path& path, std::string message)
{
    budget_.spend(kFindingSteps);
    Finding finding{to_pointer(path), program_.places.path(node.place), std::move(message)};
    if (!keyword.empty()) append_token(finding.schema_path, keyword);
    budget_.spend((finding.value_path.size() + finding.schema_path.size()) / kPathBytesAStep);
    if (std::ranges::find(*findings_, finding) == findings_->end()) findings_->push_back(std::move(finding));
}

void Evaluation::add_nearest(const Node& node, std::string_view keyword, const json::value& value, const Path& path,
                             const std::vector<NodeId>& branches, std::vector<Findings>& found)
{
    Types types = 0;
    bool wrong_types_only = true;
    for (const NodeId branch : branches) {
        types |= program_.nodes[branch].types;
        if (program_.nodes[branch].types & types_of(value)) wrong_types_only = false;
    }
    if (wrong_types_only) return add_finding(node, keyword, path, wrong_type(types, value));

    const std::string here = to_pointer(path);
    const auto nearest = std::ranges::min_element(found, {}, [&](const Findings& f) { return distance(f, here); });
    if (branches.size() > 1)
        add_finding(node, keyword, path,
                    fmt::format("must match {} of {} schemas in {}; number {} is the nearest",
                                keyword == "oneOf" ? "one" : "at least one", branches.size(), keyword,
                                nearest - found.begin()));
    for (Finding& finding : *nearest)
        if (listens()) findings_->push_back(std::move(finding));
}

}  // namespace cadre::schema
