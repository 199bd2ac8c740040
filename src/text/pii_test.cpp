#include "text/pii.hpp"

#include "base/random.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cadre;
using namespace cadre::text;

namespace {

std::string shown(std::string_view text)
{
    return find_masked_pii(text).value_or(std::string(text));
}

}  // namespace

TEST_CASE("pii: what is personal is masked, and nothing around it")
{
    struct {
        const char* text;
        const char* masked;
    } const cases[] = {
        // e-mail
        {"write to ann.b+c@mail.example.org, please", "write to [EMAIL], please"},
        {"jürgen@müller.de.", "[EMAIL]."},
        {"a@b.co/x <bob@example.com>", "[EMAIL]/x <[EMAIL]>"},
        {"x@example.com-based", "[EMAIL]-based"},
        {"o'neil@example.com.2024", "[EMAIL].2024"},
        // phone
        {"call +49 30 1234567 now", "call [PHONE] now"},
        {"+14155550199", "[PHONE]"},
        {"(030) 123-4567", "[PHONE]"},
        {"tel 030/12345678.", "tel [PHONE]."},
        {"1-800-555-1234 and 212.555.1234", "[PHONE] and [PHONE]"},
        {"01 23 45 67 89", "[PHONE]"},
        // SSN
        {"SSN:123-45-6789!", "SSN:[SSN]!"},
        {"ssn 123-45-6789 2024", "ssn [SSN] 2024"},
        // card
        {"4111 1111 1111 1111", "[CARD]"},
        {"card=4111111111111111;", "card=[CARD];"},
        {"3782-822463-10005", "[CARD]"},
        // IBAN
        {"DE89 3704 0044 0532 0130 00 and more", "[IBAN] and more"},
        {"de89370400440532013000", "[IBAN]"},
        {"GB82WEST12345698765432", "[IBAN]"},
        // addresses
        {"from 192.168.1.10:8080 to 10.0.0.1", "from [IP]:8080 to [IP]"},
        {"fe80::1 and 2001:db8:85a3:0:0:8a2e:370:7334.", "[IP] and [IP]."},
        {"00:1A:2b:3c:4D:5e, 00-1a-2b-3c-4d-5e", "[MAC], [MAC]"},
        {"::1: is home", "[IP]: is home"},
    };
    for (const auto& c : cases) {
        CAPTURE(std::string(c.text));
        CHECK(shown(c.text) == c.masked);
    }
}

TEST_CASE("pii: what only looks like it stays")
{
    constexpr const char* plain[] = {
        "at 2024-11-16 10:00:00 and 16.11.2024 12:30",
        "12345678901 items",                    // no separators
        "1.234.567.890 euros",                  // an amount
        "version 1.2.3, and 300.1.2.3",         // no octet
        "4111 1111 1111 1112",                  // fails Luhn
        "000-12-3456 666-12-3456 900-12-3456",  // never given out
        "DE88370400440532013000",               // fails mod 97
        "std::dec and a::b and 12:34:56",
        "550e8400-e29b-41d4-a716-446655440000",
        "me@localhost @ann a@b.1",
        "10 20 30 40 50",
        "1 2 3 4 5 6 7 8 9 10 11",
        "x123-45-6789 123-45-6789x",
        "",
    };
    for (const char* text : plain) {
        CAPTURE(std::string(text));
        CHECK(shown(text) == text);
    }
}

TEST_CASE("pii: only the kinds that are asked for are masked, and a card is not a phone even then")
{
    PiiKinds phones;
    phones.add(PiiKind::phone);
    CHECK(!find_masked_pii("4111 1111 1111 1111 and a@example.com", phones));
    CHECK(find_masked_pii("+49 30 1234567, a@example.com", phones) == "[PHONE], a@example.com");
    CHECK(find_pii_kind("emial") == std::nullopt);
    CHECK(find_pii_kind("iban") == PiiKind::iban);
}

TEST_CASE("pii: finds are in order and apart, and those of a line do not depend on other lines")
{
    constexpr std::string_view pieces[] = {"a",
                                           "@",
                                           ".",
                                           "com",
                                           "1",
                                           "23",
                                           "4567",
                                           " ",
                                           "-",
                                           "+",
                                           "(",
                                           ")",
                                           ":",
                                           "::",
                                           "DE89",
                                           "ü",
                                           "x",
                                           "/",
                                           "4111111111111111",
                                           "123-45-6789",
                                           "fe80",
                                           "0",
                                           "\xC3"};
    SeededRandom random(3);
    std::size_t finds = 0;
    const auto line = [&] {
        std::string text;
        for (auto n = random.below(16); n > 0; --n) text += pieces[random.below(std::size(pieces))];
        return text;
    };
    for (int i = 0; i < 10'000; ++i) {
        const std::string first = line() + "\n", second = line();
        std::vector<PiiMatch> expected = find_pii(first);
        for (PiiMatch match : find_pii(second)) {
            match.begin += first.size();
            match.end += first.size();
            expected.push_back(match);
        }
        const std::vector<PiiMatch> found = find_pii(first + second);
        CAPTURE(first + second);
        REQUIRE(found == expected);
        for (std::size_t k = 0; k < found.size(); ++k) {
            REQUIRE(found[k].begin < found[k].end);
            REQUIRE((k == 0 || found[k - 1].end <= found[k].begin));
        }
        finds += found.size();
    }
    CHECK(finds > 3000);
}
