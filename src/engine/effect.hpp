// Effects: the ways in which a run touches the outside world, and the digest of what was asked.
#pragma once

#include "base/sha256.hpp"
#include "model/tool.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cadre::engine {

/// Spelled as in paths: `review/2/think:1`.
enum class EffectKind : std::uint8_t {
    think,     // ask a model
    use,       // call a tool
    ask,       // ask a person
    delegate,  // have another task do it
    recall,
    remember,
    save,
    check,
    send,
    sleep,
    now,
    fresh_id,
    first,  // who was first
    // numbers are hashed: new ones only behind those that are there
    join,      // who was counted where several come together
    announce,  // something that was decided here is told
    heed,      // what people have changed meanwhile
    route,
    compact,
};
inline constexpr std::size_t kEffectKinds = 18;

std::string_view name_of(EffectKind kind);
/// Nothing: a newer release's.
std::optional<EffectKind> find_effect(std::string_view name);

/// Whether the world is different after it: when the code asks for something else than the journal holds, such a run stops
/// instead of going on.
bool changes_the_world(EffectKind kind);

/// What a pattern asked, by its meaning and not by how this release renders it: a digest with named parts, so that a
/// difference can be named. The names are literals.
class RequestDigest {
public:
    struct Part {
        std::string_view name{};
        Digest digest{};
    };

    explicit RequestDigest(EffectKind kind) : kind_(kind) {}

    RequestDigest& part(std::string_view name, const Digest& digest);
    RequestDigest& part(std::string_view name, std::string_view text) { return part(name, digest_of(text)); }

    EffectKind kind() const { return kind_; }
    Digest digest() const;
    std::span<const Part> parts() const { return {parts_.data(), size_}; }

    /// Appends `{"tool":"1f3a…","arguments":"…"}`, 8 bytes of each part.
    void append_parts(std::string& out) const;
    /// Which parts differ from those that `parts_json`, written by append_parts, has: "arguments, tool".
    std::string difference_from(std::string_view parts_json) const;

private:
    static constexpr std::size_t kMaxParts = 6;

    EffectKind kind_;
    std::array<Part, kMaxParts> parts_{};
    std::size_t size_ = 0;
};

}  // namespace cadre::engine
