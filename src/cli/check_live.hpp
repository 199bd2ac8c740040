// What only trying tells of a project: whether its MCP servers start, its teams' tools are there, its models' endpoints answer.
#pragma once

#include "base/json_writer.hpp"
#include "cli/output.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace cadre::cli {

struct Tried {
    std::string what{};     // "server files"
    std::string outcome{};  // "14 tools", or what is wrong
    bool works = false;
};

/// Starts the servers and ends them again. Its files, and these others, have been found to be in order. Blocks.
std::vector<Tried> try_project(const std::filesystem::path& project, const std::vector<std::filesystem::path>& others);

std::string page_of(const std::vector<Tried>& tried, const Output& output);
void write(JsonWriter& json, const std::vector<Tried>& tried);

}  // namespace cadre::cli
