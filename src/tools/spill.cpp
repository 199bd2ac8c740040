#include "tools/spill.hpp"

#include "base/async.hpp"
#include "base/base64.hpp"
#include "base/pool.hpp"
#include "base/utf8.hpp"
#include "tools/builtin/workspace.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::tools {

namespace {

constexpr std::size_t kUsual = 64 << 10;
constexpr std::size_t kMost = 1 << 20;

/// Ids of calls come from models.
std::string output_name(std::string_view call)
{
    std::string name;
    for (const char c : call.substr(0, 64))
        name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'
                    ? c
                    : '_';
    return "outputs/" + (name.empty() ? "call" : name);
}

/// What a model can be shown: kinds that the vendors take.
constexpr std::string_view kShownKinds[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};
/// Of all images of one call, in base64. It is sent again with every step that follows.
constexpr std::size_t kMostShownImages = 4 << 20;
constexpr std::size_t kMostMedia = 32;

/// What a server says of it is text for a model too.
bool is_media_type(std::string_view text)
{
    return text.size() <= 64 && std::ranges::all_of(text, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                      c == '+' || c == '-' || c == '.';
           });
}

std::string_view ending_of(std::string_view kind)
{
    constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
        {"image/png", ".png"},     {"image/jpeg", ".jpg"}, {"image/gif", ".gif"},  {"image/webp", ".webp"},
        {"image/svg+xml", ".svg"}, {"audio/wav", ".wav"},  {"audio/mpeg", ".mp3"}, {"audio/ogg", ".ogg"}};
    const auto* found = std::ranges::find(kEndings, kind, &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(kEndings) ? ".bin" : found->second;
}

}  // namespace

std::size_t most_shown(const model::Tool& tool)
{
    const auto* said = tool.config.if_contains("max_output");
    if (!said || !said->is_int64()) return kUsual;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(said->get_int64(), 1, kMost));
}

std::string output_file(std::string_view call)
{
    return output_name(call) + ".txt";
}

Async<Result> spill(Result result, std::string call, const model::Tool& tool, bool can_page,
                    std::filesystem::path workspace, Pool& pool)
{
    const std::string file = output_file(call);
    std::string problem;
    try {
        co_await on(pool, [&] { Workspace(workspace).write(file, result.text, call); });
        result.artifacts.push_back(file);
    } catch (const Error& error) {
        problem = error.what();
    }
    const std::string_view shown = utf8_prefix(result.text, most_shown(tool));
    std::string note = fmt::format("\n[the first {} of {} bytes; ", shown.size(), result.text.size());
    if (!problem.empty()) note += "the rest could not be kept]";
    else if (can_page) note += fmt::format("to continue, {} {} with offset {}]", kReadFile, file, shown.size());
    else note += fmt::format("all of it is in {}]", file);
    result.text = std::string(shown) + note;
    co_return result;
}

Async<Result> keep_media(Result result, std::string call, std::filesystem::path workspace, Pool& pool)
{
    std::vector<Media> shown;
    std::size_t room = kMostShownImages;
    std::size_t number = 0;
    for (Media& one : result.media) {
        if (number == kMostMedia) {
            result.text += fmt::format("\n[and {} more, which are left out]", result.media.size() - kMostMedia);
            break;
        }
        const std::string file = fmt::format("{}-{}{}", output_name(call), ++number, ending_of(one.mime_type));
        std::string note = fmt::format("[{}: ", is_media_type(one.mime_type) ? one.mime_type : "data");
        if (const auto bytes = from_base64(one.base64)) {
            try {
                co_await on(pool, [&] { Workspace(workspace).write(file, *bytes, call); });
                result.artifacts.push_back(file);
                note += fmt::format("{} bytes, in {}]", bytes->size(), file);
            } catch (const Error& error) {
                note += fmt::format("{} bytes, which could not be kept: {}]", bytes->size(), error.what());
            }
            const bool can_show = std::ranges::find(kShownKinds, one.mime_type) != std::end(kShownKinds);
            if (can_show && one.base64.size() <= room) {
                room -= one.base64.size();
                shown.push_back(std::move(one));
            }
        } else {
            note += "left out, it is not base64]";
        }
        result.text += (result.text.empty() ? "" : "\n") + note;
    }
    result.media = std::move(shown);
    co_return result;
}

}  // namespace cadre::tools
