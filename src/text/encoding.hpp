// The ways of cutting text into tokens whose vocabularies are public.
#pragma once

#include <optional>
#include <string_view>

namespace cadre::text {

enum class Encoding { o200k_base, cl100k_base };

std::string_view name_of(Encoding encoding);
/// The reverse: how a provider's data names it.
std::optional<Encoding> find_encoding(std::string_view name);

}  // namespace cadre::text
