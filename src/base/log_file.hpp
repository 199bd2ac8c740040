// The log as a file that does not grow for ever, and as several places at once.
#pragma once

#include "base/log.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

namespace cadre {

struct LogFileOptions {
    std::size_t max_bytes = 4 * 1024 * 1024;  // of one file
    int kept = 3;                             // older ones: FILE.1 is the youngest of them
};

/// Appends to `file`, which its first line makes, for its user alone; its folder too, if the one above is there. A file that is
/// full becomes FILE.1. Several processes may write to one file. A line that cannot be written is lost, and nothing else.
std::shared_ptr<LogSink> file_sink(std::filesystem::path file, LogFileOptions options = {});

/// The files of such a log that are there, the oldest first.
std::vector<std::filesystem::path> log_files(const std::filesystem::path& file);

struct LogRoute {
    std::shared_ptr<LogSink> sink{};
    Level minimum = Level::info;
};

/// Every line goes to each sink whose level it reaches.
std::shared_ptr<LogSink> routed_sink(std::vector<LogRoute> routes);

}  // namespace cadre
