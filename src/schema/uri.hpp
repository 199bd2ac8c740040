// URI references (RFC 3986) and JSON pointers (RFC 6901), as far as `$id` and `$ref` need them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::schema {

/// `reference` as seen from `base`, both without fragments. Without a base it stays as it is.
std::string resolve_uri(std::string_view base, std::string_view reference);

/// What is before the first '#', and what is after it with its percent escapes decoded.
std::pair<std::string, std::string> split_fragment(std::string_view reference);

/// "/a~1b/0" is "a/b", "0". `pointer` is empty or begins with '/'.
std::vector<std::string> pointer_tokens(std::string_view pointer);
/// Appends "/a~1b".
void append_token(std::string& pointer, std::string_view token);

}  // namespace cadre::schema
