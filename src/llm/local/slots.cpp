#include "llm/local/slots.hpp"

#include "base/ascii.hpp"
#include "base/trim.hpp"
#include "base/utf8.hpp"
#include "text/route/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace cadre::llm::local {
namespace {

using text::route::plain_form;

struct Word {
    std::string_view text;  // without what is only punctuation around it
    std::size_t begin = 0;
    bool begins_sentence = false;
    bool ends_clause = false;  // a comma or the like follows

    std::size_t end() const { return begin + text.size(); }
};

constexpr std::string_view kBlanks = " \t\r\n";

bool is_capital(std::string_view word)
{
    if (word.empty()) return false;
    const auto byte = static_cast<unsigned char>(word.front());
    if (byte < 0x80) return word.front() >= 'A' && word.front() <= 'Z';
    const std::string plain = plain_form(word);
    const std::string first(word.substr(0, utf8_length(word)));
    return !plain.empty() && first != plain_form(first) && first.size() == 2 && (byte == 0xC3 || byte == 0xD0);
}

std::vector<Word> words_in(std::string_view text)
{
    std::vector<Word> words;
    bool begins = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = text.find_first_not_of(kBlanks, at);
        if (begin == text.npos) break;
        const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
        at = end;
        const std::string_view whole = text.substr(begin, end - begin);
        std::string_view core = trimmed(whole, ",;:!?.()[]{}\"");
        // what belongs to a number or an address stays
        if (!core.empty() && core.data() > whole.data() && (core.data()[-1] == '.' && is_digit(core.front())))
            core = whole;
        if (core.empty()) {
            begins = begins || whole.find_first_of(".!?") != whole.npos;
            continue;
        }
        const auto offset = static_cast<std::size_t>(core.data() - text.data());
        const std::string_view rest = text.substr(offset + core.size(), end - offset - core.size());
        words.push_back({core, offset, begins, rest.find_first_of(",;:!?.") != rest.npos});
        begins = rest.find_first_of(".!?:") != rest.npos;
    }
    return words;
}

// ---- quoted texts ----

struct Quotes {
    std::string_view open, close;
};
constexpr Quotes kQuotes[] = {{"\"", "\""}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"‘", "’"}, {"「", "」"}};

