#include "memory/likeness.hpp"

#include "base/ascii.hpp"
#include "text/search/terms.hpp"

#include <algorithm>
#include <optional>

namespace cadre::memory {
namespace {

constexpr std::string_view kNegations[] = {"no",     "not",    "never",  "without", "don't", "doesn't", "didn't",
                                           "isn't",  "aren't", "wasn't", "weren't", "won't", "can't",   "cannot",
                                           "nicht",  "kein",   "keine",  "keinen",  "nie",   "ohne",    "pas",
                                           "jamais", "sans",   "nunca",  "sin",     "non",   "mai",     "senza"};
constexpr std::string_view kDates[] = {"january", "february", "march",     "april",    "may",      "june",
                                       "july",    "august",   "september", "october",  "november", "december",
                                       "monday",  "tuesday",  "wednesday", "thursday", "friday",   "saturday",
                                       "sunday",  "today",    "tomorrow",  "yesterday"};

/// `3rd`, `03` and `3` are one; nothing for what is no number.
std::optional<std::string> number_in(std::string_view word)
{
    if (word.empty() || !is_digit(word.front())) return std::nullopt;
    std::string number(word);
    for (const std::string_view ending : {"st", "nd", "rd", "th"})
        if (number.ends_with(ending)) number.resize(number.size() - 2);
    number.erase(0, std::min(number.find_first_not_of('0'), number.size() - 1));
    return number;
}

}  // namespace

Said said_in(std::string_view text)
{
    // words as they stand: stop words say whether something is denied, and terms have no capitals
    Said said;
    std::string word, rest;
    bool begins = true;
    const auto take = [&] {
        if (word.empty()) return;
        const std::string small = lower(word);
        const bool has_capital = small != word && !is_digit(word.front());
        if (std::ranges::find(kNegations, small) != std::end(kNegations)) said.is_negated = true;
        else if (auto number = number_in(small)) said.values.insert(std::move(*number));
        else if (std::ranges::find(kDates, small) != std::end(kDates)) said.values.insert(small);
        else {
            if (has_capital && !begins) said.names.insert(small);
            rest += word + ' ';
        }
        begins = false;
        word.clear();
    };
    for (const char c : text) {
        if (is_letter(c) || is_digit(c) || c == '\'' || static_cast<unsigned char>(c) >= 0x80) {
            word += c;
            continue;
        }
        take();
        if (c == '.' || c == '!' || c == '?' || c == '\n' || c == ':') begins = true;
    }
    take();
    for (std::string& term : text::search::terms_of(rest, text::search::Language::english))
        said.terms.insert(std::move(term));
    return said;
}

double overlap(const Said& a, const Said& b)
{
    const auto both = static_cast<double>(
        std::ranges::count_if(a.terms, [&](const std::string& term) { return b.terms.contains(term); }));
    const double all = static_cast<double>(a.terms.size() + b.terms.size()) - both;
    return all > 0 ? both / all : 0;
}

Likeness compare(const Said& a, const Said& b, double cosine)
{
    if (cosine < kSameCosine && overlap(a, b) < kSameOverlap) return Likeness::different;
    // where one has no capitals at all, they may be just how it was typed
    if (a.names != b.names && !a.names.empty() && !b.names.empty()) return Likeness::different;
    if (a.is_negated != b.is_negated) return Likeness::contradicting;
    if (a.values == b.values) return Likeness::same;
    const bool says_more = std::ranges::includes(a.values, b.values) || std::ranges::includes(b.values, a.values);
    return says_more ? Likeness::different : Likeness::contradicting;
}

}  // namespace cadre::memory
