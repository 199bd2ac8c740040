#include "home/fork_files.hpp"

#include "engine/body.hpp"
#include "engine/effect_body.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace cadre::home {

namespace fs = std::filesystem;
using storage::Record;
using storage::RecordKind;

namespace {

std::set<std::string> files_written(std::span<const Record> records)
{
    std::set<std::string> files;
    for (const Record& record : records) {
        if (record.kind != RecordKind::outcome || engine::effect_of(record) != engine::EffectKind::use) continue;
        const auto outcome = engine::body_of<engine::OutcomeBody>(record);
        if (outcome.cancelled || outcome.error.is_set()) continue;
        for (const std::string& path : engine::own_of<engine::UseOutcome>(outcome, record).artifacts.get())
            files.insert(fs::path(path).lexically_normal().string());
    }
    return files;
}

bool is_below(const fs::path& path, const fs::path& folder)
{
    const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return in_folder == folder.end();
}

}  // namespace

std::set<std::string> files_behind(std::span<const Record> source, std::span<const Record> fork)
{
    const std::set<std::string> before = files_written(fork), all = files_written(source);
    std::set<std::string> behind;
    std::ranges::set_difference(all, before, std::inserter(behind, behind.end()));
    return behind;
}

void remove_below(const fs::path& folder, const std::set<std::string>& files)
{
    std::error_code error;
    const fs::path whole = fs::canonical(folder, error);
    if (error) return;
    for (const std::string& file : files) {
        const fs::path path = whole / file;
        const fs::path parent = fs::canonical(path.parent_path(), error);
        if (error || !is_below(parent, whole)) continue;
        fs::remove(parent / path.filename(), error);
    }
}

}  // namespace cadre::home
