// Workspace: the files of a task, for tools. Nothing leads out of it: not `..`, absolute paths, symbolic links, hard links or
// devices, whoever changes the folder at the same time.
#pragma once

#include "tools/builtin/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::tools {

/// What a file held from some byte on.
struct FilePiece {
    std::string bytes;
    std::uint64_t size = 0;  // of the whole file
};

enum class EntryKind { file, folder, link, other };

struct Entry {
    std::string path;  // from the workspace on
    EntryKind kind = EntryKind::file;
    std::uint64_t size = 0;  // of a file
};

struct Listing {
    std::vector<Entry> entries{};  // a folder, then what it holds; in the order of their names
    bool complete = true;          // false: there were more
};

/// Everything blocks, so it is for the pool, and throws Error with a sentence for the model. Paths are as names_in() wants.
class Workspace {
public:
    /// The folder need not exist: then it is empty, until something is written.
    explicit Workspace(std::filesystem::path folder);

    FilePiece read(std::string_view path, std::uint64_t offset, std::size_t limit) const;

    /// Replaces the file, or makes it and the folders above it, in one step: nobody sees half of it. What an interrupted write
    /// left behind is cleared away by the next one of the same `key`. Returns the path in its plain form.
    std::string write(std::string_view path, std::string_view content, std::string_view key);

    /// What is in the folder, links not followed; at most `most` entries.
    Listing list(std::string_view path, bool recursive, std::size_t most) const;

private:
    void open();
    void make();

    std::filesystem::path folder_;
    Descriptor root_;  // none: the folder does not exist
};

/// What a file is called before it is complete (model/artifact_files.hpp); such names are never listed.
std::string draft_name(std::string_view key, std::string_view path);

}  // namespace cadre::tools
