#include "text/vocabulary.hpp"

#include "support/error_of.hpp"
#include "text/merge.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::text;
using test::error_of;

namespace {

/// As prepare/main.cpp writes them: the 256 bytes, then these.
std::string prepared(const std::vector<std::string>& more)
{
    std::string lengths(256, '\1');
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    for (const std::string& token : more) {
        lengths += static_cast<char>(token.size());
        bytes += token;
    }
    const std::size_t count = lengths.size();
    return std::string("CADRETOK") + static_cast<char>(count & 255) + static_cast<char>(count >> 8) +
           std::string(2, '\0') + lengths + bytes;
}

}  // namespace

TEST_CASE("vocabulary: what is not one is refused")
{
    const std::string good = prepared({"ab", "abc"});
    struct {
        std::string text;
        const char* says;
    } const cases[] = {
        {"", "does not begin as one"},
        {"CADRETOK", "does not begin as one"},
        {good.substr(0, 100), "is cut short"},
        {good.substr(0, good.size() - 1), "its size is wrong"},
        {good + "x", "its size is wrong"},
        {prepared({"ab", "ab"}), "a token twice"},
        {prepared({""}), "an empty token"},
        {std::string("CADRETOK\1\0\0\0\1a", 14), "a byte has no token"},
        {std::string("CADRETOK\xff\xff\xff\xff", 12), "too many tokens"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.says);
        CHECK(error_of([&] { Vocabulary(Encoding::o200k_base, c.text); }) == doctest::Contains(c.says));
    }
}

TEST_CASE("merge: the lowest rank first, the leftmost of equals, in short pieces and long ones")
{
    const std::string text = prepared({"bc", "ab", "abc", "aa", "aaaa"});  // 256, 257, ...
    const Vocabulary vocabulary(Encoding::cl100k_base, text);
    Merger merger(vocabulary);
    const auto merged = [&](const std::string& piece) {
        std::vector<Token> tokens;
        merger.append(piece, tokens);
        return tokens;
    };
    CHECK(merged("abcd") == std::vector<Token>{258, 'd'});
    CHECK(merged("aaaaa") == std::vector<Token>{260, 'a'});
    CHECK(merged("aaa") == std::vector<Token>{259, 'a'});

    for (std::size_t length = 90; length < 110; ++length) {
        std::vector<Token> wanted(length / 4, 260);
        if (length % 4 >= 2) wanted.push_back(259);
        if (length % 2 == 1) wanted.push_back('a');
        CHECK(merged(std::string(length, 'a')) == wanted);
    }
}
