#include "server/auth/api_key.hpp"

#include "base/ascii.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <openssl/crypto.h>

namespace cadre::server {
namespace {

constexpr std::string_view kPrefix = "ck_";
constexpr std::size_t kIdLength = 12;
constexpr std::size_t kSecretLength = 32;
constexpr std::string_view kAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

std::string random_word(Random& random, std::size_t length)
{
    std::string word;
    while (word.size() < length) word += kAlphabet[random.below(kAlphabet.size())];
    return word;
}

}  // namespace

Secret ApiKey::text() const
{
    return Secret(std::string(kPrefix) + id + "_" + std::string(secret.reveal()));
}

Hash ApiKey::hash() const
{
    return sha256(secret.reveal());
}

ApiKey new_api_key(Random& random)
{
    return {.id = random_word(random, kIdLength), .secret = Secret(random_word(random, kSecretLength))};
}

std::string key_id_from(const Hash& seed)
{
    std::string id;
    for (std::size_t i = 0; i < kIdLength; ++i) id += kAlphabet[seed[i] % kAlphabet.size()];
    return id;
}

std::optional<ApiKey> find_api_key(std::string_view text)
{
    if (!text.starts_with(kPrefix)) return std::nullopt;
    text.remove_prefix(kPrefix.size());
    if (text.size() != kIdLength + 1 + kSecretLength || text[kIdLength] != '_') return std::nullopt;
    const std::string_view id = text.substr(0, kIdLength), secret = text.substr(kIdLength + 1);
    const auto is_known = [](char c) { return is_letter(c) || is_digit(c); };
    if (!std::ranges::all_of(id, is_known) || !std::ranges::all_of(secret, is_known)) return std::nullopt;
    return ApiKey{.id = std::string(id), .secret = Secret(std::string(secret))};
}

bool matches(const ApiKey& given, const Hash& stored)
{
    const Hash hash = given.hash();
    return ::CRYPTO_memcmp(hash.data(), stored.data(), stored.size()) == 0;
}

}  // namespace cadre::server
