// Runs of numbers: cards, SSNs, addresses of version 4 and phones look alike, so they are told apart together.
#include "text/pii_form.hpp"

#include <algorithm>
#include <initializer_list>

namespace cadre::text {

namespace {

constexpr std::size_t kMaxWindow = 8;  // tokens that one phone or card is made of

/// Digits and marks between two blanks: `(030)`, `123-45-6789`, `192.168.1.1`.
struct NumberToken {
    std::size_t begin = 0;
    std::size_t end = 0;  // 0: it was found to be part of something
    std::size_t digits = 0;
};

bool is_number_mark(char c)
{
    return c == ' ' || c == '.' || c == '-' || c == '/' || c == '(' || c == ')';
}

/// Where the run ends: two marks at most between two digits, or ` / `.
std::size_t number_run_end(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    for (std::size_t i = at; i < text.size() && i < end + 4; ++i) {
        if (is_digit(text[i])) end = i + 1;
        else if (!is_number_mark(text[i]) || (i == end + 2 && text.substr(end, 3) != " / ")) break;
    }
    return end;
}

/// Without brackets that are around all of it, or have no other half in it.
void take_off_brackets(std::string_view text, std::size_t& begin, std::size_t& end)
{
    while (begin < end) {
        const std::string_view window = text.substr(begin, end - begin);
        const auto opened = std::ranges::count(window, '('), shut = std::ranges::count(window, ')');
        const bool opens = window.front() == '(', closes = window.back() == ')';
        const bool is_around = opens && closes && (window.starts_with("((") || window.find(')') + 1 == window.size());
        if (is_around) ++begin, --end;
        else if (opens && opened > shut) ++begin;
        else if (closes && shut > opened) --end;
        else return;
    }
}

struct DigitGroups {
    std::string digits{};
    std::vector<std::size_t> lengths{};
    std::string marks{};  // the first one after each group but the last

