#include "model/views/conversation_config.hpp"

#include "model/read.hpp"
#include "model/write.hpp"
#include "support/entity.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using namespace cadre::model::conversation;
using namespace cadre::test;

TEST_CASE("a channel's specification has the document's defaults and words")  // CONV-48 U, CONV-49 U, CONV-50 U
{
    CHECK(to_json_text(from_text<ChannelSpecification>(R"({"channel":"email"})")) ==
          R"({"channel":"email","max_length":null,"supports_markdown":false,"markdown_features":[],)"
          R"("supports_emojis":true,"split_strategy":"sentence"})");
    CHECK(problems_without<ChannelSpecification>("channel") == "channel: is required");
    CHECK(problems_with<ChannelSpecification>("markdown_features",
                                              R"(["bold","italic","headers","tables","links","code"])") == "");
    CHECK(problems_with<ChannelSpecification>("markdown_features", R"(["bold","blink"])") ==
          "markdown_features[1]: \"blink\" is none of bold, italic, headers, tables, links, code");
    for (const char* strategy : {"\"sentence\"", "\"paragraph\"", "\"word\""})
        CHECK(problems_with<ChannelSpecification>("split_strategy", strategy) == "");
    CHECK(problems_with<ChannelSpecification>("split_strategy", "\"letter\"") ==
          "split_strategy: \"letter\" is none of sentence, paragraph, word");
    CHECK(problems_with<ChannelSpecification>("max_length", "0") == "max_length: must be at least 1, is 0");
}

TEST_CASE("what an SMS cannot do is a mistake in channels.yaml")  // CONVO 6
{
    auto problems = [](std::string_view text) {
        return read_back(description_of<Channels>(), parse_json(text)).problems;
    };
    CHECK(problems(R"({"channels":[{"channel":"email"},{"channel":"sms","supports_markdown":true}]})") ==
          "channels[1].supports_markdown: must be false for sms, which shows markdown as it is");
    CHECK(problems(R"({"channels":[{"channel":"sms","max_length":1601}]})") ==
          "channels[0].max_length: must be at most 1600 for sms");
    CHECK(problems(R"({"channels":[{"channel":"sms"},{"channel":"teams"},{"channel":"sms"}]})") ==
          "channels[2].channel: is here twice; remove one of them");
    CHECK(problems(R"({"channels":[]})") == "");
}

TEST_CASE("a channel that the file does not name has its built-in specification")
{
    const auto file = from_text<Channels>(R"({"channels":[{"channel":"sms","max_length":160}]})");
    CHECK(specification_of(file, Channel::sms).max_length == 160);
    CHECK(specification_of(file, Channel::whatsapp).max_length == 4096);
    CHECK(specification_of(file, Channel::email).max_length == std::nullopt);
    for (auto channel : {Channel::sms, Channel::email, Channel::whatsapp, Channel::teams}) {
        CHECK(built_in(channel).channel == channel);
        CHECK(problems_of(built_in(channel)).empty());
    }
    CHECK(built_in(Channel::sms).max_length == 1600);
    CHECK_FALSE(built_in(Channel::sms).supports_markdown);
}

// CONV-53 U, CONV-54 U, CONV-55 U, CONV-56 U
TEST_CASE("a style guide names its brand; the rest of it has the document's defaults")
{
    for (const std::string field : {"version", "brand_name", "personality", "tone", "emojis", "humor", "formatting"})
        CHECK(problems_without<StyleGuide>(field) == field + ": is required");
    CHECK(to_json_text(ToneSettings{}) ==
          R"({"default":"conversational","error":"empathetic","success":"encouraging"})");
    CHECK(to_json_text(EmojiSettings{}) ==
          "{\"enabled\":true,\"success\":\"\xE2\x9C\x85\",\"warning\":\"\xE2\x9A\xA0\xEF\xB8\x8F\","
          "\"error\":\"\xE2\x9D\x8C\",\"info\":\"\xE2\x84\xB9\xEF\xB8\x8F\"}");
    CHECK(to_json_text(HumorSettings{}) ==
          R"({"enabled":true,"style":"light, work-related","frequency":"occasional"})");
    CHECK(to_json_text(FormattingPreferences{}) == R"({"greeting":true,"sign_off":false,"use_user_name":true})");
    const auto guide = from_text<StyleGuide>(
        R"({"version":"1","brand_name":"B","personality":"p","tone":{},"emojis":{},"humor":{},"formatting":{}})");
    CHECK(guide.tone == ToneSettings{});
    CHECK(guide.graceful_failure.starts_with("Sorry"));  // S-12: Cadre's own, so not in the document's JSON
    CHECK(to_json_text(guide).find("graceful_failure") == std::string::npos);
}
