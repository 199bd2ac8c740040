// Masks secrets in text on its way out: logs, errors, events, exports.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cadre {

/// What a masked secret looks like.
inline constexpr std::string_view kMasked = "[redacted]";

/// `text` with every living Secret of 6 characters or more, and everything that looks like a credential (bearer tokens,
/// vendors' key prefixes, user-info in URLs, JWTs, private keys in PEM, `api_key=…` and its like), masked. What stands
/// below a secret name in JSON is masked whole. Masks stay as they are. Linear in the text; safe from any thread.
std::string redact(std::string_view text);
/// The same; nothing when nothing in `text` is to be masked, which is soon seen.
std::optional<std::string> find_redacted(std::string_view text);

/// Whether a field of that name holds a credential: `api_key`, `Authorization`, `client-secret`, `passwords`, …
/// Names that only sound like one (`max_tokens`, `token_count`) do not.
bool is_secret_name(std::string_view field);

/// Whether `value` is a number that counts what the field is named after, and so no secret for all its name says: any
/// number of `tokens`, and one of at most four digits under `token` and under plurals.
bool is_count(std::string_view field, std::string_view value);

}  // namespace cadre
