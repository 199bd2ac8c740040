#include "server/auth/api_key.hpp"

#include "base/random.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace cadre;
using namespace cadre::server;

TEST_CASE("api key: what is made can be read, found by its id and told from others")
{
    SeededRandom random(1);
    const ApiKey key = new_api_key(random);
    const std::string text(key.text().reveal());
    CHECK(text.size() == 3 + 12 + 1 + 32);
    CHECK(text.starts_with("ck_" + key.id + "_"));
    const auto read = find_api_key(text);
    REQUIRE(read);
    CHECK(read->id == key.id);
    CHECK(matches(*read, key.hash()));
    CHECK(!matches(new_api_key(random), key.hash()));
    std::set<std::string> texts;
    for (int i = 0; i < 1'000; ++i) texts.insert(std::string(new_api_key(system_random()).text().reveal()));
    CHECK(texts.size() == 1'000);
}

TEST_CASE("api key: one changed letter of the secret is another key")
{
    SeededRandom random(1);
    const ApiKey key = new_api_key(random);
    const std::string text(key.text().reveal());
    for (std::size_t i = text.size() - 32; i < text.size(); ++i) {
        std::string other = text;
        other[i] = other[i] == 'a' ? 'b' : 'a';
        CHECK(!matches(find_api_key(other).value(), key.hash()));
    }
}

TEST_CASE("api key: what only looks like one is none")
{
    SeededRandom random(1);
    const std::string text(new_api_key(random).text().reveal());
    for (const std::string& other :
         {std::string(), std::string("ck_"), text + "x", text.substr(0, text.size() - 1), "CK" + text.substr(2),
          "x" + text, text.substr(0, 15) + "-" + text.substr(16), text.substr(0, 20) + "!" + text.substr(21),
          text.substr(0, 20) + std::string(1, '\0') + text.substr(21)}) {
        CAPTURE(other);
        CHECK(!find_api_key(other));
    }
}
