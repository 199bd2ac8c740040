// check: everything that is wrong with a project's configuration, found by reading files and nothing else.
#pragma once

#include "config/finding.hpp"
#include "config/variables.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace cadre::config {

struct CheckOptions {
    std::vector<std::filesystem::path> paths{};  // files and folders; none: the project
    std::filesystem::path current{};             // where relative paths start, and what shown ones are relative to
    Environment environment{};
    std::vector<std::string> environment_names{};  // of all variables that are set, be it to nothing
};

/// A team, an agent or a workflow, which can be run, or a file of tests.
struct RunnableFile {
    std::filesystem::path path{}, project{};
    std::string shown{};
};

struct CheckResult {
    Findings findings;
    std::vector<std::string> files;      // that were looked at, as shown
    std::vector<RunnableFile> runnable;  // of these
    std::vector<RunnableFile> guardrails;
    std::vector<RunnableFile> tests;    // likewise
    std::vector<std::string> projects;  // that were found below the folders
};

/// A folder stands for every configuration file in it, and for the projects below it too; files in it that were probably meant to
/// be read get a warning. A file, or a folder inside of a project, is checked against the rest of its project, whose own problems
/// are not reported then.
CheckResult check(const CheckOptions& options);

}  // namespace cadre::config
