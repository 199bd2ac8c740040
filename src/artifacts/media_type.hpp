// What a file is, by the end of its name; nothing is guessed from what it holds.
#pragma once

#include <string>
#include <string_view>

namespace cadre::artifacts {

/// `text/x-python`; `application/octet-stream` for a name that says nothing.
std::string_view media_type_of(std::string_view path);

/// `code`, `documents`, `media` or `data`: the folder for files of that name or, where it is said, type.
std::string_view folder_for(std::string_view path, std::string_view media_type = {});

/// Whether a page may show it, in a frame that can do nothing. Pictures that are programs (SVG) and pages are not among them.
bool can_preview(std::string_view media_type);

/// Whether lines mean something in it.
bool is_text(std::string_view media_type);

/// `text/plain`; nothing that could begin another header.
bool is_media_type(std::string_view text);

}  // namespace cadre::artifacts
