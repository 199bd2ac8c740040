// Where a link or a redirect leads, seen from the page that has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cadre::tools {

/// The URL that `reference` means on the page `base`, which is one of http or https; nothing for other schemes (`mailto:`). Whether it is
/// a good one is for net::url_from to say.
std::optional<std::string> resolve_reference(std::string_view base, std::string_view reference);

}  // namespace cadre::tools
