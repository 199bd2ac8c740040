// Teams that clients send: kept in the home, a folder for each tenant, as the files that they would be in a project.
#pragma once

#include <boost/json/fwd.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace cadre::server {

/// The folder around their teams/. It need not exist.
std::filesystem::path sent_teams(const std::filesystem::path& home, std::string_view tenant);

/// Throws Refusal(403, operator_only) that names every field with which a team could reach this machine: programs, files, addresses,
/// keys, variables. Those are for who can write the project's files.
void expect_harmless(const boost::json::value& team);

/// Throws BadRequest for a model that is a file of this machine, or no model at all. `field` is what the client calls it.
void expect_remote_model(const std::string& model, std::string_view field);

/// The text as a file that no task finds; returns it. Blocks.
std::filesystem::path write_draft(const std::filesystem::path& folder, std::string_view text);
/// From now on tasks find it under that name, in place of what was there. Blocks until it is on disk.
void publish_draft(const std::filesystem::path& folder, const std::string& id);

}  // namespace cadre::server
