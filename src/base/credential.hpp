// What credentials look like in text: the rules of redact(). Each looks at one place and costs no more than it finds.
#pragma once

#include <cstddef>
#include <string_view>

namespace cadre {

/// A credential at the start of a text: after `keep` characters come `mask` that must not be shown. No `mask`, no find.
struct Credential {
    std::size_t keep = 0;
    std::size_t mask = 0;
    std::string_view quote = {};  // to put around the mask, where the rest would not be JSON any more
};

/// The credential, if any, that `rest` starts with; `written` is the text before it.
Credential find_credential(std::string_view written, std::string_view rest);

/// Whether find_credential() finds one anywhere in `text`. It is asked only where one can begin, so this is much cheaper than
/// asking it everywhere.
bool holds_credential(std::string_view text);
/// What can be a key without a name beside it has at least so many letters, digits, `_`, `-` and dots.
inline constexpr std::size_t kShortestKey = 11;

/// Whether prose, such as a prompt, shows a key itself: what begins like a vendor's, or is long and no word. What only tells
/// of keys is none: `{"token": "string"}`, `never print password=…`.
bool shows_key(std::string_view prose);

// Parts of it:

/// False: none of the vendors whose keys we know begins them like this.
bool may_begin_vendor_key(char first, char second);

/// False: no name that ends like this means a secret. Much cheaper than is_secret_name().
bool ends_like_secret_name(std::string_view name);

/// `api_key=…`, `"api_key": "…"`, `Authorization: …`, `--api-key …`, `<password>…</password>`
Credential find_secret_pair(std::string_view written, std::string_view rest);
/// `://user:password@` and `https://token@`
Credential find_user_info(std::string_view written, std::string_view rest);

}  // namespace cadre
