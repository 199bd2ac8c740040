// References between files: names that nobody has, names that two have, files that are not there.
#pragma once

#include "config/contents.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace cadre::config {

/// `built_in_tools` are tools that need no definition.
void check_references(const Contents& contents, std::span<const std::string> built_in_tools,
                      const Environment& environment, Findings& findings);

/// Files that the configuration names: prompt templates and programs of custom tools, beside the file or in `project`.
void check_named_files(const Contents& contents, const std::filesystem::path& project, Findings& findings);

/// Names and aliases that clash (C-10), and files that are not called what they hold.
void check_clashes(const Contents& contents, Findings& findings);

/// Says which edge of the graph closes a cycle, and the whole way round. False when there is none.
bool report_cycle(const model::Graph& graph, const Document& document, Findings& findings);

/// Nodes that are never reached.
void check_workflows(const Contents& contents, Findings& findings);

/// Schemas of tools that are none.
void check_tool_schemas(const Contents& contents, Findings& findings);

/// Cycles among tools that stand in for each other.
void check_fallbacks(const Contents& contents, Findings& findings);

}  // namespace cadre::config
