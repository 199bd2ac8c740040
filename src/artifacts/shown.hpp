// What people see beside the files of a task: copies of their versions, and what is known of them.
#pragma once

#include "artifacts/artifact.hpp"
#include "model/part.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace cadre::artifacts {

class Contents;
class Workspace;

/// The version as documents tell it.
model::Artifact to_artifact(const Version& version);

/// `code/.versions/main.py/1`: of files that have had other content, so that nothing lies there twice for no use. What cannot be written
/// because a tool has put something else there is left out.
void show_versions(Workspace& files, const Contents& contents, const std::map<std::string, History>& histories,
                   std::size_t most);

/// `code/.metadata.json`
void show_metadata(Workspace& files, const std::map<std::string, History>& histories);

}  // namespace cadre::artifacts
