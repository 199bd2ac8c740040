// Any bytes have tokens that give them back, in both encodings; pieces make up the text; queue and search join the same pairs; and any
// bytes are a vocabulary or are refused.
#include "base/error.hpp"
#include "expect.hpp"
#include "text/merge.hpp"
#include "text/split.hpp"
#include "text/tokens.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace cadre;
using namespace cadre::text;

namespace {

/// Every byte, and pairs of a few letters: so that a vocabulary is there in any build, and joins are frequent.
std::string small_vocabulary()
{
    std::string lengths(256, '\1');
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    for (const std::string_view token :
         {"ba", "ab", "aa", "abab", "aab", " a", "aaaa", "baa", " aab", "\xcc\x81", "\r\n", "aaaaaaaa"}) {
        lengths += static_cast<char>(token.size());
        bytes += token;
    }
    const std::string count{static_cast<char>(lengths.size() & 255), static_cast<char>(lengths.size() >> 8), 0, 0};
    return "CADRETOK" + count + lengths + bytes;
}

/// The definition, word for word.
std::vector<Token> joined(std::string_view piece, const Vocabulary& vocabulary)
{
    std::vector<std::string_view> parts;
    for (std::size_t i = 0; i < piece.size(); ++i) parts.push_back(piece.substr(i, 1));
    const auto pair = [&](std::size_t i) {
        return std::string_view(parts[i].data(), parts[i].size() + parts[i + 1].size());
    };
    while (true) {
        std::size_t least = 0;
        std::optional<Token> rank;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i)
            if (const auto found = vocabulary.find(pair(i)); found && (!rank || *found < *rank)) {
                rank = found;
                least = i;
            }
        if (!rank) break;
        parts[least] = pair(least);
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(least) + 1);
    }
    std::vector<Token> tokens;
    for (const std::string_view part : parts) tokens.push_back(vocabulary.find(part).value());
    return tokens;
}

void expect_whole(std::string_view text, const Vocabulary& vocabulary)
{
    const std::vector<Token> tokens = encode(text, vocabulary);
    EXPECT(decode(tokens, vocabulary) == text);
    EXPECT(count_tokens(text, vocabulary) == tokens.size());

    std::vector<Token> all;
    Merger merger(vocabulary);
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t length = first_piece(rest, vocabulary.encoding());
        EXPECT(length > 0 && length <= rest.size());
        merger.append(rest.substr(0, length), all);
        rest.remove_prefix(length);
    }
    EXPECT(all == tokens);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    static const std::string prepared = small_vocabulary();
    const std::string_view text = fuzz::text_of(data, size);
    static const Vocabulary small(Encoding::o200k_base, prepared);
    expect_whole(text, small);
    for (const Encoding encoding : {Encoding::o200k_base, Encoding::cl100k_base})
        if (const Vocabulary* vocabulary = find_vocabulary(encoding)) expect_whole(text, *vocabulary);
    if (text.size() > 1 && text.size() <= 160 && !small.find(text)) {
        std::vector<Token> tokens;
        Merger(small).append(text, tokens);
        EXPECT(tokens == joined(text, small));
    }
    EXPECT(text.empty() == (estimate_tokens(text) == 0));
    EXPECT(estimate_tokens(text) <= text.size());

    try {
        const Vocabulary vocabulary(Encoding::cl100k_base, text);
        EXPECT(vocabulary.size() >= 256);
        expect_whole(text, vocabulary);
    } catch (const Error& error) {
        EXPECT(error.code() == Code::malformed);
    }
    return 0;
}
