// What vendors say and are told, as tables.
#include "base/error.hpp"
#include "channels/adapter.hpp"
#include "channels/consent_words.hpp"
#include "channels/form.hpp"
#include "channels/loop_guard.hpp"
#include "channels/vendor_time.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::channels;
using model::conversation::Channel;

namespace {

Account sms()
{
    return {
        .vendor = model::ChannelVendor::twilio, .account_sid = "AC1", .auth_token = "secret", .from = "+14155550199"};
}

Account whatsapp()
{
    return {.vendor = model::ChannelVendor::meta,
            .channel = Channel::whatsapp,
            .phone_number_id = "106540352242922",
            .token = "t"};
}

std::string kinds_of(const std::vector<Inbound>& all)
{
    constexpr const char* kNames[] = {"message", "status", "out", "in", "help", "ignored"};
    std::string text;
    for (const Inbound& in : all) text += (text.empty() ? "" : " ") + std::string(kNames[int(in.kind)]);
    return text;
}

}  // namespace

TEST_CASE("Twilio: messages, statuses and words about consent are told apart")
{
    const auto read = [](std::string body, std::string query = "") {
        return twilio().read({.query = std::move(query), .body = std::move(body)});
    };
    const auto message = read("MessageSid=SM1&From=%2B14155550100&Body=Check+my+timesheet&ProfileName=Jane");
    REQUIRE(kinds_of(message) == "message");
    CHECK(message[0] == Inbound{.kind = InboundKind::message,
                                .id = "SM1",
                                .sender = "+14155550100",
                                .name = "Jane",
                                .text = "Check my timesheet"});
    const auto status = read("MessageSid=SM1&MessageStatus=undelivered&ErrorCode=30003", "k=0af1%232");
    REQUIRE(kinds_of(status) == "status");
    CHECK(status[0].status == DeliveryStatus::failed);
    CHECK(status[0].key == "0af1#2");
    CHECK(status[0].error == "30003");
    CHECK(kinds_of(read("MessageSid=SM1&From=%2B1&Body=STOP&OptOutType=STOP")) == "out");
    CHECK(kinds_of(read("MessageSid=SM1&From=%2B1&Body=START&OptOutType=START")) == "in");
    CHECK(kinds_of(read("MessageSid=SM1&From=%2B1&Body=HELP&OptOutType=HELP")) == "help");
    CHECK(kinds_of(read("MessageSid=SM1&MessageStatus=teleported")) == "ignored");
    CHECK(kinds_of(read("")) == "ignored");
    CHECK_THROWS_AS(read("Body=%G1"), Error);
    std::string many;
    for (std::size_t i = 0; i <= kMostFormFields; ++i) many += "a=1&";
    CHECK_THROWS_AS(read(many), Error);
}

TEST_CASE("Meta: a request holds many messages and statuses; what is not known is ignored")
{
    const auto all = meta().read({.body = R"({"object":"whatsapp_business_account","entry":[{"id":"1","changes":[
        {"field":"messages","value":{"contacts":[{"profile":{"name":"Jane"},"wa_id":"16505551234","user_id":"US.13491"}],
         "messages":[{"from":"16505551234","id":"wamid.A","timestamp":"1760000000","type":"text","text":{"body":"Hi"}},
                     {"from":"16505551234","id":"wamid.B","type":"interactive","interactive":{"type":"button_reply","button_reply":{"id":"x","title":"Yes"}}},
                     {"from":"16505551234","id":"wamid.C","type":"hologram"}]}},
        {"field":"messages","value":{"statuses":[{"id":"wamid.D","status":"failed","timestamp":"1760000003",
         "biz_opaque_callback_data":"0af1","errors":[{"code":131047,"title":"Re-engagement message"}]}]}},
        {"field":"account_update"}]}]})"});
    REQUIRE(kinds_of(all) == "message message ignored status");
    CHECK(all[0].sender == "US.13491");
    CHECK(all[0].name == "Jane");
    CHECK(all[0].text == "Hi");
    CHECK(all[0].sent_at == time_from_iso("2025-10-09T08:53:20Z"));
    CHECK(all[1].text == "Yes");
    CHECK(all[3].key == "0af1");
    CHECK(all[3].error == "131047 Re-engagement message");

    const auto hidden = meta().read({.body = R"({"entry":[{"changes":[{"value":{"contacts":[{"user_id":"US.7"}],
        "messages":[{"id":"wamid.E","type":"text","text":{"body":"Hi"}}]}}]}]})"});
    CHECK(hidden[0].sender == "US.7");
    const auto old = meta().read({.body = R"({"entry":[{"changes":[{"value":{"contacts":[{"wa_id":"1650"}],
        "messages":[{"from":"1650","id":"wamid.E","type":"text","text":{"body":"Hi"}}]}}]}]})"});
    CHECK(old[0].sender == "1650");
    CHECK(meta().read({.body = R"({"entry":7})"}).empty());
    CHECK_THROWS_AS(meta().read({.body = "no json"}), Error);
    CHECK_THROWS_AS(meta().read({.body = std::string(100, '[')}), Error);
}

