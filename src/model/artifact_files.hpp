// Names in the folder of a task's artifacts that are ours: copies of versions, and what is known of the files.
#pragma once

#include <string_view>

namespace cadre::model {

/// In each folder that has artifacts: `.versions/main.py/1`, and one entry for each file.
inline constexpr std::string_view kVersionsFolder = ".versions";
inline constexpr std::string_view kMetadataFile = ".metadata.json";

/// Whether a folder or file of that name, wherever it lies among the artifacts, is written by nobody but us.
constexpr bool is_ours(std::string_view name)
{
    return name == kVersionsFolder || name == kMetadataFile;
}

/// The same of anything in it.
constexpr bool lies_in_ours(std::string_view path)
{
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('/'));
        if (is_ours(name)) return true;
        path.remove_prefix(name.size() == path.size() ? path.size() : name.size() + 1);
    }
    return false;
}

/// What a file there is called before it is complete.
inline constexpr std::string_view kDraftStart = ".cadre-", kDraftEnd = ".draft";

constexpr bool is_draft(std::string_view name)
{
    return name.starts_with(kDraftStart) && name.ends_with(kDraftEnd);
}

}  // namespace cadre::model
