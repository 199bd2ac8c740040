#include "cli/write_file.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace cadre::cli {

void make_folder(const std::filesystem::path& folder)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        throw Error(Code::unavailable, fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
}

void write_file(const std::filesystem::path& file, std::string_view text)
{
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    const int opening = errno;
    if (!stream)
        throw Error(Code::unavailable,
                    fmt::format("cannot write {}: {}", file.string(), std::generic_category().message(opening)));
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    if (!stream) throw Error(Code::unavailable, fmt::format("cannot write {}", file.string()));
}

}  // namespace cadre::cli
