#include "text/split.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace cadre::text;

namespace {

std::string pieces(std::string_view text, Encoding encoding)
{
    std::string all;
    while (!text.empty()) {
        const std::size_t length = first_piece(text, encoding);
        all.append(all.empty() ? "" : "|").append(text.substr(0, length));
        text.remove_prefix(length);
    }
    return all;
}

}  // namespace

TEST_CASE("split: pieces are those of the regular expressions")
{
    struct {
        std::string_view text;
        std::string_view o200k;
        std::string_view cl100k;
    } const cases[] = {
        {"It's 12345 o'clock", "It's| |123|45| o|'clock", "It|'s| |123|45| o|'clock"},
        {"camelCase HTTPServer", "camel|Case| HTTPServer", "camelCase| HTTPServer"},
        {"a  b   \n\n  c", "a| | b|   \n\n| | c", "a| | b|   \n\n| | c"},
        {"end \n  ", "end| \n|  ", "end| \n  "},
        {"x //\n/y", "x| //\n/|y", "x| //\n|/y"},
        {"\u0301ABC", "\u0301|ABC", "\u0301ABC"},
        {"!!\u0301", "!!\u0301", "!!\u0301"},
        {"A\u00aaBC", "A\u00aa|BC", "A\u00aaBC"},
        {"it'\u017fx", "it'\u017f|x", "it|'\u017f|x"},
        {"\u0085\u0085x", "\u0085|\u0085x", "\u0085|\u0085x"},
        {"\ufeff{", "\ufeff{", "\ufeff{"},
        {"'LLama", "'LLama", "'LL|ama"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(pieces(c.text, Encoding::o200k_base) == c.o200k);
        CHECK(pieces(c.text, Encoding::cl100k_base) == c.cl100k);
    }
}
