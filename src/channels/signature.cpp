#include "channels/signature.hpp"

#include "base/sha256.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstdint>
#include <span>

namespace cadre::channels {
namespace {

std::string hmac(const EVP_MD* hash, std::string_view key, std::string_view text)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
    unsigned int size = 0;
    ::HMAC(hash, key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
           text.size(), mac.data(), &size);
    return {reinterpret_cast<const char*>(mac.data()), size};
}

}  // namespace

std::string hmac_sha1(std::string_view key, std::string_view text)
{
    return hmac(::EVP_sha1(), key, text);
}

std::string hmac_sha256(std::string_view key, std::string_view text)
{
    return hmac(::EVP_sha256(), key, text);
}

std::string hex_of(std::string_view bytes)
{
    std::string out;
    append_hex(out, std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
    return out;
}

bool is_same(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace cadre::channels
