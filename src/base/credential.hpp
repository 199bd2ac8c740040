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

/// Whether prose, such as a prompt, shows a key itself: what begins like a vendor's, or is long and no word. What only tells
/// of keys is none: `{"token": "string"}`, `never print password=…`.
bool shows_key(std::string_view prose);

// Parts of it:

/// `api_key=…`, `"api_key": "…"`, `Authorization: …`, `--api-key …`, `<password>…</password>`
Credential find_secret_pair(std::string_view written, std::string_view rest);
/// `://user:password@` and `https://token@`
Credential find_user_info(std::string_view written, std::string_view rest);

}  // namespace cadre
