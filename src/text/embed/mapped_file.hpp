// A file as memory, read when it is looked at.
#pragma once

#include <filesystem>
#include <string_view>

namespace cadre::text::embed {

class MappedFile {
public:
    /// Throws Error(not_found) or Error(unavailable) that names the file.
    explicit MappedFile(const std::filesystem::path& path);
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&&) = delete;
    ~MappedFile();

    std::string_view bytes() const { return bytes_; }

private:
    std::string_view bytes_{};
};

}  // namespace cadre::text::embed
