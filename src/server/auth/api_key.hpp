// API keys: `ck_ID_SECRET`. The id finds the key among those that are stored, of which only a hash of the secret is.
#pragma once

#include "base/secret.hpp"
#include "base/sha256.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cadre {
class Random;
}

namespace cadre::server {

struct ApiKey {
    std::string id{};  // 12 letters and digits; may be shown
    Secret secret{};   // 32 letters and digits: 190 bits

    /// What its owner is given, once.
    Secret text() const;
    /// What is stored. The secret is random and long, so a plain hash is as good as a slow one.
    Hash hash() const;
};

ApiKey new_api_key(Random& random);
/// An id that follows from `seed`.
std::string key_id_from(const Hash& seed);
/// Nothing when the text is not a key at all: maybe it is a token.
std::optional<ApiKey> find_api_key(std::string_view text);
/// Takes the same time whatever differs.
bool matches(const ApiKey& given, const Hash& stored);

}  // namespace cadre::server
