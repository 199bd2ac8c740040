// SHA-256: digests of requests, the journal's hash chain, names of blobs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cadre {

using Hash = std::array<std::uint8_t, 32>;

/// From any thread.
Hash sha256(std::string_view text);

/// The same of what is added piece by piece.
class Sha256 {
public:
    Sha256();
    Sha256& add(std::string_view text);
    /// The end: nothing can be added after it.
    Hash finish();

private:
    std::array<std::uint32_t, 28> state_;  // OpenSSL's SHA256_CTX, whose header stays out of ours
};

/// Two hex digits a byte, lower case.
void append_hex(std::string& out, std::span<const std::uint8_t> bytes);
std::string to_hex(const Hash& hash);
/// The reverse; nothing for anything but 64 hex digits of either case.
std::optional<Hash> find_hash(std::string_view text);

/// What a request was, in 128 bits: the front half of a SHA-256. All zero means "none".
struct Digest {
    std::array<std::uint8_t, 16> bytes{};

    auto operator<=>(const Digest&) const = default;
    explicit operator bool() const { return *this != Digest{}; }
};

Digest digest_of(std::string_view text);
std::string to_hex(const Digest& digest);
std::optional<Digest> find_digest(std::string_view text);

}  // namespace cadre
