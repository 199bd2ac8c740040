#include "config/near_misses.hpp"

#include "base/ascii.hpp"
#include "base/suggest.hpp"
#include "config/document.hpp"
#include "config/file_kind.hpp"
#include "config/project.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <system_error>

namespace cadre::config {

namespace fs = std::filesystem;

namespace {

/// Not limits that a project meets: they keep a wrong folder from costing minutes.
constexpr std::size_t kMaxEntries = 1'000;
constexpr int kMaxDepth = 3;

/// `MCP-Server` and `mcp_servers` are one word to people.
std::string word_of(const std::string& name)
{
    std::string word = lower(name);
    std::erase_if(word, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
    if (word.ends_with('s')) word.pop_back();
    return word;
}

std::vector<fs::path> entries_of(const fs::path& folder)
{
    std::vector<fs::path> entries;
    std::error_code error;
    fs::directory_iterator it(folder, error);
    for (const fs::directory_iterator end; !error && it != end && entries.size() < kMaxEntries; it.increment(error))
        entries.push_back(it->path());
    std::ranges::sort(entries);
    return entries;
}

bool is_folder(const fs::path& path)
{
    std::error_code error;
    return fs::is_directory(path, error);
}

/// `x.YAML` is meant to be one.
bool is_meant_as_configuration(const fs::path& file)
{
    return is_configuration(lower(file.filename().string())) && !is_folder(file);
}

/// One of our folders whose name this one nearly has.
std::optional<std::string> find_meant_folder(const std::string& name)
{
    const std::vector<std::string> ours{"teams", "agents", "workflows", "config"};
    if (std::ranges::find(ours, name) != ours.end()) return std::nullopt;
    const auto same = std::ranges::find(ours, word_of(name), word_of);
    if (same != ours.end()) return *same;
    const auto near = nearest(name, ours);  // its beginning is near too; `work` is a folder of anybody
    return near && near->size() <= name.size() + 1 ? near : std::nullopt;
}

/// What a file of a known name, nearly, should be called.
std::optional<std::string> find_meant_name(const fs::path& file, bool near)
{
    const std::vector<std::string> known = known_names();
    const std::string stem = file.stem().string();
    auto meant = std::ranges::find(known, stem);
    if (meant == known.end()) meant = std::ranges::find(known, word_of(stem), word_of);
    if (const auto found = near && meant == known.end() ? nearest(stem, known) : std::nullopt)
        meant = std::ranges::find(known, *found);
    if (meant == known.end()) return std::nullopt;
    const std::string name = *meant + lower(file.extension().string());
    return name == file.filename() ? std::nullopt : std::optional(name);
}

/// Whether it is something like a team: people keep other things in folders of their own too.
bool looks_like_ours(const fs::path& file)
{
    Findings none;
    const auto text = read_file(file, "", none);
    const auto document = text ? load(file.filename().string(), *text, none) : std::nullopt;
    if (!document) return text.has_value();  // whatever it is, it has a fault that somebody wants to know of
    const auto* object = document->value.if_object();
    return object && (object->contains("name") || kind_by_content(document->value));
}

class FolderSearch {
public:
    std::vector<NearMiss> run(const fs::path& project)
    {
        for (const fs::path& path : entries_of(project))
            if (is_folder(path)) folder(path);
            else known_file(path);
        second_project_files(project);
        for (const char* inner : {"teams", "agents", "workflows"}) things(project / inner);
        for (const char* inner : {"config", "agents/config"})
            for (const fs::path& path : entries_of(project / inner)) known_file(path, true);
        return std::move(found_);
    }

private:
    void miss(const fs::path& file, std::string text) { found_.push_back({file, "is not read, because " + text}); }

    void folder(const fs::path& path)
    {
        const auto meant = find_meant_folder(path.filename().string());
        if (!meant) return;
        std::vector<fs::path> files = entries_of(path);
        std::erase_if(files, [&](const fs::path& file) {
            return !is_meant_as_configuration(file) || (meant == "config" && !kind_by_name(file.filename()));
        });
        if (files.empty()) return;
        miss(files[0], fmt::format("it lies in {}/{}; rename the folder to {}/", path.filename().string(),
                                   files.size() > 1 ? ", and it is not alone there" : "", *meant));
    }

    /// `ours`: in a folder of ours even what is only near is meant so.
    void known_file(const fs::path& path, bool ours = false)
    {
        if (!is_meant_as_configuration(path)) return;
        if (const auto meant = find_meant_name(path, ours))
            miss(path, fmt::format("of its name; rename it to {}", *meant));
    }

    void second_project_files(const fs::path& project)
    {
        const auto chosen = find_project_file(project);
        for (const fs::path& path : entries_of(project))
            if (chosen && is_configuration(path.filename().string()) && path.stem() == "cadre" && path != *chosen)
                miss(path, fmt::format("{} is there too; keep one of them", chosen->filename().string()));
    }

    void things(const fs::path& folder)
    {
        for (const fs::path& path : entries_of(folder)) {
            const std::string name = path.filename().string();
            if (is_folder(path) && !name.starts_with('.') && path.filename() != "config") {
                if (!find_project_file(path)) nested(path, folder, 1);  // else it is a project of its own
            } else if (is_meant_as_configuration(path) && !is_configuration(name))
                miss(path, fmt::format("its name ends in {}; rename it to {}{}", path.extension().string(),
                                       path.stem().string(), lower(path.extension().string())));
        }
    }

    void nested(const fs::path& inner, const fs::path& folder, int depth)
    {
        for (const fs::path& path : entries_of(inner)) {
            if (is_folder(path) && depth < kMaxDepth) nested(path, folder, depth + 1);
            else if (is_meant_as_configuration(path) && looks_like_ours(path))
                miss(path, fmt::format("it lies deeper than {0}/; move it to {0}/{1}", folder.filename().string(),
                                       path.filename().string()));
        }
    }

    std::vector<NearMiss> found_;
};

}  // namespace

std::vector<NearMiss> near_misses(const fs::path& folder)
{
    return FolderSearch().run(folder);
}

}  // namespace cadre::config
