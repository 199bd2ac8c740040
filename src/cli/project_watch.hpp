// Says when files of a project have changed.
#pragma once

#include "base/async_fwd.hpp"

#include <filesystem>

namespace cadre::net {
class Loop;
}

namespace cadre::cli {

/// Lives on its loop. Throws Error(unavailable) where the system watches nothing more.
class ProjectWatch {
public:
    ProjectWatch(net::Loop& loop, std::filesystem::path folder);
    ProjectWatch(const ProjectWatch&) = delete;
    ProjectWatch& operator=(const ProjectWatch&) = delete;
    ~ProjectWatch();

    /// Until something has changed, and then nothing for a moment: editors write in several steps.
    Async<> changed();

private:
    void watch_folders() const;
    void drain() const;

    net::Loop& loop_;
    std::filesystem::path folder_;
    int descriptor_;
};

}  // namespace cadre::cli
