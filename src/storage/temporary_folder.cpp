#include "storage/temporary_folder.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace cadre::storage {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::string_view prefix)
{
    std::string name = fs::temp_directory_path() / fmt::format("{}-XXXXXX", prefix);
    if (!::mkdtemp(name.data()))
        throw Error(Code::unavailable, "cannot make " + name + ": " + std::generic_category().message(errno));
    path_ = name;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code error;
    if (!kept_) fs::remove_all(path_, error);
}

}  // namespace cadre::storage
