// The old functions of OpenSSL, and not EVP, which allocates, wipes and counts references for every hash: records are
// hashed so often that it shows.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha256.hpp"

#include "base/hex.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace cadre {

namespace {

/// Both digits of each byte: every effect's intent has some.
constexpr auto kHexPairs = [] {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<std::array<char, 2>, 256> digits{};
    for (std::size_t byte = 0; byte < digits.size(); ++byte) digits[byte] = {kDigits[byte >> 4], kDigits[byte & 0xF]};
    return digits;
}();

}  // namespace

Sha256::Sha256()
{
    static_assert(sizeof state_ == sizeof(SHA256_CTX) && alignof(SHA256_CTX) <= alignof(Sha256));
    SHA256_Init(reinterpret_cast<SHA256_CTX*>(state_.data()));
}

Sha256& Sha256::add(std::string_view text)
{
    SHA256_Update(reinterpret_cast<SHA256_CTX*>(state_.data()), text.data(), text.size());
    return *this;
}

Hash Sha256::finish()
{
    Hash hash;
    SHA256_Final(hash.data(), reinterpret_cast<SHA256_CTX*>(state_.data()));
    return hash;
}

Hash sha256(std::string_view text)
{
    return Sha256().add(text).finish();
}

void append_hex(std::string& out, std::span<const std::uint8_t> bytes)
{
    const std::size_t start = out.size();
    out.resize(start + 2 * bytes.size());
    char* place = out.data() + start;
    for (const std::uint8_t byte : bytes) {
        std::memcpy(place, kHexPairs[byte].data(), 2);
        place += 2;
    }
}

std::string to_hex(const Hash& hash)
{
    std::string text;
    append_hex(text, hash);
    return text;
}

std::optional<Hash> find_hash(std::string_view text)
{
    Hash hash;
    return read_hex(text, hash) ? std::optional(hash) : std::nullopt;
}

Digest digest_of(std::string_view text)
{
    const Hash hash = sha256(text);
    Digest digest;
    std::copy_n(hash.begin(), digest.bytes.size(), digest.bytes.begin());
    return digest;
}

std::string to_hex(const Digest& digest)
{
    std::string text;
    append_hex(text, digest.bytes);
    return text;
}

std::optional<Digest> find_digest(std::string_view text)
{
    Digest digest;
    return read_hex(text, digest.bytes) ? std::optional(digest) : std::nullopt;
}

}  // namespace cadre
