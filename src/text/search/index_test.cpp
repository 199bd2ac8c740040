#include "text/search/index.hpp"

#include "support/error_of.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::text::search;

namespace {

std::vector<Key> keys(const std::vector<Hit>& hits)
{
    std::vector<Key> all;
    for (const Hit& hit : hits) all.push_back(hit.key);
    return all;
}

using Keys = std::vector<Key>;
using Terms = std::vector<std::string>;

}  // namespace

TEST_CASE("terms: stems without stop words, accents and case; scripts without blanks are cut into words")
{
    CHECK(terms_of("The parcels were SHIPPED to the houses", Language::english) == Terms{"parcel", "ship", "hous"});
    CHECK(terms_of("Die Häuser sind schön", Language::german) == Terms{"haus", "schon"});
    CHECK(terms_of("как быстрые лисицы", Language::russian).size() == 2);
    CHECK(terms_of("The parcels", Language::none) == Terms{"the", "parcels"});
    CHECK(terms_of("to be or not to be", Language::english).size() == 6);
    CHECK(terms_of("明日の天気を教えて", Language::none).size() > 2);
    CHECK(terms_of("ภาษาไทยไม่มีวรรค", Language::none).size() > 1);
    CHECK(terms_of("", Language::english).empty());
    CHECK(terms_of("?! 😀 \xFF\xED\xA0\x80", Language::english).empty());
    CHECK(terms_of(std::string(10'000'000, ' ') + "late", Language::english).empty());
}

TEST_CASE("terms: languages go by name and by letters")
{
    CHECK(find_language("German") == Language::german);
    CHECK(find_language("pt") == Language::portuguese);
    CHECK(find_language("none") == Language::none);
    CHECK(!find_language("klingon"));
}

TEST_CASE("index: texts with rarer words of the query come first, in other endings, too")
{
    Index index;
    index.put(1, "The invoice of May was paid twice");
    index.put(2, "Parcels arrive on Monday");
    index.put(3, "The parcel was damaged on Monday, and the invoice was wrong");
    CHECK(keys(index.find("damaged parcel")) == Keys{3, 2});
    CHECK(keys(index.find("paying invoices")).front() == 1);
    CHECK(index.find("weather").empty());
    CHECK(index.find("").empty());
    CHECK(index.find("the parcel", {}, {.limit = 1}).size() == 1);
    const Hit whole = index.find("damaged parcel").front();
    CHECK(whole.coverage == doctest::Approx(1));
    CHECK(whole.relevance() == doctest::Approx(0.5));
}

TEST_CASE("index: what was replaced or erased is found no more, and its place is used again")
{
    Index index;
    index.put(1, "secret plans", std::vector<float>{1, 0});
    index.put(2, "public plans", std::vector<float>{0, 1});
    index.put(1, "lunch", std::vector<float>{0.6F, 0.8F});
    CHECK(index.size() == 2);
    CHECK(index.find("secret").empty());
    CHECK(index.erase(2));
    CHECK(!index.erase(2));
    CHECK(index.find("public plans").empty());
    CHECK(keys(index.find("plans", std::vector<float>{0, 1})) == Keys{1});  // by its vector
    index.put(3, "dinner");
    CHECK(keys(index.find("dinner")) == Keys{3});
    CHECK(index.size() == 2);
}

TEST_CASE("index: words and meaning are fused by rank; either alone is enough")
{
    Index index;
    index.put(1, "where is my parcel", std::vector<float>{1, 0, 0});
    index.put(2, "shipment tracking", std::vector<float>{0.9F, 0.436F, 0});
    index.put(3, "play jazz", std::vector<float>{0, 0, 1});
    index.put(4, "the parcel shelf");
    const std::vector<float> query{1, 0, 0};
    CHECK(keys(index.find("parcel", query)) == Keys{1, 2, 4});
    CHECK(keys(index.find("package", query)) == Keys{1, 2});
    CHECK(keys(index.find("parcel", query, {.dense_weight = 0})).size() >= 2);
    CHECK(keys(index.find("parcel")).size() == 2);
    CHECK(keys(index.find("parcel", query, {.threshold = 0.9})) == Keys{1});
    CHECK(index.find("parcel", query, {.threshold = 1.01}).empty());
}

TEST_CASE("index: halves of surrogates hide no word beside them, and texts of 10 MB are found")
{
    Index index;
    index.put(1, "red \xED\xA0\x80 parcel \xED\xBF\xBF 😀");
    std::string text = "a shipment from Leeds ";
    while (text.size() < 10'000'000) text += "日本語 Größe parcels 😀 ";
    index.put(2, text);
    CHECK(keys(index.find("\xED\xB0\x80red")) == Keys{1});
    CHECK(keys(index.find("shipment from Leeds")) == Keys{2});
    CHECK(keys(index.find("parcel")).size() == 2);
    CHECK(!index.find(text).empty());
    CHECK(index.erase(2));
    CHECK(index.find("Leeds").empty());
}

TEST_CASE("index: vectors of another size are refused, and change nothing")
{
    Index index;
    index.put(1, "first", std::vector<float>{1, 0});
    CHECK(test::error_of([&] { index.put(1, "second", std::vector<float>{1}); }) ==
          "invalid: a vector of 1 numbers does not fit the 2 of this index");
    CHECK(keys(index.find("first")) == Keys{1});
    CHECK(test::error_of([&] { index.find("x", std::vector<float>{1, 2, 3}); }) ==
          doctest::Contains("does not fit the 2"));
}
