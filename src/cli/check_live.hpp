// What only trying tells of a project: whether its MCP servers start, its teams' tools are there, its models' endpoints answer.
#pragma once

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "cli/output.hpp"
#include "model/graph.hpp"
#include "model/team.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::home {
class Project;
}

namespace cadre::cli {

struct Tried {
    std::string what{};     // "server files"
    std::string outcome{};  // "14 tools", or what is wrong
    bool works = false;
};

/// A team, an agent by itself, or the agents of a workflow, as they would run.
struct TeamToTry {
    model::Team team{};
    bool is_agent = false;
    std::optional<model::WorkflowSetup> workflow{};  // which it belongs to
};

/// A project whose files have been found to be in order.
struct ProjectToTry {
    std::filesystem::path folder{};
    std::shared_ptr<const home::Project> project{};
    std::vector<TeamToTry> teams{};
    bool lacks_model = false;  // which was told
};

/// Starts the servers and ends them again. Blocks.
std::vector<Tried> try_project(const ProjectToTry& project);

/// The text of an error or a finding, and what to type about it.
std::string with_hint(std::string text, const Hint& hint);

std::string page_of(const std::vector<Tried>& tried, const Output& output);
void write(JsonWriter& json, const std::vector<Tried>& tried);

}  // namespace cadre::cli
