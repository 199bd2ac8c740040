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

/// `api_key=…`, `"api_key": "…"`, `Authorization: …`, `--api-key …`; a part of find_credential.
Credential find_secret_pair(std::string_view written, std::string_view rest);

bool is_word_character(char c);  // of names and keys: letters, digits, `_`, `-`

}  // namespace cadre
