#include "channels/consent_words.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace cadre::channels {
namespace {

constexpr std::string_view kStop[] = {"stop", "stopall", "stop all", "unsubscribe", "cancel",
                                      "end",  "quit",    "revoke",   "optout",      "opt out"};
constexpr std::string_view kStart[] = {"start", "unstop"};
constexpr std::string_view kHelp[] = {"help", "info"};
constexpr std::size_t kLongest = 40;

std::string plain(std::string_view text)
{
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    const auto is_mark = [](char c) { return c == '.' || c == '!' || c == '?' || c == ',' || c == ';' || c == ':'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && (is_blank(text.back()) || is_mark(text.back()))) text.remove_suffix(1);
    return text.size() > kLongest ? std::string() : lower(text);
}

}  // namespace

ConsentWord consent_word_in(std::string_view text, std::span<const std::string> more, bool out)
{
    const std::string word = plain(text);
    if (word.empty()) return ConsentWord::none;
    const auto is_one = [&](const auto& words) { return std::ranges::find(words, word) != std::end(words); };
    if (is_one(kStop) || std::ranges::any_of(more, [&](const std::string& one) { return plain(one) == word; }))
        return ConsentWord::stop;
    if (is_one(kStart) || (out && word == "yes")) return ConsentWord::start;
    return is_one(kHelp) ? ConsentWord::help : ConsentWord::none;
}

}  // namespace cadre::channels
