#include "text/pii.hpp"

#include "text/pii_form.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

namespace cadre::text {

namespace {

struct KindRow {
    std::string_view name;
    std::string_view mask;
    std::string_view cuts;
    int rank;  // where two of them overlap, the smaller one is meant
};

constexpr std::string_view kNumberCuts = R"([+(]*[0-9][0-9 ./():-]*)";

// in the order of PiiKind
constexpr std::array<KindRow, kPiiKinds> kKinds{{
    {"email", "[EMAIL]", R"([a-z0-9._%+'\x{C0}-\x{27F}-]+(?:@[a-z0-9.\x{C0}-\x{27F}-]*)?)", 0},
    {"phone", "[PHONE]", kNumberCuts, 6},
    {"ssn", "[SSN]", kNumberCuts, 5},
    {"card", "[CARD]", kNumberCuts, 4},
    {"iban", "[IBAN]", R"(\b[a-z]{2}[0-9]{2}(?: ?[a-z0-9]){0,30} ?)", 1},
    {"ip", "[IP]", R"([0-9a-f:]+\.?)", 2},
    {"mac", "[MAC]", R"([0-9a-f:][0-9a-f:-]*\.?)", 3},
}};

const KindRow& row_of(PiiKind kind)
{
    return kKinds[static_cast<std::size_t>(kind)];
}

constexpr std::array<bool, 256> kIsDigit = [] {
    std::array<bool, 256> all{};
    for (char c = '0'; c <= '9'; ++c) all[static_cast<unsigned char>(c)] = true;
    return all;
}();

std::size_t next_digit(std::string_view text, std::size_t at)
{
    while (at < text.size() && !kIsDigit[static_cast<unsigned char>(text[at])]) ++at;
    return at;
}

std::size_t next_of(std::string_view text, char c, std::size_t at)
{
    if (at >= text.size()) return text.size();
    const void* found = std::memchr(text.data() + at, c, text.size() - at);
    return found ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) : text.size();
}

void take_numbers(std::string_view text, std::size_t from, std::vector<PiiMatch>& found)
{
    for (std::size_t at = next_digit(text, from); at < text.size(); at = next_digit(text, at)) {
        if (const auto iban = iban_around(text, at)) found.push_back(*iban);
        at = take_number_run(text, at, found);
    }
}

void take_hex_addresses(std::string_view text, std::size_t from, char separator, std::vector<PiiMatch>& found)
{
    for (std::size_t at = next_of(text, separator, from); at < text.size(); at = next_of(text, separator, at)) {
        std::size_t end = at + 1;
        if (const auto address = hex_address_around(text, at, end)) found.push_back(*address);
        at = end;
    }
}

bool overlap(const PiiMatch& a, const PiiMatch& b)
{
    return a.begin < b.end && b.begin < a.end;
}

/// Of what overlaps, what is meant. Decided within each heap of overlapping finds, so that it does not matter what else is found.
std::vector<PiiMatch> apart(std::vector<PiiMatch> found)
{
    std::ranges::sort(found, {}, &PiiMatch::begin);
    std::vector<PiiMatch> out;
    for (std::size_t first = 0; first < found.size();) {
        std::size_t next = first + 1;
        for (std::size_t end = found[first].end; next < found.size() && found[next].begin < end; ++next)
            end = std::max(end, found[next].end);
        const std::span heap(found.data() + first, next - first);
        std::ranges::sort(heap, {}, [](const PiiMatch& match) {
            return std::tuple(row_of(match.kind).rank, match.begin, match.end);
        });
        const std::size_t before = out.size();
        for (const PiiMatch& match : heap)
            if (std::ranges::none_of(std::span(out).subspan(before), [&](const auto& o) { return overlap(match, o); }))
                out.push_back(match);
        std::ranges::sort(std::span(out).subspan(before), {}, &PiiMatch::begin);
        first = next;
    }
    return out;
}

}  // namespace

std::string_view name_of(PiiKind kind)
{
    return row_of(kind).name;
}

std::optional<PiiKind> find_pii_kind(std::string_view name)
{
    const auto row = std::ranges::find(kKinds, name, &KindRow::name);
    if (row == kKinds.end()) return std::nullopt;
    return static_cast<PiiKind>(row - kKinds.begin());
}

std::string_view mask_of(PiiKind kind)
{
    return row_of(kind).mask;
}

std::vector<PiiMatch> find_pii(std::string_view text, PiiKinds kinds, std::size_t from)
{
    std::vector<PiiMatch> found;
    for (std::size_t at = next_of(text, '@', from); at < text.size(); at = next_of(text, '@', at + 1))
        if (const auto email = email_around(text, at)) found.push_back(*email);
    take_numbers(text, from, found);
    take_hex_addresses(text, from, ':', found);
    if (kinds.has(PiiKind::mac)) take_hex_addresses(text, from, '-', found);
    if (found.empty()) return found;

    // All kinds were looked for, because what is a card is not a phone, even if nobody asked for cards.
    found = apart(std::move(found));
    std::erase_if(found, [&](const PiiMatch& match) { return !kinds.has(match.kind); });
    return found;
}

std::optional<std::string> find_masked_pii(std::string_view text, PiiKinds kinds)
{
    const std::vector<PiiMatch> found = find_pii(text, kinds);
    if (found.empty()) return std::nullopt;
    std::string out;
    std::size_t done = 0;
    for (const PiiMatch& match : found) {
        out.append(text.substr(done, match.begin - done)).append(mask_of(match.kind));
        done = match.end;
    }
    return out.append(text.substr(done));
}

std::vector<std::string_view> pii_cut_patterns(PiiKinds kinds)
{
    std::vector<std::string_view> patterns;
    if (kinds.empty()) return patterns;
    for (const KindRow& row : kKinds)  // all of them: what is not asked for may be what is meant
        if (std::ranges::find(patterns, row.cuts) == patterns.end()) patterns.push_back(row.cuts);
    return patterns;
}

}  // namespace cadre::text
