#include "text/route/classifier.hpp"

#include "text/encoder.hpp"
#include "text/route/features.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre::text;
using namespace cadre::text::route;

namespace {

std::vector<Entry> shop()
{
    return {{"billing",
             "Invoices, payments and refunds",
             {"where is my invoice", "I was charged twice", "I want my money back", "my card was declined",
              "how do I pay by bank transfer", "the amount on the bill is wrong"}},
            {"delivery",
             "Parcels on their way",
             {"where is my parcel", "when will my order arrive", "the package was damaged in transit",
              "change the delivery address", "the courier did not come", "track my shipment"}},
            {"music",
             "Plays songs",
             {"play some rock and roll", "next song please", "turn the volume down", "pause the music", "put on jazz",
              "make it louder"}}};
}

/// Knows three topics, whatever the words are.
class Topics final : public Encoder {
public:
    std::string id() const override { return "topics"; }
    std::vector<std::vector<float>> encode(std::span<const std::string_view> texts) const override
    {
        std::vector<std::vector<float>> vectors;
        for (const std::string_view text : texts) {
            const bool money = text.find("money") != text.npos || text.find("Geld") != text.npos;
            vectors.push_back(money ? std::vector<float>{1, 0} : std::vector<float>{0, 1});
        }
        return vectors;
    }
};

std::string name_of(const std::vector<Entry>& entries, const Verdict& verdict)
{
    return entries[verdict.best.front().entry].name;
}

}  // namespace

TEST_CASE("classifier: requests in other words than the examples find their entry")
{
    const auto entries = shop();
    const Classifier classifier(entries);
    CHECK(classifier.encoder() == "words");
    const struct {
        const char* text;
        const char* name;
    } cases[] = {{"Where's my invoice for May?", "billing"},
                 {"you charged me two times", "billing"},
                 {"has my PARCEL been shipped?", "delivery"},
                 {"the package never arrived", "delivery"},
                 {"please play a song", "music"},
                 {"louder!", "music"}};
    for (const auto& c : cases) {
        CAPTURE(c.text);
        const Verdict verdict = classifier.classify(c.text);
        CHECK(name_of(entries, verdict) == c.name);
        CHECK(verdict.best.size() == 3);
        double sum = 0;
        for (const Standing& standing : verdict.best) sum += standing.probability;
        CHECK(sum == doctest::Approx(1));
    }
}

TEST_CASE("classifier: an example of the catalogue itself is in scope and sure")
{
    const auto entries = shop();
    const Classifier classifier(entries);
    const Verdict verdict = classifier.classify("where is my parcel");
    CHECK(name_of(entries, verdict) == "delivery");
    CHECK(verdict.confidence > 0.8);
    CHECK(!verdict.is_out_of_scope());
    CHECK(verdict.nearest == "where is my parcel");
}

TEST_CASE("classifier: what shares nothing with the catalogue is out of scope")
{
    const auto entries = shop();
    const Classifier classifier(entries);
    for (const char* text :
         {"", "   ", "???", "Какая погода завтра?", "明日の天気は", "\xFF\xFE\xED\xA0\x80", "zyxwv qqq"}) {
        CAPTURE(text);
        const Verdict verdict = classifier.classify(text);
        CHECK(verdict.is_out_of_scope());
        CHECK(verdict.best.size() == 3);
    }
}

TEST_CASE("classifier: names and descriptions alone are enough to learn from")
{
    const std::vector<Entry> entries{{"weather_forecast", "Rain, sun and temperatures of the coming days", {}},
                                     {"currency-converter", "Exchange rates between currencies", {}}};
    const Classifier classifier(entries);
    CHECK(name_of(entries, classifier.classify("what will the weather be like")) == "weather_forecast");
    CHECK(name_of(entries, classifier.classify("convert currency")) == "currency-converter");
}

TEST_CASE("classifier: other scripts are words, too")
{
    const std::vector<Entry> entries{{"天気", "", {"明日の天気を教えて", "今日は雨ですか", "週末は晴れますか"}},
                                     {"音楽", "", {"音楽をかけて", "次の曲にして", "音量を下げて"}},
                                     {"погода", "", {"какая завтра погода", "будет ли дождь", "сколько градусов"}}};
    const Classifier classifier(entries);
    CHECK(name_of(entries, classifier.classify("明日は雨ですか")) == "天気");
    CHECK(name_of(entries, classifier.classify("曲をかけて")) == "音楽");
    CHECK(name_of(entries, classifier.classify("Погода на завтра?")) == "погода");
}

TEST_CASE("classifier: an encoder finds what shares no word with the examples")
{
    const std::vector<Entry> entries{{"finance", "", {"money please", "my money", "money back", "send money"}},
                                     {"other", "", {"hello there", "good day", "how are you", "nice weather"}}};
    const Classifier classifier(entries, std::make_shared<Topics>());
    CHECK(classifier.encoder() == "topics");
    CHECK(name_of(entries, classifier.classify("Wo ist mein Geld")) == "finance");
}

TEST_CASE("classifier: an empty catalogue answers nothing, one entry is that or none")
{
    CHECK(Classifier({}).classify("hello").best.empty());
    const std::vector<Entry> one{{"billing", "Invoices and refunds", {"where is my invoice"}}};
    const Classifier classifier(one);
    CHECK(classifier.classify("where is my invoice").in_scope > 0.5);
    CHECK(classifier.classify("сколько времени").is_out_of_scope());
}

TEST_CASE("classifier: the same catalogue and text give the same verdict, alone and among others")
{
    const auto entries = shop();
    const Classifier a(entries), b(entries);
    const std::vector<std::string_view> texts{"track the parcel", "refund", "song"};
    const auto together = a.classify(texts);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const Verdict alone = b.classify(texts[i]);
        CHECK(alone.confidence == together[i].confidence);
        CHECK(alone.in_scope == together[i].in_scope);
    }
}

TEST_CASE("classifier: of a text of 10 MB the beginning counts")
{
    const auto entries = shop();
    const Classifier classifier(entries);
    std::string text = "where is my parcel ";
    while (text.size() < 10'000'000) text += "where is my parcel ";
    const Verdict verdict = classifier.classify(text);
    CHECK(name_of(entries, verdict) == "delivery");
    CHECK(verdict.confidence == classifier.classify(std::string_view(text).substr(0, kMostRequestBytes)).confidence);
}
