#include "base/suggest.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace cadre;

TEST_CASE("nearest: typing slips find their word, other words find nothing")
{
    const std::vector<std::string> verbs{"completion", "doctor", "help", "version", "show", "serve"};
    struct {
        std::string word;
        std::optional<std::string> meant;
    } const cases[] = {
        {"doctor", "doctor"},  {"doctr", "doctor"},        {"dcotor", "doctor"},
        {"doctorr", "doctor"}, {"Doctor", "doctor"},       {"VERSION", "version"},
        {"hepl", "help"},      {"comp", "completion"},     {"vers", "version"},
        {"serv", "serve"},     {"shwo", "show"},           {"d", std::nullopt},
        {"", std::nullopt},    {"banana", std::nullopt},   {"--help", "help"},
        {"do", "doctor"},      {"\xff\xfe", std::nullopt}, {"completoin", "completion"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.word);
        CHECK(nearest(c.word, verbs) == c.meant);
    }
}

TEST_CASE("nearest: the fewest changes win, then the first candidate")
{
    CHECK(nearest("cart", std::vector<std::string>{"carts", "cart"}) == "cart");
    CHECK(nearest("cart", std::vector<std::string>{"card", "care"}) == "card");
    CHECK(nearest("tool", std::vector<std::string>{"toolbox_of_many_words", "pool"}) == "pool");
}

TEST_CASE("nearest: a word of a megabyte is near to nothing, at once")
{
    const std::vector<std::string> verbs{"doctor", std::string(1 << 20, 'x')};
    CHECK_FALSE(nearest(std::string(1 << 20, 'x'), verbs));
    CHECK(nearest(std::string(64, 'x'), std::vector<std::string>{std::string(64, 'x')}));
    CHECK_FALSE(nearest("anything", {}));
}
