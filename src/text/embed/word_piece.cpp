#include "text/embed/word_piece.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "text/code_point.hpp"

#include <boost/json.hpp>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include <algorithm>

namespace cadre::text::embed {
namespace {

constexpr std::size_t kMostTokenizerBytes = 8 << 20;
/// A longer word is unknown as a whole.
constexpr std::size_t kMostWordCharacters = 100;
/// Far more than any number of tokens takes; what a text of megabytes without a blank may cost.
constexpr std::size_t kMostTextBytes = 256 << 10;

bool is_space(char32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || u_isUWhiteSpace(static_cast<UChar32>(c));
}

/// Controls, formats, private use and what is not assigned: left out.
bool is_dropped(char32_t c)
{
    if (c == 0 || c == 0xFFFD) return true;
    const auto mask = U_GET_GC_MASK(static_cast<UChar32>(c));
    return (mask & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CS_MASK | U_GC_CO_MASK)) != 0;
}

bool is_punctuation(char32_t c)
{
    if (c < 0x80) return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
    return (U_GET_GC_MASK(static_cast<UChar32>(c)) & U_GC_P_MASK) != 0;
}

bool is_han(char32_t c)
{
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
           (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

/// Calls `take` with the character without accents and in lower case, as BERT's uncased models were taught: none, one or several.
template <class Take>
void each_plain(char32_t c, const Take& take)
{
    if (c < 0x80) return take(static_cast<char32_t>(c >= 'A' && c <= 'Z' ? c + 32 : c));
    static const UNormalizer2* const nfd = [] {
        UErrorCode error = U_ZERO_ERROR;
        return unorm2_getNFDInstance(&error);
    }();
    UErrorCode error = U_ZERO_ERROR;
    UChar parts[32];
    const int length = nfd ? unorm2_getDecomposition(nfd, static_cast<UChar32>(c), parts, 32, &error) : -1;
    const auto add = [&](UChar32 part) {
        if (u_charType(part) != U_NON_SPACING_MARK) take(static_cast<char32_t>(u_tolower(part)));
    };
    if (length < 0 || U_FAILURE(error)) return add(static_cast<UChar32>(c));
    for (int i = 0; i < length;) {
        UChar32 part = 0;
        U16_NEXT(parts, i, length, part);
        add(part);
    }
}

}  // namespace

WordPiece::WordPiece(std::string_view json, const std::string& name)
{
    const auto refuse = [&] { throw Error(Code::invalid, name + ": is not the tokenizer of an uncased BERT model"); };
    try {
        const json::value all = parse_json(json, {.bytes = kMostTokenizerBytes});
        const json::object& model = all.at("model").as_object();
        if (model.at("type").as_string() != "WordPiece" || !all.at("normalizer").at("lowercase").as_bool()) refuse();
        const json::object& vocabulary = model.at("vocab").as_object();
        whole_.reserve(vocabulary.size());
        for (const auto& [key, value] : vocabulary) {
            std::string_view token = key;
            const auto number = value.to_number<std::uint32_t>();
            const bool continues = token.starts_with("##");
            if (continues) token.remove_prefix(2);
            longest_ = std::max(longest_, token.size());
            (continues ? rest_ : whole_).emplace(token, number);
        }
    } catch (const std::exception&) {  // not JSON, or values of other types than we ask for
        refuse();
    }
    first_ = special("[CLS]", name);
    last_ = special("[SEP]", name);
    unknown_ = special("[UNK]", name);
}

std::uint32_t WordPiece::special(std::string_view token, const std::string& name) const
{
    const auto found = whole_.find(token);
    if (found == whole_.end()) throw Error(Code::invalid, name + ": has no token " + std::string(token));
    return found->second;
}

void WordPiece::add_word(std::vector<std::uint32_t>& tokens, std::string_view word) const
{
    if (word.empty()) return;
    const std::size_t before = tokens.size();
    const Numbers* known = &whole_;
    if (word.size() > kMostWordCharacters && count_code_points(word) > kMostWordCharacters) {
        tokens.push_back(unknown_);
        return;
    }
    while (!word.empty()) {  // always the longest that fits
        std::size_t length = std::min(word.size(), longest_);
        auto found = known->end();
        for (; length > 0; --length) {
            found = known->find(word.substr(0, length));
            if (found != known->end()) break;
        }
        if (length == 0) {
            tokens.resize(before);
            tokens.push_back(unknown_);
            return;
        }
        tokens.push_back(found->second);
        word.remove_prefix(length);
        known = &rest_;
    }
}

std::vector<std::uint32_t> WordPiece::tokens(std::string_view text, std::size_t most) const
{
    text = utf8_prefix(text, kMostTextBytes);
    std::vector<std::uint32_t> tokens{first_};
    std::string word;
    const auto end_word = [&] {
        add_word(tokens, word);
        word.clear();
    };
    while (!text.empty() && tokens.size() < most) {
        const CodePoint next = first_code_point(text);
        text.remove_prefix(next.bytes);
        const char32_t c = next.value;
        if (is_space(c)) end_word();
        else if (!is_dropped(c))
            each_plain(c, [&](char32_t plain) {
                const bool alone = is_punctuation(plain) || is_han(c);
                if (alone) end_word();
                if (word.size() <= 8 * kMostWordCharacters)
                    append_code_point(word, plain);  // enough to see that it is too long
                if (alone) end_word();
            });
    }
    end_word();
    tokens.resize(std::min(tokens.size(), most - 1));
    tokens.push_back(last_);
    return tokens;
}

}  // namespace cadre::text::embed
