#include "cli/new_files.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <ranges>
#include <sys/stat.h>
#include <system_error>

namespace cadre::cli {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kNotWritableByOthers = 022;

unsigned current_umask()
{
    const ::mode_t mask = ::umask(077);
    ::umask(mask);
    return mask;
}

const unsigned kUmaskOfThePerson = current_umask();  // asked for before main(), which narrows it

}  // namespace

SharedFiles::SharedFiles() : before_(::umask(kUmaskOfThePerson | kNotWritableByOthers))
{}

SharedFiles::~SharedFiles()
{
    ::umask(before_);
}

NewFiles::~NewFiles()
{
    std::error_code ignored;  // a folder into which somebody else put something stays
    for (const Made& made : made_ | std::views::reverse)
        if (made.whole) fs::remove_all(made.path, ignored);
        else fs::remove(made.path, ignored);
}

void NewFiles::folder(const fs::path& path)
{
    std::error_code error;
    if (path.empty() || fs::is_directory(path, error)) return;
    folder(path.parent_path());
    if (fs::create_directory(path, error)) made_.push_back({path});
    if (error)
        throw Error(Code::unavailable, fmt::format("cannot make the folder {}: {}", path.string(), error.message()));
}

void NewFiles::whole_folder(const fs::path& path)
{
    const std::size_t before = made_.size();
    folder(path);
    if (made_.size() > before) made_.back().whole = true;
}

void NewFiles::file(const fs::path& path, std::string_view text)
{
    const auto fail = [&](int error) {
        const bool there = error == EEXIST;
        throw Error(there ? Code::conflict : Code::unavailable,
                    there ? fmt::format("{} is already there", path.string())
                          : fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(error)));
    };
    std::FILE* file = std::fopen(path.c_str(), "wx");  // x: never over one that appeared a moment ago
    if (!file) fail(errno);
    made_.push_back({path});
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    int error = written ? 0 : errno;
    if (std::fclose(file) != 0 && error == 0) error = errno;
    if (error != 0) fail(error);
}

}  // namespace cadre::cli
