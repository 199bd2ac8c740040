#include "cli/input_history.hpp"

#include "storage/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace cadre;
using namespace cadre::cli;

namespace fs = std::filesystem;

TEST_CASE("inputs are kept, bounded, and nobody else may read them")
{
    storage::TemporaryFolder home;
    CHECK(read_inputs(home.path()).empty());
    add_input(home.path(), "one");
    add_input(home.path(), "two\nlines \"quoted\"");
    add_input(home.path(), "two\nlines \"quoted\"");
    CHECK(read_inputs(home.path()) == std::vector<std::string>{"one", "two\nlines \"quoted\""});
    const auto file = fs::directory_iterator(home.path())->path();
    CHECK((fs::status(file).permissions() & fs::perms::mask) == (fs::perms::owner_read | fs::perms::owner_write));

    for (std::size_t i = 0; i < kMaxInputs; ++i) add_input(home.path(), std::to_string(i));
    CHECK(read_inputs(home.path()).size() == kMaxInputs);
    CHECK(read_inputs(home.path()).front() == "0");
    add_input(home.path(), std::string(kMaxInputBytes / 2, 'x'));
    add_input(home.path(), std::string(kMaxInputBytes / 2 - 100, 'y'));
    CHECK(read_inputs(home.path()).back().front() == 'y');
    CHECK(fs::file_size(file) <= kMaxInputBytes);

    std::ofstream(file) << "no JSON\n";
    CHECK(read_inputs(home.path()).empty());
    add_input(home.path(), "again");
    CHECK(read_inputs(home.path()) == std::vector<std::string>{"again"});
}
