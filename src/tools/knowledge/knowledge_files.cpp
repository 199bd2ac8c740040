#include "tools/knowledge/knowledge_files.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "tools/builtin/beneath.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <optional>
#include <unistd.h>

namespace cadre::tools {
namespace {

namespace fs = std::filesystem;

struct Extension {
    std::string_view name;
    KnowledgeKind kind;
};
constexpr Extension kExtensions[] = {
    {"md", KnowledgeKind::markdown}, {"markdown", KnowledgeKind::markdown}, {"txt", KnowledgeKind::text},
    {"text", KnowledgeKind::text},   {"rst", KnowledgeKind::text},          {"log", KnowledgeKind::text},
    {"csv", KnowledgeKind::text},    {"tsv", KnowledgeKind::text},          {"adoc", KnowledgeKind::text},
    {"html", KnowledgeKind::html},   {"htm", KnowledgeKind::html},          {"pdf", KnowledgeKind::pdf}};

std::optional<KnowledgeKind> kind_of(std::string_view name)
{
    const std::size_t dot = name.rfind('.');
    if (dot == name.npos || dot == 0) return std::nullopt;
    const auto found = std::ranges::find(kExtensions, lower(name.substr(dot + 1)), &Extension::name);
    return found == std::end(kExtensions) ? std::nullopt : std::optional(found->kind);
}

Descriptor open_root(const fs::path& root)
{
    Descriptor folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder)
        throw Error(Code::unavailable, fmt::format("{} cannot be opened: {}", root.string(), system_says(errno)));
    return folder;
}

/// `docs/` and `./docs` are `docs`.
std::string plain_path(const std::string& path)
{
    std::string plain = fs::path(path).lexically_normal().string();
    while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
    return plain.empty() ? "." : plain;
}

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

/// Walks through folders; each is opened beneath the root, so that no link leads anywhere else.
class KnowledgeWalk {
public:
    KnowledgeWalk(const fs::path& root, bool can_read_pdf, const KnowledgeLimits& limits)
        : root_(open_root(root)), can_read_pdf_(can_read_pdf), limits_(limits)
    {}