bool is_word_byte(char c)
{
    return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::optional<Slot> quoted_at(std::string_view text, std::size_t at)
{
    for (const Quotes& quotes : kQuotes) {
        if (text.compare(at, quotes.open.size(), quotes.open) != 0) continue;
        const std::size_t begin = at + quotes.open.size();
        const std::size_t close = text.find(quotes.close, begin);
        if (close == text.npos || close == begin) continue;
        return Slot{.kind = SlotKind::quoted,
                    .text = std::string(text.substr(begin, close - begin)),
                    .begin = at,
                    .end = close + quotes.close.size()};
    }
    // an apostrophe is a quote where a word begins, up to where one ends
    if (text[at] != '\'' || (at > 0 && is_word_byte(text[at - 1]))) return std::nullopt;
    for (std::size_t close = text.find('\'', at + 1); close != text.npos; close = text.find('\'', close + 1)) {
        if (close + 1 < text.size() && is_word_byte(text[close + 1])) continue;
        if (close == at + 1) return std::nullopt;
        return Slot{.kind = SlotKind::quoted,
                    .text = std::string(text.substr(at + 1, close - at - 1)),
                    .begin = at,
                    .end = close + 1};
    }
    return std::nullopt;
}

// ---- dates ----

/// The beginnings of the months' names, plain, in English, German, French, Spanish, Italian and Portuguese.
constexpr std::array<std::string_view, 12> kMonths = {
    "jan gen ene janv", "feb fev", "mar maerz marz",  "apr avr abr", "may mai mag maio", "jun juin giu", "jul juil lug",
    "aug aou ago",      "sep set", "oct okt ott out", "nov",         "dec dez dic"};

int month_called(std::string_view word)
{
    const std::string plain = plain_form(word);
    if (plain.size() < 3 || plain.size() > 10 || !std::ranges::all_of(plain, is_letter)) return 0;
    constexpr std::string_view names =
        " january february march april may june july august september october november december jan feb mar apr jun "
        "jul "
        "aug sep sept oct nov dec januar februar marz maerz mai juni juli oktober dezember janvier fevrier mars avril "
        "juin "
        "juillet aout septembre octobre novembre decembre enero febrero marzo abril mayo junio julio agosto septiembre "
        "octubre noviembre diciembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre janeiro "
        "fevereiro marco maio junho julho setembro outubro novembro dezembro ";
    if (names.find(fmt::format(" {} ", plain)) == names.npos) return 0;
    int best = 0;
    std::size_t longest = 0;
    for (std::size_t month = 0; month < kMonths.size(); ++month) {
        std::string_view stems = kMonths[month];
        while (!stems.empty()) {
            const std::size_t end = std::min(stems.find(' '), stems.size());
            const std::string_view stem = stems.substr(0, end);
            stems.remove_prefix(std::min(end + 1, stems.size()));
            if (plain.starts_with(stem) && stem.size() > longest) {
                best = static_cast<int>(month) + 1;
                longest = stem.size();
            }
        }
    }
    return best;
}

std::optional<int> whole_number(std::string_view text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return number;
}

/// 3, 3rd, 3.
std::optional<int> day_in(std::string_view word)
{
    std::size_t digits = 0;
    while (digits < word.size() && is_digit(word[digits])) ++digits;
    if (digits == 0 || digits > 2) return std::nullopt;
    const std::string_view rest = word.substr(digits);
    constexpr std::string_view ends[] = {"", ".", "st", "nd", "rd", "th", "er", "º"};
    if (std::ranges::find(ends, rest) == std::end(ends)) return std::nullopt;
    const auto day = whole_number(word.substr(0, digits));
    return day && *day >= 1 && *day <= 31 ? day : std::nullopt;
}

std::optional<int> year_in(std::string_view word)
{
    const auto year = word.size() == 4 ? whole_number(word) : std::nullopt;
    return year && *year >= 1000 ? year : std::nullopt;
}

int days_of(int month, int year)
{
    constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && is_leap ? 29 : days[month - 1];
}

std::optional<std::string> date_text(int year, int month, int day)
{
    if (month < 1 || month > 12 || day < 1 || day > days_of(month, year)) return std::nullopt;
    return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

/// `2025-01-15`, `15.1.2025`, and `25/12/2025` where only one of the two can be the day.
std::optional<std::string> date_in_digits(std::string_view word)
{
    for (const char mark : {'-', '.', '/'}) {
        const std::size_t first = word.find(mark), last = word.rfind(mark);
        if (first == word.npos || first == last || word.find(mark, first + 1) != last) continue;
        const auto a = whole_number(word.substr(0, first));
        const auto b = whole_number(word.substr(first + 1, last - first - 1));
        const auto c = whole_number(word.substr(last + 1));
        if (!a || !b || !c) return std::nullopt;
        if (first == 4) return date_text(*a, *b, *c);
        if (word.size() - last - 1 != 4) return std::nullopt;
        if (mark == '.') return date_text(*c, *b, *a);
        if (*a > 12) return date_text(*c, *b, *a);
        if (*b > 12) return date_text(*c, *a, *b);
        return std::nullopt;  // 03/04/2025 is two days
    }
    return std::nullopt;
}

constexpr std::string_view kDayWords[] = {"today",    "tomorrow",    "yesterday", "tonight", "heute",   "morgen",
                                          "gestern",  "aujourd'hui", "demain",    "hier",    "hoy",     "manana",
                                          "ayer",     "oggi",        "domani",    "monday",  "tuesday", "wednesday",
                                          "thursday", "friday",      "saturday",  "sunday"};

/// A date that begins with this word, and how many words it takes.
std::optional<std::pair<std::string, std::size_t>> date_at(const std::vector<Word>& words, std::size_t at)
{
    const std::string_view word = words[at].text;
    if (auto date = date_in_digits(word)) return std::pair(std::move(*date), std::size_t{1});
    const auto word_at = [&](std::size_t i) { return i < words.size() ? words[i].text : std::string_view(); };
    const bool has_of = word_at(at + 1) == "of" || word_at(at + 1) == "de";
    const std::size_t second = at + (has_of ? 2 : 1);
    const auto whole = [&](int month, int day, std::size_t last) -> std::pair<std::string, std::size_t> {
        const bool de = word_at(last + 1) == "de";
        const std::size_t place = last + (de ? 2 : 1);
        if (const auto year = year_in(word_at(place)))
            if (auto date = date_text(*year, month, day)) return {std::move(*date), place + 1 - at};
        const std::size_t end = words[last].end();
        return {std::string(words[at].text.data(), end - words[at].begin), last + 1 - at};
    };
    if (const auto day = day_in(word))
        if (const int month = month_called(word_at(second))) return whole(month, *day, second);
    if (const int month = is_capital(word) || word.size() > 4 ? month_called(word) : 0)
        if (const auto day = day_in(word_at(at + 1)); day) return whole(month, *day, at + 1);
    const std::string plain = plain_form(word);
    if (std::ranges::find(kDayWords, plain) != std::end(kDayWords)) return std::pair(std::string(word), std::size_t{1});
    return std::nullopt;
}

// ---- words that say what they are ----

bool is_email(std::string_view word)
{
    const std::size_t at = word.find('@');
    if (at == word.npos || at == 0 || word.find('@', at + 1) != word.npos) return false;
    const std::string_view domain = word.substr(at + 1);
    const std::size_t dot = domain.rfind('.');
    return dot != domain.npos && dot > 0 && domain.size() - dot > 2;
}

bool is_url(std::string_view word)
{
    return (word.starts_with("http://") || word.starts_with("https://")) && word.size() > 10;
}

constexpr std::string_view kExtensions[] = {"txt",  "md",  "markdown", "csv",  "tsv", "json", "jsonl", "yaml", "yml",
                                            "html", "htm", "pdf",      "log",  "xml", "py",   "cpp",   "hpp",  "c",
                                            "h",    "js",  "ts",       "toml", "ini", "sql",  "sh",    "png",  "jpg",
                                            "jpeg", "svg", "docx",     "xlsx", "rst", "tex",  "go",    "rs",   "java"};

bool is_path(std::string_view word)
{
    const std::size_t dot = word.rfind('.');
    if (dot != word.npos && dot > 0 && word[dot - 1] != '/' &&
        std::ranges::find(kExtensions, lower(word.substr(dot + 1))) != std::end(kExtensions))
        return true;
    const std::size_t slash = word.find('/');  // `either/or` is none
    return slash != word.npos && (word.ends_with('/') || word.starts_with('/') || word.starts_with("./")) &&
           word.size() > 1;
}

/// TS-1042, #17, A100.
bool is_code(std::string_view word)
{
    if (word.starts_with('#')) return word.size() > 1 && std::ranges::all_of(word.substr(1), is_word_byte);
    bool digit = false, capital = false;
    for (const char c : word) {
        digit = digit || is_digit(c);
        capital = capital || (c >= 'A' && c <= 'Z');
        if (!is_word_byte(c) && c != '-' && c != '_') return false;
    }
    return digit && capital && !is_digit(word.front());
}

constexpr std::string_view kSmallNumbers[] = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                              "seven", "eight", "nine", "ten",   "eleven", "twelve"};
constexpr std::string_view kGermanNumbers[] = {"null",   "eins", "zwei", "drei", "vier", "funf", "sechs",
                                               "sieben", "acht", "neun", "zehn", "elf",  "zwolf"};

std::optional<double> number_word(std::string_view word)
{
    const std::string plain = plain_form(word);
    for (const auto& names :
         {std::span<const std::string_view>(kSmallNumbers), std::span<const std::string_view>(kGermanNumbers)})
        if (const auto found = std::ranges::find(names, plain); found != names.end())
            return static_cast<double>(found - names.begin());
    return std::nullopt;
}

/// `$40`, `40€`, `15%`, `5kg`: the number, and what is written to its end.
std::optional<std::pair<double, std::string>> amount_in(std::string_view word)
{
    for (const std::string_view sign : {"$", "€", "£", "¥"})
        if (word.starts_with(sign)) {
            if (const auto number = number_in(word.substr(sign.size()))) return std::pair(*number, std::string(sign));
            return std::nullopt;
        }
    std::size_t end = word.size();
    while (end > 0 && !is_digit(word[end - 1])) --end;
    if (end == 0 || word.size() - end > 8) return std::nullopt;
    const std::string_view unit = word.substr(end);
    if (unit.find_first_of("-_/@#&=") != unit.npos) return std::nullopt;
    if (const auto number = number_in(word.substr(0, end))) return std::pair(*number, plain_form(unit));
    return std::nullopt;
}

std::string number_text(double number)
{
    if (number == static_cast<double>(static_cast<long long>(number)) && number < 1e15 && number > -1e15)
        return fmt::format("{}", static_cast<long long>(number));
    return fmt::format("{}", number);
}

constexpr std::string_view kNeverNames[] = {"i",     "i'm",  "i'd",    "i've", "the",   "a",    "an",  "what", "who",
                                            "where", "when", "why",    "how",  "which", "is",   "are", "can",  "could",
                                            "do",    "does", "please", "tell", "show",  "give", "and", "or",   "my",
                                            "we",    "you",  "it",     "if",   "in",    "on",   "of",  "for",  "to"};

bool may_be_name(const Word& word)
{
    if (!is_capital(word.text)) return false;
    const std::string plain = plain_form(word.text);
    return std::ranges::find(kNeverNames, plain) == std::end(kNeverNames);
}

}  // namespace

