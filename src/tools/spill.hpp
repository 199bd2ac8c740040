// Answers that are more than a model should read at once: it gets the beginning, and files with all of it.
#pragma once

#include "base/async_fwd.hpp"
#include "model/tool.hpp"
#include "tools/tool.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace cadre::tools {

/// The tool that pages through files.
inline constexpr std::string_view kReadFile = "read_file";

/// Bytes of an answer that the model gets: `max_output` of the tool's config, or 64 KiB.
std::size_t most_shown(const model::Tool& tool);

/// `outputs/{call}.txt`: where all of what that call answered is kept. Ids of calls come from models.
std::string output_file(std::string_view call);

/// Writes the text to output_file() in the workspace and leaves its beginning, with a note where the rest is. What cannot be
/// written is cut, and the note says so.
Async<Result> spill(Result result, std::string call, const model::Tool& tool, bool can_page,
                    std::filesystem::path workspace, Pool& pool);

/// Writes what is seen or heard to `outputs/{call}-{n}.png` and so on, and says so in the text. What is left in `media` are images that
/// a model can be shown.
Async<Result> keep_media(Result result, std::string call, std::filesystem::path workspace, Pool& pool);

}  // namespace cadre::tools