    std::size_t count() const { return lengths.size(); }
};

DigitGroups groups_of(std::string_view window)
{
    DigitGroups groups;
    bool in_group = false;
    for (const char c : window) {
        if (is_digit(c)) {
            if (!in_group) groups.lengths.push_back(0);
            ++groups.lengths.back();
            groups.digits += c;
        } else if (in_group) {
            groups.marks += c;
        }
        in_group = is_digit(c);
    }
    groups.marks.resize(groups.lengths.empty() ? 0 : groups.lengths.size() - 1);
    return groups;
}

bool passes_luhn(std::string_view digits)
{
    unsigned sum = 0;
    bool twice = false;
    for (auto c = digits.rbegin(); c != digits.rend(); ++c, twice = !twice) {
        const unsigned digit = static_cast<unsigned>(*c - '0') << (twice ? 1 : 0);
        sum += digit > 9 ? digit - 9 : digit;
    }
    return sum % 10 == 0;
}

bool all_marks_are(const DigitGroups& groups, char mark)
{
    return std::ranges::all_of(groups.marks, [&](char c) { return c == mark; });
}

bool is_card(std::string_view window, const DigitGroups& groups)
{
    const std::size_t size = groups.digits.size();
    if (size < 12 || size > 19 || !is_digit(window.front())) return false;
    if (groups.digits[0] < '2' || groups.digits[0] > '6') return false;
    if (!all_marks_are(groups, ' ') && !all_marks_are(groups, '-')) return false;
    if (window.size() != size + groups.count() - 1) return false;  // one mark between two groups
    const auto grouped = [&] {  // by four, or American Express' 4-6-5 and Diners Club's 4-6-4
        if (std::ranges::equal(groups.lengths, std::initializer_list<std::size_t>{4, 6, 5}) ||
            std::ranges::equal(groups.lengths, std::initializer_list<std::size_t>{4, 6, 4}))
            return true;
        return std::all_of(groups.lengths.begin(), groups.lengths.end() - 1, [](std::size_t n) { return n == 4; }) &&
               groups.lengths.back() <= 7;
    };
    return (groups.count() == 1 || grouped()) && passes_luhn(groups.digits);
}

bool is_ssn(std::string_view window, const DigitGroups& groups)
{
    if (window.size() != 11 || !std::ranges::equal(groups.lengths, std::initializer_list<std::size_t>{3, 2, 4}))
        return false;
    if (!all_marks_are(groups, '-') && !all_marks_are(groups, ' ')) return false;
    const std::string_view digits = groups.digits;
    return digits[0] != '9' && digits.substr(0, 3) != "000" && digits.substr(0, 3) != "666" &&
           digits.substr(3, 2) != "00" && digits.substr(5) != "0000";
}

bool is_version_4(std::string_view window, const DigitGroups& groups)
{
    if (groups.count() != 4 || !all_marks_are(groups, '.') || window.size() != groups.digits.size() + 3) return false;
    for (std::size_t i = 0, at = 0; i < 4; at += groups.lengths[i++]) {
        const std::string_view octet = std::string_view(groups.digits).substr(at, groups.lengths[i]);
        if (octet.size() > 3 || (octet.size() == 3 && octet > "255")) return false;
    }
    return true;
}

bool holds_date(const DigitGroups& groups)
{
    for (std::size_t i = 0; i + 2 < groups.count(); ++i) {
        const auto is = [&](std::size_t a, std::size_t b, std::size_t c) {
            return groups.lengths[i] == a && groups.lengths[i + 1] == b && groups.lengths[i + 2] == c;
        };
        if (groups.marks[i] != ' ' && groups.marks[i] == groups.marks[i + 1] && (is(4, 2, 2) || is(2, 2, 4)))
            return true;
    }
    return false;
}

/// `1.234.567.890`
bool is_amount(const DigitGroups& groups)
{
    return all_marks_are(groups, '.') && groups.digits[0] != '0' && groups.lengths[0] <= 3 &&
           std::all_of(groups.lengths.begin() + 1, groups.lengths.end(), [](std::size_t n) { return n == 3; });
}

bool is_phone(std::string_view window, const DigitGroups& groups)
{
    const std::size_t size = groups.digits.size();
    if (window.find('+') != window.npos) {
        const bool leads = window.starts_with('+') || window.starts_with("(+");
        return leads && size >= 8 && size <= 15 && groups.digits[0] != '0' && groups.count() <= 7;
    }
    if (groups.digits.starts_with("00") && groups.digits[2] != '0')
        return size >= 10 && size <= 17 && groups.count() >= 2 && groups.count() <= 7;
    if (size < 9 || size > 15 || groups.count() < 2 || groups.count() > 6) return false;
    const auto all_have = [&](std::size_t digits) {
        return std::ranges::all_of(groups.lengths, [&](std::size_t n) { return n == digits; });
    };
    if (all_have(2) && groups.digits[0] != '0') return false;  // a row of numbers
    if (all_have(4) && groups.count() > 2) return false;       // a card's
    if (std::ranges::equal(groups.lengths, std::initializer_list<std::size_t>{3, 2, 4})) return false;  // an SSN's
    const bool has_extension =
        groups.digits[0] == '0' && groups.count() > 2 && groups.marks.back() == '-';  // 01/51234-0
    return std::all_of(groups.lengths.begin() + 1, groups.lengths.end() - (has_extension ? 1 : 0),
                       [](std::size_t n) { return n >= 2; }) &&
           !holds_date(groups) && !is_amount(groups);
}

/// Whether so many digits can be of this kind at all: nearly all windows end here.
bool may_have(PiiKind kind, std::size_t digits)
{
    switch (kind) {
    case PiiKind::ip: return digits >= 4 && digits <= 14;
    case PiiKind::ssn: return digits == 9;
    case PiiKind::card: return digits >= 12 && digits <= 19;
    default: return digits >= 8 && digits <= 17;
    }
}

bool is_of_kind(PiiKind kind, std::string_view window, std::size_t tokens)
{
    const DigitGroups groups = groups_of(window);
    switch (kind) {
    case PiiKind::ip: return tokens == 1 && is_version_4(window, groups);
    case PiiKind::ssn: return is_ssn(window, groups);
    case PiiKind::card: return is_card(window, groups);
    default: return is_phone(window, groups);
    }
}

std::vector<NumberToken> tokens_of(std::string_view text, std::size_t begin, std::size_t end)
{
    std::vector<NumberToken> tokens;
    for (std::size_t at = begin; at < end;) {
        const std::size_t blank = std::min(text.find(' ', at), end);
        std::size_t stop = blank;
        while (stop > at && !is_digit(text[stop - 1]) && text[stop - 1] != ')') --stop;
        std::size_t start = at;
        while (start < stop && !is_digit(text[start]) && text[start] != '(' && text[start] != '+') ++start;
        const auto digits = std::ranges::count_if(text.substr(start, stop - start), is_digit);
        if (digits > 0) tokens.push_back({start, stop, static_cast<std::size_t>(digits)});
        at = blank + 1;
    }
    return tokens;
}

/// The longest windows of tokens that are of this kind, from the first token on; their tokens are used up.
void take_windows(std::string_view text, PiiKind kind, std::vector<NumberToken>& tokens, std::vector<PiiMatch>& found)
{
    for (std::size_t first = 0; first < tokens.size(); ++first) {
        std::size_t count = 0, digits = 0;
        while (count < kMaxWindow && first + count < tokens.size() && tokens[first + count].end > 0)
            digits += tokens[first + count++].digits;
        for (; count > 0; digits -= tokens[first + --count].digits) {
            std::size_t begin = tokens[first].begin, end = tokens[first + count - 1].end;
            take_off_brackets(text, begin, end);
            if (kind == PiiKind::ip && count == 1) end = std::min(end, text.find('/', begin));  // of a network
            if (!may_have(kind, digits) || !is_of_kind(kind, text.substr(begin, end - begin), count)) continue;
            found.push_back({begin, end, kind});
            for (std::size_t i = 0; i < count; ++i) tokens[first + i].end = 0;
            break;
        }
    }
}

/// Whether the run is the middle of something else: `x-123`, `v1.2`.
bool is_attached_before(std::string_view text, std::size_t begin)
{
    if (word_before(text, begin)) return true;
    const char mark = begin > 0 ? text[begin - 1] : ' ';
    return (mark == '-' || mark == '/' || mark == '.') && word_before(text, begin - 1);
}

bool is_attached_after(std::string_view text, std::size_t end)
{
    if (word_at(text, end)) return true;
    const char mark = end < text.size() ? text[end] : ' ';
    return (mark == '-' || mark == '/') && word_at(text, end + 1);
}

}  // namespace

std::size_t take_number_run(std::string_view text, std::size_t at, std::vector<PiiMatch>& found)
{
    const std::size_t end = number_run_end(text, at);
    std::size_t begin = at;
    while (begin > 0 && at - begin < 2 && (text[begin - 1] == '+' || text[begin - 1] == '(')) --begin;
    if (end - begin < 7) return end;
    std::vector<NumberToken> tokens = tokens_of(text, begin, end);
    if (!tokens.empty() && is_attached_before(text, begin)) tokens.erase(tokens.begin());
    if (!tokens.empty() && is_attached_after(text, end)) tokens.pop_back();
    take_windows(text, PiiKind::ip, tokens, found);
    const bool is_time = end + 1 < text.size() && text[end] == ':' && is_digit(text[end + 1]);
    if (!tokens.empty() && is_time) tokens.pop_back();
    for (const PiiKind kind : {PiiKind::ssn, PiiKind::card, PiiKind::phone}) take_windows(text, kind, tokens, found);
    return end;
}

}  // namespace cadre::text
