// The files of a knowledge folder: what may be read of them, and nothing that lies elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cadre::tools {

/// What is beyond these is left out, and told.
struct KnowledgeLimits {
    std::size_t files = 5000;
    std::uint64_t file_bytes = 16 << 20;
    std::uint64_t bytes = 64 << 20;  // of all
    std::size_t passages = 50'000;
    std::size_t entries = 50'000;  // files and folders that are looked at
};

enum class KnowledgeKind : std::uint8_t { text, markdown, html, pdf };

struct KnowledgeFile {
    std::string path{};  // from the project's folder
    KnowledgeKind kind = KnowledgeKind::text;
    std::uint64_t size = 0;
    std::int64_t changed = 0;  // nanoseconds

    bool operator==(const KnowledgeFile&) const = default;
};

struct KnowledgeFiles {
    std::vector<KnowledgeFile> files{};   // by path
    std::vector<std::string> left_out{};  // what was not taken, and why: a line each
};

/// Why a path cannot be knowledge of the project in `root`; empty: it can. It is a file or folder inside, and no link leads to it.
std::string knowledge_fault(const std::filesystem::path& root, const std::string& path);

/// All files of these paths that can be read as text. Hidden ones, node_modules and links are passed over. `can_read_pdf`: else these are left out.
KnowledgeFiles find_knowledge(const std::filesystem::path& root, const std::vector<std::string>& paths,
                              bool can_read_pdf, const KnowledgeLimits& limits = {});

/// The bytes of a file that was found, as far as the limit goes. Throws Error when it is no file any more, or a link leads there.
std::string read_knowledge(const std::filesystem::path& root, const KnowledgeFile& file,
                           const KnowledgeLimits& limits = {});

}  // namespace cadre::tools