    void take(const std::string& path)
    {
        const Descriptor opened = open_beneath(root_.number(), path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        if (!opened) {
            result_.left_out.push_back(fmt::format("{} cannot be read: {}", path, system_says(errno)));
            return;
        }
        struct stat status{};
        if (::fstat(opened.number(), &status) != 0) return;
        if (S_ISDIR(status.st_mode)) return take_folder(path);
        if (!S_ISREG(status.st_mode)) return;
        if (const auto kind = kind_of(path)) take_file(path, *kind, status);
        else result_.left_out.push_back(fmt::format("{} is no Markdown, text, HTML or PDF", path));
    }

    KnowledgeFiles end()
    {
        std::ranges::sort(result_.files, {}, &KnowledgeFile::path);
        const auto same = std::ranges::unique(result_.files, {}, &KnowledgeFile::path);
        result_.files.erase(same.begin(), same.end());
        const auto tell = [&](std::size_t count, std::string_view why) {
            if (count > 0) result_.left_out.push_back(fmt::format("{} {}", plural(count, "file"), why));
        };
        tell(others_, "of other kinds: Markdown, text, HTML and PDF are read");
        tell(links_, "behind links, which are not followed");
        tell(pdfs_, "not read: PDF needs pdftotext (Debian: poppler-utils) and the sandbox");
        tell(large_, fmt::format("larger than {} MiB", limits_.file_bytes >> 20));
        tell(beyond_, fmt::format("beyond the first {} files or {} MiB", limits_.files, limits_.bytes >> 20));
        if (entries_ >= limits_.entries)
            result_.left_out.push_back(fmt::format("what is behind the first {} files and folders", limits_.entries));
        return std::move(result_);
    }

private:
    void take_folder(const std::string& first)
    {
        std::vector<std::string> open{first};
        while (!open.empty() && entries_ < limits_.entries) {
            const std::string folder = std::move(open.back());
            open.pop_back();
            Descriptor opened = open_beneath(root_.number(), folder, O_RDONLY | O_DIRECTORY);
            if (!opened) continue;
            const int number = opened.release();
            const std::unique_ptr<DIR, CloseFolder> reading(::fdopendir(number));  // which closes it
            if (!reading) {
                ::close(number);
                continue;
            }
            std::vector<std::string> names;
            while (const dirent* entry = ::readdir(reading.get())) {
                const std::string name = entry->d_name;
                if (name.starts_with('.') || name == "node_modules") continue;
                if (entries_++ >= limits_.entries) break;
                names.push_back(name);
            }
            std::ranges::sort(names);
            std::vector<std::string> folders;
            for (const std::string& name : names) {
                const std::string path = folder == "." ? name : fmt::format("{}/{}", folder, name);
                struct stat status{};
                if (::fstatat(number, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
                if (S_ISLNK(status.st_mode)) ++links_;
                else if (S_ISDIR(status.st_mode)) folders.push_back(path);
                else if (const auto kind = S_ISREG(status.st_mode) ? kind_of(name) : std::nullopt)
                    take_file(path, *kind, status);
                else ++others_;
            }
            open.insert(open.end(), folders.rbegin(), folders.rend());
        }
    }

    void take_file(const std::string& path, KnowledgeKind kind, const struct stat& status)
    {
        const auto size = static_cast<std::uint64_t>(status.st_size);
        if (kind == KnowledgeKind::pdf && !can_read_pdf_) ++pdfs_;
        else if (size > limits_.file_bytes) ++large_;
        else if (result_.files.size() >= limits_.files || bytes_ + size > limits_.bytes) ++beyond_;
        else {
            bytes_ += size;
            result_.files.push_back(
                {path, kind, size, std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec});
        }
    }

    Descriptor root_;
    bool can_read_pdf_;
    const KnowledgeLimits& limits_;
    KnowledgeFiles result_{};
    std::uint64_t bytes_ = 0;
    std::size_t entries_ = 0, others_ = 0, links_ = 0, pdfs_ = 0, large_ = 0, beyond_ = 0;
};

}  // namespace

std::string knowledge_fault(const fs::path& root, const std::string& path)
{
    if (path.empty()) return "is empty; name a folder or a file of the project";
    if (path.find('\0') != std::string::npos) return "is not a path";
    if (fs::path(path).is_absolute())
        return "is an absolute path, and knowledge lies inside of its project; copy it there";
    const Descriptor folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return "cannot be looked for: the project's folder is gone";
    const Descriptor opened = open_beneath(folder.number(), plain_path(path), O_PATH);
    if (!opened) {
        if (errno == ENOENT || errno == ENOTDIR) return "does not exist in the project";
        if (errno == EXDEV) return "leads out of the project, and knowledge lies inside of it; copy it there";
        if (errno == ELOOP) return "is or leads through a link, which is not followed; put the files themselves there";
        return "cannot be read: " + system_says(errno);
    }
    struct stat status{};
    if (::fstat(opened.number(), &status) != 0) return "cannot be read: " + system_says(errno);
    if (S_ISDIR(status.st_mode)) return "";
    if (!S_ISREG(status.st_mode)) return "is neither a file nor a folder";
    return kind_of(path) ? "" : "is no Markdown, text, HTML or PDF file";
}

KnowledgeFiles find_knowledge(const fs::path& root, const std::vector<std::string>& paths, bool can_read_pdf,
                              const KnowledgeLimits& limits)
{
    KnowledgeWalk walk(root, can_read_pdf, limits);
    for (const std::string& path : paths) walk.take(plain_path(path));
    return walk.end();
}

std::string read_knowledge(const fs::path& root, const KnowledgeFile& file, const KnowledgeLimits& limits)
{
    const Descriptor folder = open_root(root);
    const Descriptor opened = open_beneath(folder.number(), file.path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!opened) raise_at(file.path, errno);
    if (!S_ISREG(status_of(opened.number(), file.path).st_mode)) raise_at(file.path, ENXIO);
    std::string text;
    while (text.size() < limits.file_bytes) {  // it may grow meanwhile
        const std::size_t before = text.size();
        text.resize(before + std::min<std::uint64_t>(64 << 10, limits.file_bytes - before));
        const ssize_t size = ::read(opened.number(), text.data() + before, text.size() - before);
        text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) raise_at(file.path, errno);
        if (size == 0) break;
    }
    return text;
}

}  // namespace cadre::tools
