// Signatures that were made by the vendors' own packages: npm twilio, and OpenSSL for Meta's.
#include "channels/adapter.hpp"
#include "channels/form.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::channels;

namespace {

const std::string kZeros(30, '0');

const Form kMessage = {{"AccountSid", "AC" + kZeros + "01"},
                       {"ApiVersion", "2010-04-01"},
                       {"Body", "Check my timesheet & \"caf\xC3\xA9\"  "},
                       {"From", "+14155550100"},
                       {"MessageSid", "SM" + kZeros + "01"},
                       {"NumMedia", "0"},
                       {"NumSegments", "1"},
                       {"SmsMessageSid", "SM" + kZeros + "01"},
                       {"SmsStatus", "received"},
                       {"To", "+14155550199"},
                       {"ToCountry", "US"}};

Account twilio_account(std::string token = "cadre-test-token-000000000000000")
{
    return {.vendor = model::ChannelVendor::twilio, .account_sid = "AC1", .auth_token = std::move(token)};
}

RawRequest twilio_request(const std::string& signature)
{
    return {.method = "POST",
            .url = "https://cadre.example/channels/sms/twilio?hook=1",
            .query = "hook=1",
            .headers = {{"X-Twilio-Signature", signature}},
            .body = to_text(kMessage)};
}

RawRequest meta_request(std::string body, const std::string& signature)
{
    return {.method = "POST", .headers = {{"X-Hub-Signature-256", "sha256=" + signature}}, .body = std::move(body)};
}

}  // namespace

TEST_CASE("Twilio: a form is signed with the address and all of its fields, with and without the default port")
{
    CHECK(twilio().verify(twilio_request("l9jspcsaZJIZe3uJv2fJyx6J8Os="), twilio_account()) == Verdict::good);
    CHECK(twilio().verify(twilio_request("p0UEjqCYc07brFgtXV7qBPY13/c="), twilio_account()) == Verdict::good);
    CHECK(twilio().verify(twilio_request("l9jspcsaZJIZe3uJv2fJyx6J8Ot="), twilio_account()) == Verdict::wrong);
    CHECK(twilio().verify(twilio_request(""), twilio_account()) == Verdict::wrong);
    CHECK(twilio().verify(twilio_request("l9jspcsaZJIZe3uJv2fJyx6J8Os="), twilio_account("other")) == Verdict::wrong);

    RawRequest unsigned_one = twilio_request("");
    unsigned_one.headers.clear();
    CHECK(twilio().verify(unsigned_one, twilio_account()) == Verdict::missing);
    RawRequest other = twilio_request("l9jspcsaZJIZe3uJv2fJyx6J8Os=");
    other.body += "&Extra=";
    CHECK(twilio().verify(other, twilio_account()) == Verdict::wrong);
    other = twilio_request("l9jspcsaZJIZe3uJv2fJyx6J8Os=");
    other.url = "https://other.example/channels/sms/twilio?hook=1";
    CHECK(twilio().verify(other, twilio_account()) == Verdict::wrong);

    Account changing = twilio_account("new");
    changing.previous_secret = "cadre-test-token-000000000000000";
    CHECK(twilio().verify(twilio_request("l9jspcsaZJIZe3uJv2fJyx6J8Os="), changing) == Verdict::good);
    // an account without a token trusts nobody
    CHECK(twilio().verify(twilio_request("l9jspcsaZJIZe3uJv2fJyx6J8Os="), twilio_account("")) == Verdict::wrong);
}

TEST_CASE("Twilio: a field that is there twice counts with each of its values once, and a body of JSON by its hash")
{
    RawRequest json{.method = "POST",
                    .url = "https://cadre.example/channels/sms/"
                           "twilio?bodySHA256=015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
                    .query = "bodySHA256=015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
                    .headers = {{"X-Twilio-Signature", "EfhZYc3Bth+r+7YyI9a24uMpYxE="}},
                    .body = R"({"a":1})"};
    CHECK(twilio().verify(json, twilio_account()) == Verdict::good);
    json.body = R"({"a":2})";
    CHECK(twilio().verify(json, twilio_account()) == Verdict::wrong);

    RawRequest twice = twilio_request("l9jspcsaZJIZe3uJv2fJyx6J8Os=");
    twice.body += "&ToCountry=US";
    CHECK(twilio().verify(twice, twilio_account()) == Verdict::good);
}

TEST_CASE("Meta: the bytes are signed as they came, escapes included")
{
    const Account account{.vendor = model::ChannelVendor::meta, .app_secret = "cadre-app-secret"};
    const std::string empty = R"({"object":"whatsapp_business_account","entry":[]})";
    CHECK(meta().verify(meta_request(empty, "4bc2d10f7f13adc9652ea5f31f0e5ac900389ed8373d8051365beaae5b82abbb"),
                        account) == Verdict::good);
    const std::string signature = "238110b07bea7a5ef2e28b25559d64039fc209fb16af974cf408ea18f3843354";
    CHECK(meta().verify(meta_request("{\"t\":\"caf\\u00e9\"}", signature), account) == Verdict::good);
    CHECK(meta().verify(meta_request("{\"t\":\"caf\xC3\xA9\"}", signature), account) == Verdict::wrong);
    CHECK(meta().verify({.method = "POST"}, account) == Verdict::missing);
    CHECK(meta().verify({.headers = {{"X-Hub-Signature-256", signature}}}, account) == Verdict::wrong);
}

TEST_CASE("what is signed as a vendor signs is believed, and says nothing by itself")
{
    for (const auto vendor : {model::ChannelVendor::twilio, model::ChannelVendor::meta}) {
        const Account account{.vendor = vendor, .auth_token = "a", .app_secret = "b"};
        const Adapter& adapter = adapter_of(vendor);
        RawRequest probe = adapter.probe("https://cadre.example/channels/x/webhook?y=1");
        probe.headers.push_back(adapter.sign(probe, account));
        CHECK(adapter.verify(probe, account) == Verdict::good);
        for (const Inbound& in : adapter.read(probe)) CHECK(in.kind == InboundKind::ignored);
    }
}

TEST_CASE("Meta: a handshake is answered with its challenge to whoever knows the token")
{
    const Account account{.vendor = model::ChannelVendor::meta, .verify_token = "open sesame"};
    const auto ask = [&](std::string query, const Account& whose) {
        const auto answer = meta().handshake({.method = "GET", .query = std::move(query)}, whose);
        return answer ? answer->body : "refused";
    };
    CHECK(ask("hub.mode=subscribe&hub.verify_token=open+sesame&hub.challenge=1158201444", account) == "1158201444");
    CHECK(ask("hub.mode=subscribe&hub.verify_token=wrong&hub.challenge=1", account) == "refused");
    CHECK(ask("hub.mode=other&hub.verify_token=open+sesame&hub.challenge=1", account) == "refused");
    CHECK(ask("hub.mode=subscribe&hub.verify_token=&hub.challenge=1", {}) == "refused");
    CHECK(!twilio().handshake({.query = "hub.mode=subscribe"}, account));
}
