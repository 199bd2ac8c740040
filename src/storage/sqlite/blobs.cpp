#include "storage/sqlite/blobs.hpp"

#include "base/error.hpp"
#include "storage/files.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace cadre::storage {

std::filesystem::path BlobFolder::file_of(const Hash& hash) const
{
    const std::string name = to_hex(hash);
    return folder_ / name.substr(0, 2) / name;
}

Blob BlobFolder::write(const std::string& body) const
{
    const Blob blob{.hash = sha256(body), .size = body.size()};
    const auto file = file_of(blob.hash);
    make_private_folder(file.parent_path());
    // also when there is one already: it may be damaged, or its folder not be synced yet
    write_private_file(file, body);
    return blob;
}

std::string BlobFolder::read(const Blob& blob) const
{
    const auto file = file_of(blob.hash);
    auto body = find_file(file);
    if (!body) throw Error(Code::unavailable, file.string() + " is missing. Restore it from a backup");
    if (body->size() != blob.size || sha256(*body) != blob.hash)
        throw Error(Code::unavailable,
                    fmt::format("{} is damaged: its content does not have the hash that is its name. "
                                "Restore it from a backup",
                                file.string()));
    return std::move(*body);
}

void BlobFolder::remove(const Hash& hash) const
{
    const auto file = file_of(hash);
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) throw_errno("remove", file);
}

}  // namespace cadre::storage
