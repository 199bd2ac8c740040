// A file of tests: found, read, and checked as far as that goes without running anything.
#pragma once

#include "config/contents.hpp"
#include "home/place.hpp"
#include "home/project/prepare_task.hpp"
#include "model/test_file.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::testing {

struct Suite {
    std::shared_ptr<const config::File> file{};  // for places in it
    model::TestFile tests{};

    std::filesystem::path folder() const { return file->path.parent_path(); }
    /// What the file calls itself, else its path as people are told it.
    const std::string& name() const { return tests.test ? *tests.test : file->shown; }
    config::Position place_of(std::size_t index) const;
};

/// `NAME.test.yaml` and its like below the folder, in the order of their names. Hidden folders, node_modules and links are passed
/// over. Throws Error(too_large) where there are more folders than anyone wants to wait for.
std::vector<std::filesystem::path> find_test_files(const std::filesystem::path& folder);

/// `writers.yaml` beside `writers.test.yaml`; nothing when there is none.
std::optional<std::filesystem::path> find_tested(const std::filesystem::path& tests);
/// `writers.test.yaml` beside `writers.yaml`.
std::filesystem::path tests_beside(const std::filesystem::path& tested);

/// What is wrong with the file goes to `findings`, each with its place: fields, scripts, patterns, and, if the rest is in order and
/// `begins`, whether its cases could begin. Nothing: it could not be read at all.
std::optional<Suite> read_suite(const home::Place& here, const std::filesystem::path& file, config::Findings& findings,
                                bool begins = true);

/// Where a case runs: as `here`, but in a home of its own and whatever model the environment names.
home::Place place_in(const home::Place& here, const std::filesystem::path& home);

/// The case as `cadre run` would be asked for it; `model`: what plays it, nothing where it is as configured. Throws what is wrong.
home::PreparedTask prepare_case(const Suite& suite, const model::TestCase& test, const home::Place& place,
                                std::optional<std::string> model);

}  // namespace cadre::testing
