#include "base/error.hpp"
#include "base/json.hpp"
#include "model/channel_accounts.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;

namespace {

std::string wrong_with(std::string_view accounts, std::string_view url = "https://cadre.example")
{
    const std::string text = R"({"public_url":")" + std::string(url) + R"(","accounts":)" + std::string(accounts) + "}";
    try {
        from_json<ChannelAccounts>(parse_json(text));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("channel accounts: each vendor needs what it knows the account by")
{
    const std::string sms =
        R"({"a":{"vendor":"twilio","channel":"sms","account_sid":"AC1","auth_token":"t","from":"+1"}})";
    CHECK(wrong_with(sms) == "");
    CHECK(wrong_with(sms, "http://127.0.0.1:8080") == "");
    struct {
        const char* accounts;
        const char* says;
    } const cases[] = {
        {R"({"a":{"vendor":"twilio","channel":"sms","from":"+1"}})", "accounts.a.account_sid: is required for twilio"},
        {R"({"a":{"vendor":"twilio","channel":"sms","account_sid":"AC1","auth_token":"t"}})",
         "accounts.a.from: is required for twilio, or messaging_service_sid"},
        {R"({"a":{"vendor":"twilio","channel":"email","account_sid":"AC1","auth_token":"t","from":"+1"}})",
         "accounts.a.channel: is sms or whatsapp for twilio"},
        {R"({"a":{"vendor":"meta","channel":"sms","phone_number_id":"1","token":"t","app_secret":"s","verify_token":"v"}})",
         "accounts.a.channel: is whatsapp for meta"},
        {R"({"a":{"vendor":"meta","channel":"whatsapp","phone_number_id":"1","token":"t","verify_token":"v"}})",
         "accounts.a.app_secret: is required for meta"},
        {R"({"a":{"vendor":"smtp","channel":"email","from":"help@example.com"}})",
         "accounts.a.url: is required for smtp"},
        {R"({"a":{"vendor":"smtp","channel":"email","url":"smtps://m","from":"help"}})",
         "accounts.a.from: is a mail address"},
        {R"({"a":{"vendor":"smtp","channel":"email","url":"https://m","from":"a@b"}})",
         "accounts.a.url: begins with smtps://"},
        {R"({"a":{"vendor":"smtp","channel":"sms","url":"smtps://m","from":"a@b"}})", "accounts.a.channel: is email"},
        {R"({"a":{"vendor":"smtp","channel":"email","url":"smtps://m","from":"a@b","user":"u"}})",
         "accounts.a.password: is required for a user"},
        {R"({"a":{"vendor":"smtp","channel":"email","url":"smtps://m","from":"a@b","token":"t"}})",
         "accounts.a.user: is required"},
        {R"({"a":{"vendor":"pigeon","channel":"sms"}})", "accounts.a.vendor"},
        {R"({"a":{"vendor":"twilio","channel":"sms","account_sid":"AC1","auth_token":"t","from":"+1","tenant":"A"}})",
         "accounts.a.tenant: is not the name of a tenant"},
        {R"({"A b":{"vendor":"twilio","channel":"sms","account_sid":"AC1","auth_token":"t","from":"+1"}})",
         "must be made of a-z, 0-9, _ and -"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.accounts);
        CHECK(wrong_with(c.accounts).find(c.says) != std::string::npos);
    }
    CHECK(wrong_with(sms, "http://cadre.example").find("public_url: must be https") != std::string::npos);
    CHECK(wrong_with(sms, "https://cadre.example/").find("public_url: must not end with a slash") != std::string::npos);
    CHECK(wrong_with(sms, "cadre.example").find("public_url") != std::string::npos);
}