std::optional<double> number_in(std::string_view word)
{
    std::string plain;
    const bool is_negative = word.starts_with('-') || word.starts_with("−");
    word.remove_prefix(word.starts_with('-') || word.starts_with('+') ? 1 : word.starts_with("−") ? 3 : 0);
    if (word.empty() || word.size() > 32) return std::nullopt;
    if (!std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '.' || c == ',' || c == '\''; }) ||
        !is_digit(word.back()))
        return std::nullopt;
    const auto groups_of_three = [&](char mark, std::size_t until) {
        for (std::size_t at = word.find(mark); at < until; at = word.find(mark, at + 1)) {
            const std::size_t next = std::min(word.find(mark, at + 1), until);
            if (at == 0 || at > 3 + (word.find(mark) == at ? 0 : at) || next - at != 4) return false;
        }
        return true;
    };
    const std::size_t last_comma = word.rfind(','), last_dot = word.rfind('.');
    char decimal = '\0';
    if (last_comma != word.npos && last_dot != word.npos) decimal = last_comma > last_dot ? ',' : '.';
    else if (last_dot != word.npos) decimal = word.find('.') == last_dot ? '.' : '\0';
    else if (last_comma != word.npos)
        decimal = word.find(',') == last_comma && word.size() - last_comma != 4 ? ',' : '\0';
    const std::size_t point = decimal == '\0' ? word.size() : word.rfind(decimal);
    if (decimal != '\0' && word.find(decimal) != point) return std::nullopt;
    for (const char mark : {',', '.', '\''})
        if (mark != decimal && !groups_of_three(mark, point)) return std::nullopt;
    if (is_negative) plain = "-";
    for (std::size_t i = 0; i < word.size(); ++i)
        if (is_digit(word[i])) plain += word[i];
        else if (i == point) plain += '.';
    double number = 0;
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
    if (error != std::errc{} || end != plain.data() + plain.size()) return std::nullopt;
    return number;
}