TEST_CASE("Twilio: what is sent")
{
    const Letter letter{.to = "+14155550100",
                        .text = "32/40 \xE2\x82\xAC",
                        .key = "0af1#2",
                        .status_url = "https://cadre.example/channels/a/status"};
    const auto request = twilio().plan(letter, sms());
    CHECK(request.url == "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json");
    CHECK(net::find_header(request.headers, "Authorization") == "Basic QUMxOnNlY3JldA==");
    CHECK(request.body == "To=%2B14155550100&From=%2B14155550199&Body=32%2F40%20%E2%82%AC&StatusCallback=https%3A%2F%2F"
                          "cadre.example%2Fchannels%2Fa%2Fstatus%3Fk%3D0af1%25232");
    Account service = sms();
    service.messaging_service_sid = "MG1";
    service.channel = Channel::whatsapp;
    CHECK(twilio().plan({.to = "+1", .text = "x"}, service).body ==
          "To=whatsapp%3A%2B1&MessagingServiceSid=MG1&Body=x");
}

TEST_CASE("Meta: what is sent")
{
    const auto body = [](const Letter& letter, const Account& account) { return meta().plan(letter, account).body; };
    CHECK(meta().plan({.to = "1650"}, whatsapp()).url == "https://graph.facebook.com/v23.0/106540352242922/messages");
    CHECK(
        body({.to = "1650", .text = "*Hours*", .key = "k", .reply_to = "wamid.A"}, whatsapp()) ==
        R"({"messaging_product":"whatsapp","recipient_type":"individual","to":"1650","type":"text","text":{"body":"*Hours*"},"context":{"message_id":"wamid.A"},"biz_opaque_callback_data":"k"})");
    CHECK(body({.to = "US.7", .text = "x", .key = "k"}, whatsapp()).find(R"("recipient":"US.7")") != std::string::npos);
    Account late = whatsapp();
    late.window_template = model::MessageTemplate{.name = "ready", .language = "de"};
    CHECK(body({.to = "1650", .text = "x", .key = "k", .as_template = true}, late)
              .find(R"("type":"template","template":{"name":"ready","language":{"code":"de"}})") != std::string::npos);
}

