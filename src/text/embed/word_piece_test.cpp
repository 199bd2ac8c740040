#include "text/embed/word_piece.hpp"

#include "support/error_of.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::text::embed;

namespace {

constexpr std::string_view kSmall =
    R"({"normalizer":{"lowercase":true},"model":{"type":"WordPiece","vocab":{"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,)"
    R"("play":4,"##ing":5,"##s":6,"!":7,"=":8,"中":9,"文":10,"uber":11,"a":12,"##a":13,"them":14,"[":15,"]":16,"cls":17}}})";

using Tokens = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("word piece: the longest pieces, without case and accents, punctuation and Han alone")
{
    const WordPiece tokenizer(kSmall, "t.json");
    const struct {
        const char* text;
        Tokens inner;
    } cases[] = {{"", {}},
                 {"playing", {4, 5}},
                 {"PLAYS!", {4, 6, 7}},
                 {"Über über u\xCC\x88"
                  "ber",
                  {11, 11, 11}},
                 {"中文play", {9, 10, 4}},
                 {"them≠them", {14, 8, 14}},
                 {"played", {1}},
                 {"pl\xE2\x80\x8B"
                  "ay\n\tplay",
                  {4, 4}},
                 {"[CLS]", {15, 17, 16}},
                 {"\xFFplay\xED\xA0\x80!", {4, 7}},
                 {"😀 play", {1, 4}}};
    for (const auto& c : cases) {
        CAPTURE(c.text);
        Tokens expected{2};
        expected.insert(expected.end(), c.inner.begin(), c.inner.end());
        expected.push_back(3);
        CHECK(tokenizer.tokens(c.text, 256) == expected);
    }
}

TEST_CASE("word piece: long words are unknown, long texts are cut behind as many tokens as fit")
{
    const WordPiece tokenizer(kSmall, "t.json");
    CHECK(tokenizer.tokens(std::string(100, 'a'), 256).size() == 102);
    CHECK(tokenizer.tokens(std::string(101, 'a'), 256) == Tokens{2, 1, 3});
    CHECK(tokenizer.tokens(std::string(10'000'000, 'a'), 256) == Tokens{2, 1, 3});
    std::string many;
    while (many.size() < 10'000'000) many += "playing ";
    const Tokens cut = tokenizer.tokens(many, 8);
    CHECK(cut == Tokens{2, 4, 5, 4, 5, 4, 5, 3});
}

TEST_CASE("word piece: what is not such a tokenizer is refused by name")
{
    for (const char* json : {"", "[]", "{}", R"({"model":{"type":"BPE","vocab":{}},"normalizer":{"lowercase":true}})",
                             R"({"model":{"type":"WordPiece","vocab":{"a":"b"}},"normalizer":{"lowercase":true}})",
                             R"({"model":{"type":"WordPiece","vocab":{}},"normalizer":{"lowercase":true}})"}) {
        CAPTURE(json);
        CHECK_THROWS_AS(WordPiece(json, "t.json"), Error);
    }
    CHECK(test::error_of([] { WordPiece("{}", "t.json"); }) ==
          "invalid: t.json: is not the tokenizer of an uncased BERT model");
}
