#include "text/search/terms.hpp"

#include <doctest/doctest.h>

using namespace cadre::text::search;

TEST_CASE("a text's language is guessed by its small words, and is English where there are none")
{
    CHECK(guess_language("Wie lange dauert die Lieferung, und was kostet sie?") == Language::german);
    CHECK(guess_language("La livraison est gratuite pour les clients") == Language::french);
    CHECK(guess_language("Это не для нас") == Language::russian);
    CHECK(guess_language("How do I return it?") == Language::english);
    CHECK(guess_language("42") == Language::english);
}
