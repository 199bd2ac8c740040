// cadre schema: JSON Schemas of everything that Cadre reads and writes, for editors and other programs.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::cli {

class Args;
struct Output;

/// Names that `cadre schema` knows, sorted.
std::vector<std::string> schema_names();

/// Writes NAME.schema.json for each entity into the folder, which is made. Returns the names of the files.
std::vector<std::string> write_schemas(std::span<const model::Entity* const> entities,
                                       const std::filesystem::path& folder);

int schema(const Args& args, Output& output);

}  // namespace cadre::cli
