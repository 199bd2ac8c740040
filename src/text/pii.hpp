// Personal data in text: found by form and check digits, masked as `[EMAIL]`. One function for logs, traces, samples and rules.
// Credentials are base/redact.hpp's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

enum class PiiKind : std::uint8_t { email, phone, ssn, card, iban, ip, mac };
inline constexpr std::size_t kPiiKinds = 7;

/// As rules write it: `email`.
std::string_view name_of(PiiKind kind);
std::optional<PiiKind> find_pii_kind(std::string_view name);
/// `[EMAIL]`
std::string_view mask_of(PiiKind kind);

/// Which kinds are looked for.
class PiiKinds {
public:
    static PiiKinds all() { return PiiKinds((1u << kPiiKinds) - 1); }
    PiiKinds() = default;
    PiiKinds& add(PiiKind kind) { return bits_ |= 1u << static_cast<unsigned>(kind), *this; }
    PiiKinds& add(PiiKinds more) { return bits_ |= more.bits_, *this; }
    bool has(PiiKind kind) const { return (bits_ >> static_cast<unsigned>(kind) & 1u) != 0; }
    bool empty() const { return bits_ == 0; }

private:
    explicit PiiKinds(unsigned bits) : bits_(bits) {}
    unsigned bits_ = 0;
};

struct PiiMatch {
    std::size_t begin = 0;
    std::size_t end = 0;
    PiiKind kind = PiiKind::email;

    bool operator==(const PiiMatch&) const = default;
};

/// What is found in `text` from `from` on, in order and apart from each other; what stands before `from` is only looked back at.
/// - email: `a.b+c@mail.example.org`
/// - phone: `+` and 8 to 15 digits, or as many behind `00` in groups; or 9 to 15 digits in two to six groups (`(030) 123-4567`),
///   unless it is a date or a grouped amount; blanks, dots, dashes, slashes and brackets are between groups
/// - ssn: `123-45-6789` with numbers that are given out
/// - card: 12 to 19 digits, in groups or not, that pass Luhn and begin like an issuer's
/// - iban: of a country that has them, in its length, that passes mod 97
/// - ip: version 4, and version 6 with a digit in it; mac: six pairs with `:` or `-`
/// What is only part of a longer word or number is none of them. Linear.
std::vector<PiiMatch> find_pii(std::string_view text, PiiKinds kinds = PiiKinds::all(), std::size_t from = 0);

/// `text` with all of it masked; nothing when there is none.
std::optional<std::string> find_masked_pii(std::string_view text, PiiKinds kinds = PiiKinds::all());

/// Patterns (RE2's syntax, any case) that are alive wherever what follows may still matter to a find of these kinds: where none of
/// them is, a text may be cut, if kPiiLookBehind bytes stay before it.
std::vector<std::string_view> pii_cut_patterns(PiiKinds kinds);
inline constexpr std::size_t kPiiLookBehind = 8;

}  // namespace cadre::text
