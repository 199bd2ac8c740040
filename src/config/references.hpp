// References between files: names that nobody has, names that two have, files that are not there.
#pragma once

#include "config/contents.hpp"

namespace cadre::config {

/// Everything below but clashes and providers: all that can be said of a file in the light of others.
void check_meaning(const Contents& contents, const Environment& environment, Findings& findings);

void check_references(const Contents& contents, const Environment& environment, Findings& findings);

/// The team that the project, or the variable CADRE_TEAM, names: there must be a file for it.
void check_team_setting(const Contents& contents, const std::vector<std::string>& teams, const Environment& environment,
                        Findings& findings);

/// Providers of models that nobody knows: neither Cadre nor a file of providers, and without a base_url.
void check_provider_references(const Contents& contents, const Environment& environment, Findings& findings);
/// The same, and `known` are those of files of providers.
void check_provider_references(const Contents& contents, const std::vector<std::string>& known,
                               const Environment& environment, Findings& findings);

/// Files that the configuration names: prompt templates and programs of custom tools, beside the file or in its project, and
/// never outside of it.
void check_named_files(const Contents& contents, Findings& findings);

/// Names and aliases that clash (C-10), and files that are not called what they hold.
void check_clashes(const Contents& contents, Findings& findings);

/// Says which edges of the graph close cycles, and the whole way round: one for each knot of nodes that all lead to each other.
void report_cycles(const model::Graph& graph, const Document& document, Findings& findings);

/// What must fit together inside of each workflow: see model::check_workflow(). Nodes that are never reached, ways that are there twice,
/// routing keys that are nearly an answer of a person.
void check_workflows(const Contents& contents, Findings& findings);

/// Templates and expressions of workflows that cannot be read, or name what is not there.
void check_workflow_texts(const Contents& contents, Findings& findings);

/// Workflows that run themselves.
void check_nesting(const Contents& contents, Findings& findings);

/// The workflows that a node runs, each with the path to where the workflow says so.
std::vector<std::pair<const std::string*, PathSteps>> nested_in(const std::string& name, const model::NodeDef& node);

/// Schemas of tools and of states that are none.
void check_schemas(const Contents& contents, Findings& findings);

/// Patterns of guardrails that are none.
void check_patterns(const Contents& contents, Findings& findings);

/// Rules about calls that can mean nothing.
void check_permission_rules(const Contents& contents, Findings& findings);

/// Settings that nothing heeds yet: a warning, or an error where it would be dangerous to run without them.
void check_effects(const Contents& contents, Findings& findings);

/// Conditions of handoffs and breakpoints, and criteria that are expressions: whether they are any, and what they speak of.
void check_expressions(const Contents& contents, Findings& findings);

/// Cycles among tools that stand in for each other.
void check_fallbacks(const Contents& contents, Findings& findings);

}  // namespace cadre::config
