#include "text/embed/mapped_file.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::text::embed {
namespace {

[[noreturn]] void fail_to_map(const std::filesystem::path& path, int number)
{
    throw Error(number == ENOENT ? Code::not_found : Code::unavailable,
                "cannot read " + path.string() + ": " + std::generic_category().message(number));
}

struct Descriptor {
    int number;
    ~Descriptor()
    {
        if (number >= 0) ::close(number);
    }
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path)
{
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat status{};
    if (file.number < 0 || ::fstat(file.number, &status) != 0) fail_to_map(path, errno);
    if (!S_ISREG(status.st_mode)) fail_to_map(path, EISDIR);
    if (status.st_size == 0) return;
    const auto size = static_cast<std::size_t>(status.st_size);
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (memory == MAP_FAILED) fail_to_map(path, errno);
    bytes_ = {static_cast<const char*>(memory), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {}))
{}

MappedFile::~MappedFile()
{
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace cadre::text::embed
