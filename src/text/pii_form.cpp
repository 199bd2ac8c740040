// Addresses: e-mail, IBAN, IP version 6, MAC. Numbers are in pii_numbers.cpp.
#include "text/pii_form.hpp"

#include <algorithm>

namespace cadre::text {

namespace {

/// Bytes of the character of a name that ends before `at`; 0: it is none.
std::size_t latin_before(std::string_view text, std::size_t at)
{
    if (at == 0) return 0;
    if (is_letter(text[at - 1]) || is_digit(text[at - 1])) return 1;
    const bool continues = (static_cast<unsigned char>(text[at - 1]) & 0xC0) == 0x80;
    return continues && at > 1 && is_latin_lead(text[at - 2]) ? 2 : 0;
}

std::size_t latin_at(std::string_view text, std::size_t at)
{
    if (at >= text.size()) return 0;
    if (is_letter(text[at]) || is_digit(text[at])) return 1;
    const bool leads = is_latin_lead(text[at]) && at + 1 < text.size();
    return leads && (static_cast<unsigned char>(text[at + 1]) & 0xC0) == 0x80 ? 2 : 0;
}

bool is_local_mark(char c)
{
    return c == '.' || c == '_' || c == '%' || c == '+' || c == '\'' || c == '-';
}

/// Where the name before the `@` at `at` begins; `at` if there is none.
std::size_t local_begin(std::string_view text, std::size_t at)
{
    std::size_t begin = at, first_letter = at;
    while (begin > 0) {
        if (const std::size_t bytes = latin_before(text, begin)) first_letter = begin -= bytes;
        else if (is_local_mark(text[begin - 1])) --begin;
        else break;
    }
    return first_letter;
}

/// How many letters, not digits, are at `at`, and where they end.
std::size_t letters_at(std::string_view text, std::size_t at, std::size_t& end)
{
    std::size_t letters = 0;
    for (end = at; latin_at(text, end) > 0 && !is_digit(text[end]); ++letters) end += latin_at(text, end);
    return letters;
}

/// Where the domain that begins at `at` ends: behind its last label that can be a top-level one; `at` if there is none.
std::size_t domain_end(std::string_view text, std::size_t at)
{
    std::size_t best = at;
    for (std::size_t label = at, number = 1;; ++number) {
        if (latin_at(text, label) == 0) return best;
        std::size_t letters_end = label, end = label;
        const std::size_t letters = letters_at(text, label, letters_end);
        while (latin_at(text, end) > 0 || (end < text.size() && text[end] == '-'))
            end += std::max<std::size_t>(latin_at(text, end), 1);
        const bool international = text.substr(label, 4) == "xn--" && text[end - 1] != '-';
        if (number > 1 && international) best = end;
        if (number > 1 && letters >= 2 && (letters_end == end || text[letters_end] == '-') && !international)
            best = letters_end;
        if (end >= text.size() || text[end] != '.' || text[end - 1] == '-') return best;
        label = end + 1;
    }
}

// Countries and how long their IBANs are.
constexpr std::string_view kIbans = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE"
                                    "20EG29ES24FI18FK18FO18FR27GB22GE22"
                                    "GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY"
                                    "25MC27MD24ME22MK19MN20MR27MT31MU30"
                                    "NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST"
                                    "25SV28TL23TN24TR26UA29VA22VG24XK20"
                                    "YE30";

std::size_t iban_length(char first, char second)
{
    const auto upper = [](char c) { return static_cast<char>(lower(c) - 32); };
    for (std::size_t i = 0; i < kIbans.size(); i += 4)
        if (kIbans[i] == upper(first) && kIbans[i + 1] == upper(second))
            return static_cast<std::size_t>((kIbans[i + 2] - '0') * 10 + (kIbans[i + 3] - '0'));
    return 0;
}

/// An IBAN without blanks: its first four characters count last.
bool passes_mod_97(std::string_view iban)
{
    unsigned rest = 0;
    for (std::size_t i = 0; i < iban.size(); ++i) {
        const char c = lower(iban[(i + 4) % iban.size()]);
        rest =
            is_digit(c) ? rest * 10 + static_cast<unsigned>(c - '0') : rest * 100 + static_cast<unsigned>(c - 'a' + 10);
        rest %= 97;
    }
    return rest == 1;
}

struct HexRun {
    std::size_t begin, end;
    std::size_t groups = 1;
    bool gap = false;       // `::`
    bool all_pairs = true;  // every group has two digits
    bool too_long = false;  // a group has more than four
    bool has_digit = false;
};

/// The hex digits and separators around `at`.
HexRun hex_run(std::string_view text, std::size_t at, char separator)
{
    const auto belongs = [&](std::size_t i) { return is_hex(text[i]) || text[i] == separator; };
    HexRun run{at, at};
    while (run.begin > 0 && belongs(run.begin - 1)) --run.begin;
    while (run.end < text.size() && belongs(run.end)) ++run.end;
    const auto ends_with = [&](std::string_view s) { return text.substr(run.begin, run.end - run.begin).ends_with(s); };
    if (separator == ':' && ends_with(":") && !ends_with("::")) --run.end;  // of the sentence
    const std::string_view found = text.substr(run.begin, run.end - run.begin);
    if (separator == ':' && found.starts_with(":") && !found.starts_with("::")) ++run.begin;  // `from:fe80::1`
    std::size_t group = 0;
    for (std::size_t i = run.begin; i < run.end; ++i) {
        run.has_digit |= is_digit(text[i]);
        if (text[i] != separator) {
            run.too_long |= ++group > 4;
            continue;
        }
        run.all_pairs &= group == 2;
        run.gap |= i + 1 < run.end && text[i + 1] == separator;
        ++run.groups;
        group = 0;
    }
    run.all_pairs &= group == 2;
    return run;
}

bool is_version_6(std::string_view address, const HexRun& run)
{
    if (run.too_long || !run.has_digit || run.groups > 9) return false;
    if (!run.gap) return run.groups == 8 && address.front() != ':' && address.back() != ':';
    const std::size_t gap = address.find("::");
    const bool once = address.find("::", gap + 1) == address.npos;
    const bool clean_front = address.front() != ':' || gap == 0;
    const bool clean_back = address.back() != ':' || gap + 2 == address.size();
    return once && clean_front && clean_back &&
           run.groups - (gap == 0 ? 1u : 0u) - (address.back() == ':' ? 1u : 0u) <= 8;
}

}  // namespace

bool word_before(std::string_view text, std::size_t at)
{
    return at > 0 && (text[at - 1] == '_' || latin_before(text, at) > 0);
}

bool word_at(std::string_view text, std::size_t at)
{
    return at < text.size() && (text[at] == '_' || latin_at(text, at) > 0);
}

std::optional<PiiMatch> email_around(std::string_view text, std::size_t at)
{
    const std::size_t begin = local_begin(text, at);
    const std::size_t end = domain_end(text, at + 1);
    if (begin == at || end == at + 1) return std::nullopt;
    return PiiMatch{begin, end, PiiKind::email};
}

std::optional<PiiMatch> iban_around(std::string_view text, std::size_t at)
{
    if (at < 2 || !is_letter(text[at - 1]) || !is_letter(text[at - 2]) || word_before(text, at - 2))
        return std::nullopt;
    const std::size_t length = iban_length(text[at - 2], text[at - 1]);
    if (length == 0 || at + 1 >= text.size() || !is_digit(text[at + 1])) return std::nullopt;
    std::string plain;
    std::size_t end = at - 2;
    for (; plain.size() < length && end < text.size(); ++end) {
        if (is_letter(text[end]) || is_digit(text[end])) plain += text[end];
        else if (text[end] != ' ' || text[end - 1] == ' ') return std::nullopt;
    }
    if (plain.size() < length || word_at(text, end) || !passes_mod_97(plain)) return std::nullopt;
    return PiiMatch{at - 2, end, PiiKind::iban};
}

std::optional<PiiMatch> hex_address_around(std::string_view text, std::size_t at, std::size_t& run_end)
{
    const char separator = text[at];
    const HexRun run = hex_run(text, at, separator);
    run_end = std::max(run.end, at + 1);
    const bool is_dotted = run.end + 1 < text.size() && text[run.end] == '.' && is_digit(text[run.end + 1]);
    if (run.end <= at || word_before(text, run.begin) || word_at(text, run.end) || is_dotted) return std::nullopt;
    if (run.groups == 6 && run.all_pairs) return PiiMatch{run.begin, run.end, PiiKind::mac};
    if (separator == ':' && is_version_6(text.substr(run.begin, run.end - run.begin), run))
        return PiiMatch{run.begin, run.end, PiiKind::ip};
    return std::nullopt;
}

}  // namespace cadre::text
