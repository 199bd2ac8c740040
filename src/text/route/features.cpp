#include "text/route/features.hpp"

#include "base/utf8.hpp"
#include "text/char_class.hpp"
#include "text/code_point.hpp"
#include "text/fold.hpp"

#include <unicode/unorm2.h>

#include <algorithm>
#include <array>
#include <string>

namespace cadre::text::route {
namespace {

std::uint64_t key_of(FeatureKind kind, std::string_view bytes)
{
    std::uint64_t hash = 0xCBF29CE484222325u ^ (static_cast<std::uint64_t>(kind) + 1) * 0x9E3779B97F4A7C15u;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    return hash ^ hash >> 29;
}

bool is_word_part(CharClass kind)
{
    return kind == CharClass::upper || kind == CharClass::lower || kind == CharClass::letter ||
           kind == CharClass::mark || kind == CharClass::number;
}

bool is_apostrophe(char32_t c)
{
    return c == '\'' || c == 0x2019 || c == 0x02BC;
}

/// The first letter of é, ü, ṩ; others as they are.
char32_t without_accent(char32_t c)
{
    if (c < 0xC0 || c > 0x1EFF) return c;
    static const UNormalizer2* const nfd = [] {
        UErrorCode error = U_ZERO_ERROR;
        return unorm2_getNFDInstance(&error);
    }();
    if (!nfd) return c;
    UErrorCode error = U_ZERO_ERROR;
    UChar parts[8];
    const auto length = unorm2_getDecomposition(nfd, static_cast<UChar32>(c), parts, 8, &error);
    return length > 0 && U_SUCCESS(error) ? parts[0] : c;
}

/// Scripts that write no blanks between words: there a few characters are one.
bool is_dense_script(char32_t c)
{
    return (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF) || c >= 0x2E80;
}

void add_pieces(std::vector<Feature>& features, std::string_view word)
{
    const bool dense = is_dense_script(first_code_point(word).value);
    std::string framed;
    if (!dense) framed += '\x02';
    framed += word;
    if (!dense) framed += '\x03';
    std::vector<std::size_t> places;
    each_code_point(framed, [&](char32_t, std::size_t at) { places.push_back(at); });
    places.push_back(framed.size());
    const std::size_t shortest = dense ? 1 : 3, longest = dense ? 3 : 5;
    for (std::size_t first = 0; first + shortest < places.size(); ++first)
        for (std::size_t length = shortest; length <= longest && first + length < places.size(); ++length) {
            const auto piece = std::string_view(framed).substr(places[first], places[first + length] - places[first]);
            features.push_back({key_of(FeatureKind::piece, piece), 1, FeatureKind::piece});
        }
}

void merge_equal(std::vector<Feature>& features)
{
    std::ranges::sort(features, {}, &Feature::key);
    std::size_t kept = 0;
    for (const Feature& feature : features)
        if (kept && features[kept - 1].key == feature.key) ++features[kept - 1].count;
        else features[kept++] = feature;
    features.resize(kept);
}

}  // namespace

std::string plain_form(std::string_view text)
{
    std::string plain;
    plain.reserve(text.size());
    each_code_point(text, [&](char32_t c, std::size_t) {
        if (c < 0x80) {  // by far the most
            if (c != '\'') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
            return;
        }
        const char32_t seen = folded(c);
        if (seen == kNotSeen || is_apostrophe(seen)) return;
        if (seen >= 0x300 && seen <= 0x36F) return;  // an accent that stands alone
        append_code_point(plain, without_accent(seen));
    });
    return plain;
}

std::vector<std::string_view> words_of(std::string_view folded)
{
    const CharClasses& classes = CharClasses::table();
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < folded.size();) {
        std::size_t end = at;
        Character c = classes.character(folded, end);
        for (; is_word_part(c.kind); c = classes.character(folded, end)) end += c.bytes;
        if (end > at) words.push_back(folded.substr(at, end - at));
        at = end + std::max<std::size_t>(c.bytes, 1);
    }
    return words;
}

std::vector<Feature> features_of(std::string_view text)
{
    const std::string plain = plain_form(utf8_prefix(text, kMostRequestBytes));
    const auto words = words_of(plain);
    std::vector<Feature> features;
    features.reserve(words.size() * 16);
    for (std::size_t i = 0; i < words.size(); ++i) {
        features.push_back({key_of(FeatureKind::word, words[i]), 1, FeatureKind::word});
        add_pieces(features, words[i].substr(0, 64));
        if (i == 0) continue;
        // the two stand one behind the other, with what is between them
        const auto pair = std::string_view(
            words[i - 1].data(), static_cast<std::size_t>(words[i].data() + words[i].size() - words[i - 1].data()));
        features.push_back({key_of(FeatureKind::pair, pair), 1, FeatureKind::pair});
    }
    merge_equal(features);
    return features;
}

}  // namespace cadre::text::route