TEST_CASE("answers of vendors: accepted, refused, later, or not known")
{
    using enum SendResult::Kind;
    struct {
        const char* name;
        const Adapter& adapter;
        int status;
        const char* body;
        SendResult::Kind kind;
        const char* code;
    } const cases[] = {
        {"taken", twilio(), 201, R"({"sid":"SM1","status":"queued"})", accepted, ""},
        {"no id", twilio(), 201, R"({"status":"queued"})", unknown, ""},
        {"a bad number", twilio(), 400, R"({"code":21211,"message":"no number"})", refused, "21211"},
        {"too many", twilio(), 429, R"({"code":20429,"message":"slow down"})", later, "20429"},
        {"a wrong token", twilio(), 401, R"({"code":20003,"message":"Authenticate"})", later, "20003"},
        {"a broken server", twilio(), 500, "", unknown, ""},
        {"too slow", twilio(), 408, "", unknown, ""},
        {"a proxy", twilio(), 502, "<html>", unknown, ""},
        {"taken", meta(), 200, R"({"messages":[{"id":"wamid.X"}]})", accepted, ""},
        {"no id", meta(), 200, "{}", unknown, ""},
        {"the window is closed", meta(), 400, R"({"error":{"code":131047,"message":"Re-engagement"}})", refused,
         "131047"},
        {"too fast for one user", meta(), 400, R"({"error":{"code":131056,"message":"pair rate"}})", later, "131056"},
        {"a token that is over", meta(), 401, R"({"error":{"code":190,"message":"expired"}})", later, "190"},
        {"a broken server", meta(), 500, R"({"error":{"code":131000,"message":"oops"}})", unknown, "131000"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        const SendResult result = c.adapter.judge(c.status, {}, c.body);
        CHECK(result.kind == c.kind);
        CHECK(result.code == c.code);
    }
    CHECK(twilio().judge(429, {{"Retry-After", "7"}}, "").retry_after == Millis(7000));
    CHECK(twilio().judge(400, {}, R"({"code":21610,"message":"unsubscribed"})").opted_out);
}

TEST_CASE("Twilio: its list is asked by address and day, and read")
{
    const auto request = twilio().list("+1415", time_from_iso("2026-11-18T23:59:59Z"), sms());
    REQUIRE(request);
    CHECK(request->url == "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json?To=%2B1415&From=%2B14155550199&"
                          "DateSent%3E=2026-11-18&PageSize=100");
    const auto listed = twilio().read_list(R"({"messages":[
        {"sid":"SM1","to":"+1415","body":"Hi","direction":"outbound-api","date_created":"Wed, 18 Nov 2026 20:12:31 +0000"},
        {"sid":"SM2","to":"+1415","body":"Hi","direction":"inbound","date_created":"Wed, 18 Nov 2026 20:12:31 +0000"},
        {"sid":"SM3","to":"+1415","body":"Hi","date_created":"yesterday"}]})");
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].created_at == time_from_iso("2026-11-18T20:12:31Z"));
    CHECK(!meta().list("1", {}, whatsapp()));
    const Time time = time_from_iso("2026-03-01T00:00:59Z");
    CHECK(mail_date_of(time) == "Sun, 01 Mar 2026 00:00:59 +0000");
    CHECK(time_from_mail_date(mail_date_of(time)) == time);
    for (const char* wrong : {"", "Wed, 31 Feb 2026 20:12:31 +0000", "Wed, 18 Nov 2026 25:12:31 +0000", "18 Nov 2026",
                              "Wed, 18 Nov 2026 20:12:31 +0100", "Wed, 18 Nix 2026 20:12:31 +0000"})
        CHECK(!time_from_mail_date(wrong));
}

TEST_CASE("words about consent are whole texts, in any case and with marks at their end")
{
    using enum ConsentWord;
    const std::string french[] = {"ARRET"};
    for (const char* word : {"STOP", "stop", " Stop. ", "STOP ALL", "Unsubscribe!", "opt out", "arret"})
        CHECK(consent_word_in(word, french, false) == stop);
    for (const char* word : {"start", "UNSTOP"}) CHECK(consent_word_in(word, {}, false) == start);
    for (const char* word : {"help", "INFO?"}) CHECK(consent_word_in(word, {}, false) == help);
    for (const char* word : {"", "please stop", "stop it", "yes", "arret", "helpful", "STOP STOP"})
        CHECK(consent_word_in(word, {}, false) == none);
    CHECK(consent_word_in("Yes", {}, true) == start);
}

TEST_CASE("a sender is answered so often an hour, and not twice in a row to the same words")
{
    LoopGuard guard;
    Time now = time_from_iso("2026-11-18T10:00:00Z");
    CHECK(guard.may_answer("a", "hi", 3, now));
    CHECK(!guard.may_answer("a", "hi", 3, now + Millis(29'999)));
    CHECK(guard.may_answer("a", "hi", 3, now + Millis(30'000)));
    CHECK(guard.may_answer("a", "other", 3, now + Millis(30'001)));
    CHECK(!guard.may_answer("a", "more", 3, now + Millis(30'002)));
    CHECK(guard.may_answer("b", "more", 3, now + Millis(30'002)));
    CHECK(guard.may_answer("a", "more", 3, now + Millis(3'600'000)));
}
