#include "artifacts/path.hpp"

#include "base/error.hpp"
#include "model/artifact_files.hpp"
#include "text/nfc.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::artifacts {

namespace {

constexpr std::size_t kDeepest = 32;

/// C1 among them, which terminals obey.
bool has_control(std::string_view path)
{
    for (std::size_t i = 0; i < path.size(); ++i) {
        const auto c = static_cast<unsigned char>(path[i]);
        if (c < 0x20 || c == 0x7f) return true;
        if (c == 0xC2 && i + 1 < path.size() && static_cast<unsigned char>(path[i + 1]) < 0xA0) return true;
    }
    return false;
}

struct Read {
    std::string plain{};
    std::optional<std::string> problem{};
};

Read read(std::string_view path)
{
    if (path.size() > kLongestPath) return {{}, fmt::format("has more than {} bytes", kLongestPath)};
    if (path.find('\\') != std::string_view::npos) return {{}, "has a backslash; folders are told by /"};
    if (has_control(path)) return {{}, "has a control character in it"};
    if (path.starts_with('/')) return {{}, "is absolute; give one like notes/a.txt"};
    if (path.ends_with('/')) return {{}, "is a folder"};
    const auto composed = text::nfc(path);
    if (!composed) return {{}, "is not UTF-8"};
    if (*composed != path) return {{}, "is not in Unicode's composed form (NFC), so it looks like another path"};
    Read out;
    std::size_t depth = 0;
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), name.size() + 1));
        if (name.empty() || name == ".") continue;
        if (name == "..") return {{}, "leads upwards"};
        if (model::is_ours(name) || model::is_draft(name))
            return {{}, fmt::format("has {} in it, which Cadre writes itself", in_quotes(name))};
        if (++depth > kDeepest) return {{}, fmt::format("is more than {} folders deep", kDeepest)};
        out.plain += (out.plain.empty() ? "" : "/") + std::string(name);
    }
    if (out.plain.empty()) out.problem = "names no file";
    return out;
}

}  // namespace

std::optional<std::string> problem_with(std::string_view path)
{
    return read(path).problem;
}

std::string plain_path(std::string_view path)
{
    Read out = read(path);
    if (out.problem) throw Error(Code::invalid, fmt::format("the path {} {}", in_quotes(path), *out.problem));
    return std::move(out.plain);
}

}  // namespace cadre::artifacts
