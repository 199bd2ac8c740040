#include "base/id.hpp"

#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"

#include <fmt/core.h>

#include <span>

namespace cadre {

namespace {

constexpr std::size_t kUuidLength = 36;
constexpr std::array<std::size_t, 5> kGroups = {4, 2, 2, 2, 6};  // bytes between the hyphens

bool read_uuid(std::string_view text, Id& id)
{
    if (text.size() != kUuidLength) return false;
    std::size_t done = 0;
    for (const std::size_t group : kGroups) {
        if (done > 0) {
            if (text[0] != '-') return false;
            text.remove_prefix(1);
        }
        if (!read_hex(text.substr(0, 2 * group), std::span(id.bytes).subspan(done, group))) return false;
        text.remove_prefix(2 * group);
        done += group;
    }
    return true;
}

bool is_v4(const Id& id)
{
    return id.bytes[6] >> 4 == 4 && id.bytes[8] >> 6 == 2;
}

}  // namespace

Id new_id(Random& random)
{
    Id id;
    random.fill(std::as_writable_bytes(std::span(id.bytes)));
    id.bytes[6] = static_cast<std::uint8_t>(0x40 | (id.bytes[6] & 0x0F));  // version 4
    id.bytes[8] = static_cast<std::uint8_t>(0x80 | (id.bytes[8] & 0x3F));  // variant of RFC 9562
    return id;
}

Id new_id()
{
    return new_id(system_random());
}

std::string to_string(const Id& id)
{
    std::string text;
    text.reserve(kUuidLength);
    std::size_t done = 0;
    for (const std::size_t group : kGroups) {
        if (done > 0) text += '-';
        append_hex(text, std::span(id.bytes).subspan(done, group));
        done += group;
    }
    return text;
}

std::string short_id(const Id& id)
{
    return to_string(id).substr(0, 8);
}

std::string to_prefixed(std::string_view prefix, const Id& id)
{
    std::string text;
    text.reserve(prefix.size() + 2 * id.bytes.size());
    text += prefix;
    append_hex(text, id.bytes);
    return text;
}

std::optional<Id> find_id(std::string_view text)
{
    Id id;
    return read_uuid(text, id) && is_v4(id) ? std::optional(id) : std::nullopt;
}

std::optional<Id> find_prefixed_id(std::string_view prefix, std::string_view text)
{
    Id id;
    const bool right = text.starts_with(prefix) && read_hex(text.substr(prefix.size()), id.bytes) && is_v4(id);
    return right ? std::optional(id) : std::nullopt;
}

Id id_from(std::string_view text)
{
    if (const auto id = find_id(text)) return *id;
    throw Error(Code::malformed, fmt::format("{} is not a UUID of version 4", in_quotes(text)));
}

Id id_from_prefixed(std::string_view prefix, std::string_view text)
{
    if (const auto id = find_prefixed_id(prefix, text)) return *id;
    throw Error(Code::malformed,
                fmt::format("{} is not {} and the 32 hex digits of a UUID of version 4", in_quotes(text), prefix));
}

}  // namespace cadre
