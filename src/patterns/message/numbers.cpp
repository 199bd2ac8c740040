#include "patterns/message/numbers.hpp"

#include "base/ascii.hpp"
#include "text/pii.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace cadre::patterns {

namespace {

constexpr std::size_t kMostSources = 200;
constexpr std::array<std::string_view, 13> kWords = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                                     "seven", "eight", "nine", "ten",   "eleven", "twelve"};

bool is_word_part(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

double value_of(std::string_view digits)
{
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::string without(std::string_view text, char c)
{
    std::string out(text);
    std::erase(out, c);
    return out;
}

/// `1,600` and `12,345,678`, and not `1,60`.
bool is_grouped(std::string_view text, char separator)
{
    std::size_t begin = 0;
    bool first = true;
    for (;;) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        const std::size_t length = end - begin;
        if (first ? length < 1 || length > 3 : length != 3) return false;
        first = false;
        if (end == text.size()) return true;
        begin = end + 1;
    }
}

NumberReading with_point(std::string whole, char point)
{
    const std::size_t at = whole.rfind(point);
    const int decimals = static_cast<int>(whole.size() - at - 1);
    whole[at] = '.';
    return {value_of(whole), decimals};
}

std::vector<NumberReading> readings_of(std::string_view token)
{
    const auto commas = std::ranges::count(token, ','), points = std::ranges::count(token, '.');
    if (commas == 0 && points == 0) return {{value_of(token), 0}};
    if (commas > 0 && points > 0) {  // the last one is the decimal point
        const bool comma_last = token.rfind(',') > token.rfind('.');
        const char point = comma_last ? ',' : '.';
        return {with_point(without(token, comma_last ? '.' : ','), point)};
    }
    const char separator = commas > 0 ? ',' : '.';
    std::vector<NumberReading> readings;
    if (is_grouped(token, separator)) readings.push_back({value_of(without(token, separator)), 0});
    if (commas + points == 1) readings.push_back(with_point(std::string(token), separator));
    if (readings.empty()) readings.push_back({value_of(without(token, separator)), 0});  // a version, a date
    return readings;
}

bool begins_line(std::string_view text, std::size_t at)
{
    while (at > 0 && text[at - 1] == ' ') --at;
    return at == 0 || text[at - 1] == '\n';
}

class Finder {
public:
    explicit Finder(std::string_view text) : text_(text) {}

    std::vector<ShownNumber> find()
    {
        while (at_ < text_.size()) {
            if (const std::size_t end = end_of_address()) at_ = end;
            else if (!is_word_part(text_[at_])) ++at_;
            else if (is_digit(text_[at_])) take_number();
            else take_word();
        }
        return std::move(found_);
    }

private:
    std::size_t end_of_address() const
    {
        const std::string_view rest = text_.substr(at_);
        if (!rest.starts_with("http://") && !rest.starts_with("https://")) return 0;
        return at_ + std::min(rest.find_first_of(" \n\t)"), rest.size());
    }

    void take_number()
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_digit(text_[at_]) || is_separator(at_))) ++at_;
        ShownNumber number{.text = std::string(text_.substr(begin, at_ - begin)), .begin = begin};
        const bool is_of_list = at_ + 1 < text_.size() && (text_[at_] == '.' || text_[at_] == ')') &&
                                text_[at_ + 1] == ' ' && begins_line(text_, begin);
        number.readings = readings_of(number.text);
        std::string_view rest = text_.substr(at_);
        for (const std::string_view blank : {" ", "\u00A0", "\u202F"})
            if (rest.starts_with(blank)) rest.remove_prefix(blank.size());
        number.is_percent = rest.starts_with('%') || rest.starts_with("percent");
        if (!is_of_list) found_.push_back(std::move(number));
        while (at_ < text_.size() && is_letter(text_[at_])) ++at_;  // `40h`
    }

    bool is_separator(std::size_t at) const
    {
        return (text_[at] == '.' || text_[at] == ',') && at + 1 < text_.size() && is_digit(text_[at + 1]);
    }

    void take_word()
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_word_part(text_[at_])) ++at_;
        const auto* word = std::ranges::find(kWords, lower(text_.substr(begin, at_ - begin)));
        const bool is_number = word != kWords.end() && *word != "one";
        if (is_number)
            found_.push_back({.text = std::string(*word),
                              .readings = {{static_cast<double>(word - kWords.begin()), 0}},
                              .begin = begin});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<ShownNumber> found_;
};

bool is_shown_as(double known, const NumberReading& shown)
{
    const double most = 0.5 * std::pow(10.0, -shown.decimals) + 1e-9 * std::abs(shown.value);
    return std::abs(std::abs(known) - std::abs(shown.value)) <= most;
}

bool follows_from(const NumberReading& shown, bool is_percent, const std::vector<double>& known)
{
    for (const double a : known) {
        if (is_shown_as(a, shown) || (is_percent && is_shown_as(100 * a, shown))) return true;
        for (const double b : known) {
            const bool divides =
                b != 0 && (is_shown_as(a / b, shown) || (is_percent && is_shown_as(100 * a / b, shown)));
            if (divides || is_shown_as(a + b, shown) || is_shown_as(a - b, shown) || is_shown_as(a * b, shown))
                return true;
        }
    }
    return false;
}

/// The number, or what of `personal` it stands in.
std::string name_of(const ShownNumber& number, std::string_view text, const std::vector<text::PiiMatch>& personal)
{
    for (const text::PiiMatch& match : personal)
        if (match.begin <= number.begin && number.begin < match.end)
            return std::string(text.substr(match.begin, match.end - match.begin));
    return number.text;
}

}  // namespace

std::vector<ShownNumber> numbers_in(std::string_view text)
{
    return Finder(text).find();
}

std::vector<std::string> unsupported_numbers(std::string_view text, const std::vector<std::string_view>& sources)
{
    std::vector<double> known;
    for (const std::string_view source : sources)
        for (const ShownNumber& number : numbers_in(source))
            for (const NumberReading& reading : number.readings)
                if (known.size() < kMostSources && std::ranges::find(known, reading.value) == known.end())
                    known.push_back(reading.value);
    std::vector<std::string> unsupported;
    const auto personal = text::find_pii(text);
    for (const ShownNumber& number : numbers_in(text)) {
        const bool follows = std::ranges::any_of(number.readings, [&](const NumberReading& reading) {
            return follows_from(reading, number.is_percent, known);
        });
        if (follows) continue;
        std::string name = name_of(number, text, personal);
        if (std::ranges::find(unsupported, name) == unsupported.end()) unsupported.push_back(std::move(name));
    }
    return unsupported;
}

}  // namespace cadre::patterns
