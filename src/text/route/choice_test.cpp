#include "text/route/choice.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre::text::route;

namespace {

std::vector<Entry> house()
{
    return {{"volume",
             "How loud it is",
             {"turn it down", "turn it up", "make it louder", "make it quieter", "volume to fifty percent",
              "mute the sound"}},
            {"music",
             "Plays songs",
             {"play some jazz", "play rock and roll", "play rock music", "play the next song", "put on a record",
              "play a song by the beatles"}},
            {"lights",
             "Lamps in all rooms",
             {"switch on the lights", "lights off in the kitchen", "dim the lamp", "make the room brighter",
              "turn the lights off", "switch off the lamp"}}};
}

std::vector<std::string> names(const std::vector<Entry>& entries, const Choice& choice)
{
    std::vector<std::string> all;
    for (const Part& part : choice.parts) all.push_back(entries[part.entry].name);
    return all;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("cuts: at ends of sentences and at words that join, where both halves are requests")
{
    const struct {
        const char* text;
        std::vector<Cut> cuts;
    } cases[] = {{"play rock", {}},
                 {"play rock and roll", {}},
                 {"turn it down and play rock and roll", {{12, 17}}},
                 {"Turn it down. Play some jazz!", {{13, 14}}},
                 {"turn it down; play jazz", {{12, 14}}},
                 {"turn it down, then play jazz", {{12, 19}}},
                 {"mach es leiser und spiel Jazz", {{14, 19}}},
                 {"", {}},
                 {"and and and", {}}};
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(cuts_of(c.text) == c.cuts);
    }
    CHECK(cuts_of(std::string(2000, 'a') + " b and c d").empty());
}

TEST_CASE("choice: a request for two things is cut once, and its parts keep their order")
{
    const auto entries = house();
    const Classifier classifier(entries);
    const Choice choice = choose(classifier, "turn it down and play rock and roll");
    CHECK(names(entries, choice) == Names{"volume", "music"});
    CHECK(choice.parts.at(0).text == "turn it down");
    CHECK(choice.parts.at(1).text == "play rock and roll");
    CHECK(choice.confidence >= 0.7);
    CHECK(!choice.ambiguous);
    CHECK(names(entries, choose(classifier, "play the next song and make it louder; switch off the lamp")) ==
          Names{"music", "volume", "lights"});
}

TEST_CASE("choice: what one entry deals with stays one request")
{
    const auto entries = house();
    const Classifier classifier(entries);
    CHECK(names(entries, choose(classifier, "play rock and roll")) == Names{"music"});
    CHECK(names(entries, choose(classifier, "play some jazz and then play the next song")) == Names{"music"});
    CHECK(names(entries, choose(classifier, "turn it down and play rock and roll", {.most = 1})).size() == 1);
}

TEST_CASE("choice: two that are as likely are ambiguous, and both are told")
{
    const std::vector<Entry> entries{{"north", "", {"reports of the team", "send the reports", "weekly reports"}},
                                     {"south", "", {"reports of the team", "send the reports", "weekly reports"}}};
    const Classifier classifier(entries);
    const Choice choice = choose(classifier, "send the reports of the team");
    CHECK(choice.ambiguous);
    CHECK(choice.confidence < 0.7);
    CHECK(choice.next.size() == 1);
}

TEST_CASE("choice: what belongs nowhere says so, and names the closest")
{
    const auto entries = house();
    const Classifier classifier(entries);
    for (const char* text : {"сколько стоит билет в Москву", "今日の天気は", "xyzzy plugh"}) {
        CAPTURE(text);
        const Choice choice = choose(classifier, text);
        CHECK(choice.out_of_scope);
        CHECK(!choice.ambiguous);
        CHECK(choice.parts.size() == 1);
        CHECK(choice.confidence < 0.7);
    }
    CHECK(choose(Classifier({}), "hello").out_of_scope);
    CHECK(choose(Classifier({}), "hello").parts.empty());
}
