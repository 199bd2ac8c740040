// Places in lists, for clients: opaque, and good only for the list that they came from.
#pragma once

#include "storage/store.hpp"

#include <string>
#include <string_view>

namespace cadre::server {

inline constexpr std::size_t kMostOfPage = 200;

/// Any place in a list. `secret` is the server's, so that only what it gave comes back; `list` is what the list was narrowed by.
std::string sealed_place(std::string place, std::string_view list, std::string_view secret);
/// The place. Throws Refusal(400, bad_cursor).
std::string_view place_in(std::string_view cursor, std::string_view list, std::string_view secret);

/// A place in a list of tasks.
std::string cursor_text(const storage::TaskCursor& cursor, std::string_view list, std::string_view secret);
/// Throws Refusal(400, bad_cursor).
storage::TaskCursor cursor_from(std::string_view text, std::string_view list, std::string_view secret);

}  // namespace cadre::server