bool is_whole_date(std::string_view text)
{
    return text.size() == 10 && text[4] == '-' && date_in_digits(text) == text;
}

std::vector<Slot> find_slots(std::string_view text)
{
    text = utf8_prefix(text, kMostSlotBytes);
    std::vector<Slot> slots;
    std::string open(text);  // what was taken is blank
    const auto take = [&](Slot slot) {
        std::fill(open.begin() + static_cast<std::ptrdiff_t>(slot.begin),
                  open.begin() + static_cast<std::ptrdiff_t>(slot.end), ' ');
        slots.push_back(std::move(slot));
    };
    for (std::size_t at = 0; at < text.size();) {
        auto slot = quoted_at(text, at);
        at = slot ? slot->end : at + 1;
        if (slot) take(std::move(*slot));
    }
    const std::string unquoted = open;
    const std::vector<Word> words = words_in(unquoted);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Word& word = words[i];
        const auto slot = [&](SlotKind kind, std::string value, std::size_t count = 1, std::string after = "") {
            const Word& last = words[i + count - 1];
            if (after.empty() && i + count < words.size() && !last.ends_clause)
                after = plain_form(words[i + count].text);
            slots.push_back({.kind = kind,
                             .text = std::move(value),
                             .before = i > 0 ? plain_form(words[i - 1].text) : "",
                             .after = std::move(after),
                             .begin = word.begin,
                             .end = last.end()});
            i += count - 1;
        };
        if (is_email(word.text)) slot(SlotKind::email, std::string(word.text));
        else if (is_url(word.text)) slot(SlotKind::url, std::string(word.text));
        else if (const auto date = date_at(words, i)) slot(SlotKind::date, date->first, date->second);
        else if (is_path(word.text)) slot(SlotKind::path, std::string(word.text));
        else if (const auto amount = amount_in(word.text))
            slot(SlotKind::number, number_text(amount->first), 1, amount->second);
        else if (is_code(word.text))
            slot(SlotKind::code, std::string(word.text.starts_with('#') ? word.text.substr(1) : word.text));
        else if (const auto number = number_word(word.text)) slot(SlotKind::number, number_text(*number));
        else if (may_be_name(word) && !word.begins_sentence) {
            std::size_t count = 1;
            while (i + count < words.size() && !words[i + count - 1].ends_clause && may_be_name(words[i + count]))
                ++count;
            const std::size_t end = words[i + count - 1].end();
            slot(SlotKind::name, unquoted.substr(word.begin, end - word.begin), count);
        }
    }
    for (Slot& one : slots)
        if (one.kind == SlotKind::quoted && one.before.empty())
            for (const Word& word : words)
                if (word.end() <= one.begin) one.before = plain_form(word.text);
    std::ranges::sort(slots, {}, &Slot::begin);
    return slots;
}

}  // namespace cadre::llm::local
