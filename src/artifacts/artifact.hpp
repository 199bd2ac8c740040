// What rooms above hand over and get back: a file to keep, what was kept, a version of it.
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cadre::artifacts {

/// A file that somebody makes.
struct Draft {
    std::string agent{};
    std::string path{};  // below the task's artifacts; without a folder, one is chosen by type
    std::string content{};
    std::string mime_type{};  // empty: by its name
    std::string description{};
    std::vector<std::string> tags{};
    bool has_place = false;  // it stays where its path says, also without a folder
};

/// Content that will survive a crash.
struct KeptFile {
    std::string path{};  // with the folder that was chosen
    std::string sha256{};
    std::int64_t size = 0;
    std::string mime_type{};
};

/// What lies in a task's folder.
struct Found {
    std::vector<KeptFile> files{};        // by path; their content is kept
    bool is_all = false;                  // what is not among them is not there, but for `kept_out`
    std::vector<std::string> kept_out{};  // paths that are there, and are not kept
    std::vector<std::string> problems{};  // why not: sentences for the model, each told once
};

/// One version of a file, and where it came from.
struct Version {
    std::string path{};
    int version = 0;  // from 1 on, of this path
    std::string sha256{};
    std::int64_t size = 0;
    std::string mime_type{};
    std::string description{};
    std::vector<std::string> tags{};
    Time at{};
    std::string by{};       // a tool, an agent, or a person
    std::string reason{};   // `tool`, `save`, `upload`, `restore`, …
    std::uint32_t seq = 0;  // of its record
};

/// All versions of a file.
struct History {
    std::vector<Version> versions{};  // the oldest first
    bool deleted = false;             // the file is gone since the last of them
};

struct Limits {
    std::uint64_t file = 256 << 20;  // bytes
    std::uint64_t task = 1 << 30;    // bytes of all contents of a task
    std::size_t files = 10'000;      // of a task, at a time
    std::size_t versions = 1'000;    // of a file, that keep their content: the first and the latest
};

}  // namespace cadre::artifacts
