#include "engine/effect.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"

#include <boost/json.hpp>

#include <cassert>

namespace cadre::engine {

namespace {

/// Changes when the same meaning must give another digest; old journals then keep their outcomes, with a note.
constexpr char kDigestVersion = 1;

struct Kind {
    std::string_view name;
    bool changes_the_world;
};

constexpr Kind kKinds[kEffectKinds] = {
    {"think", false}, {"use", true},    {"ask", true},       {"delegate", true}, {"recall", false}, {"remember", true},
    {"save", true},   {"check", false}, {"send", true},      {"sleep", false},   {"now", false},    {"fresh_id", false},
    {"first", false}, {"join", false},  {"announce", false}, {"heed", false},    {"route", false},  {"compact", false},
};

/// The front half is enough to see a difference.
void append_short_hex(std::string& out, const Digest& digest)
{
    append_hex(out, std::span(digest.bytes).first(8));
}

}  // namespace

std::string_view name_of(EffectKind kind)
{
    return kKinds[static_cast<std::size_t>(kind)].name;
}

std::optional<EffectKind> find_effect(std::string_view name)
{
    for (std::size_t i = 0; i < kEffectKinds; ++i)
        if (kKinds[i].name == name) return static_cast<EffectKind>(i);
    return std::nullopt;
}

bool changes_the_world(EffectKind kind)
{
    return kKinds[static_cast<std::size_t>(kind)].changes_the_world;
}

RequestDigest& RequestDigest::part(std::string_view name, const Digest& digest)
{
    assert(size_ < kMaxParts);
    parts_[size_++] = {name, digest};
    return *this;
}

Digest RequestDigest::digest() const
{
    // names and digests are of known length or end in a zero, so two different asks never give the same bytes
    std::array<char, 2 + kMaxParts * 48> bytes;
    std::size_t used = 0;
    bytes[used++] = kDigestVersion;
    bytes[used++] = static_cast<char>(kind_);
    for (const Part& part : parts()) {
        assert(part.name.size() < 32);
        used += part.name.copy(bytes.data() + used, 31);
        bytes[used++] = '\0';
        for (const std::uint8_t byte : part.digest.bytes) bytes[used++] = static_cast<char>(byte);
    }
    return digest_of(std::string_view(bytes.data(), used));
}

void RequestDigest::append_parts(std::string& out) const
{
    out += '{';
    for (const Part& part : parts()) {
        if (out.back() != '{') out += ',';
        out += '"';
        out += part.name;
        out += "\":\"";
        append_short_hex(out, part.digest);
        out += '"';
    }
    out += '}';
}

std::string RequestDigest::difference_from(std::string_view parts_json) const
{
    const json::value recorded = parse_json(parts_json);
    std::string different;
    const auto add = [&](std::string_view name) {
        if (!different.empty()) different += ", ";
        different += name;
    };
    const json::object* then = recorded.if_object();
    for (const Part& part : parts()) {
        const json::value* was = then ? then->if_contains(part.name) : nullptr;
        std::string now;
        append_short_hex(now, part.digest);
        if (!was || !was->is_string() || was->get_string() != now) add(part.name);
    }
    return different;
}

}  // namespace cadre::engine
