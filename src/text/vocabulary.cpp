#include "text/vocabulary.hpp"

#include "base/error.hpp"
#include "text/embedded.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace cadre::text {
namespace {

constexpr std::string_view kMagic = "CADRETOK";
constexpr unsigned kTokenBits =
    18;  // the largest vocabulary has 199,998; the bits above tell most others apart without looking
constexpr std::uint32_t kTokenMask = (1U << kTokenBits) - 1;

[[noreturn]] void refuse(Encoding encoding, std::string_view why)
{
    throw Error(Code::malformed, fmt::format("the vocabulary {} cannot be read: {}", name_of(encoding), why));
}

template <class Word>
std::uint64_t load(const char* at)
{
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    return hash ^ (hash >> 29);
}

std::uint64_t hash_of(std::string_view bytes)
{
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t hash = left * 0xD6E8FEB86659FD93U;
    for (; left > 8; left -= 8, at += 8) hash = mixed(hash, load<std::uint64_t>(at));
    if (left == 8) return mixed(hash, load<std::uint64_t>(at));
    if (left >= 4) return mixed(hash, load<std::uint32_t>(at) | load<std::uint32_t>(at + left - 4) << 32);
    const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
    return mixed(hash, left == 0 ? 0 : byte(0) | byte(left / 2) << 8 | byte(left - 1) << 16);
}

/// The bits of the hash that stand in a slot; the lowest say which slot.
std::uint32_t print_of(std::uint64_t hash)
{
    return static_cast<std::uint32_t>(hash >> 32) & ~kTokenMask;
}

}  // namespace

Vocabulary::Vocabulary(Encoding encoding, std::string_view prepared) : encoding_(encoding)
{
    constexpr std::size_t kHead = kMagic.size() + 4;
    if (!prepared.starts_with(kMagic) || prepared.size() < kHead) refuse(encoding, "it does not begin as one");
    std::size_t count = 0;
    for (std::size_t i = 4; i-- > 0;) count = count << 8 | static_cast<unsigned char>(prepared[kMagic.size() + i]);
    if (count >= kTokenMask) refuse(encoding, "it has too many tokens");
    if (prepared.size() < kHead + count) refuse(encoding, "it is cut short");
    const std::string_view lengths = prepared.substr(kHead, count);
    all_ = prepared.substr(kHead + count);

    ends_.reserve(count);
    std::uint32_t end = 0;
    for (const char c : lengths) {
        const auto length = static_cast<unsigned char>(c);
        if (length == 0) refuse(encoding, "it has an empty token");
        longest_ = std::max<std::size_t>(longest_, length);
        ends_.push_back(end += length);
    }
    if (end != all_.size()) refuse(encoding, "its size is wrong");

    bytes_.fill(kTokenMask);
    slots_.resize(std::bit_ceil(count * 2 + 1));
    for (Token token = 0; token < count; ++token) add(token);
    if (std::ranges::find(bytes_, kTokenMask) != bytes_.end()) refuse(encoding, "a byte has no token");
}

void Vocabulary::add(Token token)
{
    const std::string_view bytes = bytes_of(token);
    const std::uint64_t hash = hash_of(bytes);
    const std::uint32_t wanted = print_of(hash) | (token + 1);
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
        if ((slots_[slot] ^ wanted) <= kTokenMask && bytes_of((slots_[slot] & kTokenMask) - 1) == bytes)
            refuse(encoding_, "it has a token twice");
    slots_[slot] = wanted;
    if (bytes.size() == 1) bytes_[static_cast<unsigned char>(bytes[0])] = token;
}

std::optional<Token> Vocabulary::find(std::string_view bytes) const
{
    if (bytes.size() > longest_) return std::nullopt;
    const std::uint64_t hash = hash_of(bytes);
    const std::uint32_t print = print_of(hash);
    for (std::size_t slot = hash & (slots_.size() - 1); slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
        if ((slots_[slot] ^ print) > kTokenMask) continue;
        const Token token = (slots_[slot] & kTokenMask) - 1;
        if (bytes_of(token) == bytes) return token;
    }
    return std::nullopt;
}

std::string_view Vocabulary::bytes_of(Token token) const
{
    const std::size_t begin = token == 0 ? 0 : ends_[token - 1];
    return all_.substr(begin, ends_[token] - begin);
}

std::string_view Vocabulary::text_of(Token token) const
{
    if (token >= size())
        throw Error(Code::invalid,
                    fmt::format("{} has no token {}; its last is {}", name_of(encoding_), token, size() - 1));
    return bytes_of(token);
}

bool has_vocabulary(Encoding encoding)
{
    return !embedded(encoding).empty();
}

const Vocabulary* find_vocabulary(Encoding encoding)
{
    if (!has_vocabulary(encoding)) return nullptr;
    if (encoding == Encoding::o200k_base) {
        static const Vocabulary vocabulary(encoding, embedded(encoding));
        return &vocabulary;
    }
    static const Vocabulary vocabulary(encoding, embedded(encoding));
    return &vocabulary;
}

}  // namespace cadre::text
