// Names of agents, and the ids by which A2A and imports know them (C-10).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cadre::model {

class Path;
class Problems;

/// `light_agent` is `light-agent` for A2A.
std::string alias_of(std::string_view name);
/// And back.
std::string name_of_alias(std::string_view alias);

/// A name for a thing that came with a free one: `Senior Research Analyst` is `senior_research_analyst`. Always a valid
/// name, whatever came in.
std::string slugified(std::string_view display_name);

/// What a part of a run may be called, be it a node of a workflow, a collaboration pattern or an item of a plan: it is a part of paths.
inline constexpr std::size_t kLongestNodeName = 64;
bool is_node_name(std::string_view name);

struct NamedAlias {
    std::string_view name;
    std::string_view alias;  // empty: the name's own
};

/// Reports names and aliases that two things of the list at `path` share.
void check_names(std::span<const NamedAlias> all, const Path& path, Problems& problems);

}  // namespace cadre::model
