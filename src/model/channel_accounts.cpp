#include "model/channel_accounts.hpp"

#include "model/describe.hpp"
#include "model/descriptions.hpp"
#include "model/tenant_name.hpp"

#include <algorithm>

namespace cadre::model {
namespace {

constexpr EnumName kVendors[] = {
    {int(ChannelVendor::twilio), "twilio"}, {int(ChannelVendor::meta), "meta"}, {int(ChannelVendor::smtp), "smtp"}};
constexpr EnumName kOnUnknown[] = {
    {int(OnUnknown::ask), "ask"}, {int(OnUnknown::resend), "resend"}, {int(OnUnknown::drop), "drop"}};

bool is_account_name(std::string_view name)
{
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

bool is_mail_url(std::string_view url)
{
    return url.starts_with("smtps://") || url.starts_with("smtp+starttls://") || url.starts_with("smtp://");
}

void check_accounts(const ChannelAccounts& all, const Path& path, Problems& problems)
{
    const Path list(path, "accounts");
    for (const auto& [name, account] : all.accounts)
        if (!is_account_name(name)) problems.add(Path(list, name), "must be made of a-z, 0-9, _ and -, at most 64");
    if (all.public_url.ends_with('/')) problems.add(Path(path, "public_url"), "must not end with a slash");
    if (all.accounts.empty() || all.public_url.starts_with("https://") || all.public_url.empty()) return;
    for (const std::string_view local : {"http://127.0.0.1:", "http://localhost:", "http://[::1]:"})
        if (all.public_url.starts_with(local)) return;
    problems.add(Path(path, "public_url"), "must be https; http is possible on this machine alone, for trying out");
}

/// Demands speak of values; these ask for texts that are not empty.
void check_account(const ChannelAccount& account, const Path& path, Problems& problems)
{
    const auto need = [&](std::string_view field, const std::string& text, std::string_view whose) {
        if (text.empty())
            problems.add(Path(path, field), ProblemKind::missing, "is required for " + std::string(whose));
    };
    if (!is_tenant_name(account.tenant)) problems.add(Path(path, "tenant"), std::string(kTenantRule));
    switch (account.vendor) {
    case ChannelVendor::twilio:
        need("account_sid", account.account_sid, "twilio");
        need("auth_token", account.auth_token, "twilio");
        if (account.messaging_service_sid.empty()) need("from", account.from, "twilio, or messaging_service_sid");
        if (account.channel != conversation::Channel::sms && account.channel != conversation::Channel::whatsapp)
            problems.add(Path(path, "channel"), "is sms or whatsapp for twilio");
        break;
    case ChannelVendor::meta:
        need("phone_number_id", account.phone_number_id, "meta");
        need("token", account.token, "meta");
        need("app_secret", account.app_secret, "meta");
        need("verify_token", account.verify_token, "meta");
        if (account.channel != conversation::Channel::whatsapp)
            problems.add(Path(path, "channel"), "is whatsapp for meta");
        break;
    case ChannelVendor::smtp:
        need("url", account.url, "smtp");
        need("from", account.from, "smtp");
        if (!account.password.empty() || !account.token.empty()) need("user", account.user, "a password or token");
        if (!account.user.empty() && account.token.empty()) need("password", account.password, "a user, or token");
        if (!account.url.empty() && !is_mail_url(account.url))
            problems.add(Path(path, "url"),
                         "begins with smtps:// or smtp+starttls:// for smtp, or with smtp:// on this machine");
        if (!account.from.empty() && account.from.find('@') == std::string::npos)
            problems.add(Path(path, "from"), "is a mail address for smtp");
        if (account.channel != conversation::Channel::email) problems.add(Path(path, "channel"), "is email for smtp");
        break;
    }
}

/// The same as check_accounts() and check_account() say, for editors.
constexpr const char* kAccountsSchema = R"({
    "properties":{"accounts":{"propertyNames":{"pattern":"^[a-z0-9_-]{1,64}$"}},"public_url":{"not":{"pattern":"/$"}}},
    "anyOf":[{"properties":{"accounts":{"maxProperties":0}}},
             {"properties":{"public_url":{"pattern":"^$|^https://|^http://(127\\.0\\.0\\.1|localhost|\\[::1\\]):"}}}]})";
constexpr const char* kAccountSchema = R"({"properties":{"tenant":{"pattern":"^[a-z0-9][a-z0-9-]{0,62}$"}},"allOf":[
    {"if":{"properties":{"vendor":{"const":"twilio"}}},
     "then":{"required":["account_sid","auth_token"],
             "properties":{"account_sid":{"minLength":1},"auth_token":{"minLength":1},"channel":{"enum":["sms","whatsapp"]}},
             "anyOf":[{"required":["from"],"properties":{"from":{"minLength":1}}},
                      {"required":["messaging_service_sid"],"properties":{"messaging_service_sid":{"minLength":1}}}]}},
    {"if":{"properties":{"vendor":{"const":"meta"}}},
     "then":{"required":["phone_number_id","token","app_secret","verify_token"],
             "properties":{"phone_number_id":{"minLength":1},"token":{"minLength":1},"app_secret":{"minLength":1},
                           "verify_token":{"minLength":1},"channel":{"const":"whatsapp"}}}},
    {"if":{"properties":{"vendor":{"const":"smtp"}}},
     "then":{"required":["url","from"],
             "properties":{"url":{"pattern":"^(smtps|smtp\\+starttls|smtp)://"},"from":{"pattern":"@"},"channel":{"const":"email"}}}}]})";

}  // namespace

std::span<const EnumName> names_of(const ChannelVendor*)
{
    return kVendors;
}

std::span<const EnumName> names_of(const OnUnknown*)
{
    return kOnUnknown;
}

const Entity& describe(const MessageTemplate*)
{
    static const Entity entity{
        .name = "message_template",
        .doc = "A text that the vendor has approved.",
        .fields = {field("name", &MessageTemplate::name, "As the vendor knows it.",
                         {.required = true, .min_length = 1}),
                   field("language", &MessageTemplate::language, "Its language: `en_US`.", {.min_length = 2})},
        .example = R"({"name":"answer_is_ready","language":"en_US"})",
    };
    return entity;
}

const Entity& describe(const ChannelAccount*)
{
    using Account = ChannelAccount;
    constexpr double kLongestMerge = 60'000;
    constexpr double kLongestEvidence = 600'000;
    constexpr double kMostReplies = 10'000;
    static const Rule word{.min_length = 1, .max_length = 40};
    static const Entity entity{
        .name = "channel_account",
        .doc = "An account with somebody who carries messages, and what becomes of those that come in.",
        .fields =
            {field("vendor", &Account::vendor, "Who carries the messages.", {.required = true}),
             field("channel", &Account::channel,
                   "What they are: twilio has sms and whatsapp, meta has whatsapp, smtp has email.",
                   {.required = true}),
             field("team", &Account::team,
                   "The team that answers, with the four agents of messages; empty: `conversation`, or the built-in "
                   "one."),
             field("tenant", &Account::tenant, "Whose the tasks are that answer."),
             field("url", &Account::url,
                   "Where the vendor is called, if not at its own address: a `mock-channels`. smtp: the mail server, "
                   "like "
                   "smtp+starttls://mail.example:587."),
             field("account_sid", &Account::account_sid, "twilio: the account."),
             field("auth_token", &Account::auth_token, "twilio: its token, which also signs what comes in.",
                   {.secret = true}),
             field("from", &Account::from,
                   "twilio: the number that messages come from, like +14155550199. smtp: the address, like "
                   "help@example.com."),
             field("messaging_service_sid", &Account::messaging_service_sid,
                   "twilio: the service that chooses the number."),
             field("phone_number_id", &Account::phone_number_id, "meta: the number that messages come from."),
             field("token", &Account::token,
                   "meta: the token for sending. smtp: an access token, in place of a password.", {.secret = true}),
             field("app_secret", &Account::app_secret, "meta: what comes in is signed with it.", {.secret = true}),
             field("verify_token", &Account::verify_token, "meta: what it shows when it looks at the webhook first.",
                   {.secret = true}),
             field("api_version", &Account::api_version, "meta: the version of its interface.", {.min_length = 1}),
             field("window_template", &Account::window_template,
                   "whatsapp: sent in place of an answer when the user has written last more than 24 hours ago; "
                   "null: such an answer fails."),
             field("user", &Account::user, "smtp: who logs in; empty: no login."),
             field("password", &Account::password, "smtp: of that user.", {.secret = true}),
             field("listen", &Account::listen,
                   "smtp: where your mail server hands us mails by LMTP, like 127.0.0.1:2424 or "
                   "unix:/run/cadre/mail.sock; "
                   "empty: none come in."),
             field("authserv_id", &Account::authserv_id,
                   "smtp: the name of your mail server in `Authentication-Results`. With it, only mails are answered "
                   "whose "
                   "sender it vouches for (`dmarc=pass`)."),
             field("previous_secret", &Account::previous_secret,
                   "What signatures may still be made with, while the secret is being changed.", {.secret = true}),
             field("merge_window_ms", &Account::merge_window_ms,
                   "Messages of one sender that come within this time are answered as one.",
                   {.min = 0, .max = kLongestMerge}),
             field("evidence_wait_ms", &Account::evidence_wait_ms,
                   "How long a status that names a message is waited for, when it is not known whether it was sent.",
                   {.min = 0, .max = kLongestEvidence}),
             field("on_unknown", &Account::on_unknown,
                   "What follows when that cannot be found out: a person is asked, or it is sent again, or given up."),
             field("replies_per_hour", &Account::replies_per_hour,
                   "More messages of one sender are not answered: two machines may be talking to each other.",
                   {.min = 1, .max = kMostReplies}),
             field("stop_words", &Account::stop_words, "Words that end all messages, besides STOP and its like.",
                   {.items = &word}),
             field("stop_text", &Account::stop_text, "The answer to STOP, where the vendor gives none itself."),
             field("start_text", &Account::start_text, "The answer to START."),
             field("help_text", &Account::help_text, "The answer to HELP.")},
        .dialect = {.writes_null = false},
        .checks = {check<Account>({"vendor", "channel", "tenant"}, "Each vendor needs what it knows the account by.",
                                  check_account, kAccountSchema)},
        .example =
            R"({"vendor":"twilio","channel":"sms","team":"timesheets","tenant":"local","url":"","account_sid":"${TWILIO_ACCOUNT_SID}",
"auth_token":"${TWILIO_AUTH_TOKEN}","from":"+14155550199","messaging_service_sid":"","phone_number_id":"","token":"","app_secret":"",
"verify_token":"","api_version":"v23.0","user":"","password":"","listen":"","authserv_id":"","previous_secret":"","merge_window_ms":1500,"evidence_wait_ms":60000,"on_unknown":"ask",
"replies_per_hour":10,"stop_words":["ARRET"],"stop_text":"You get no more messages.","start_text":"You get messages again.",
"help_text":"Write what you need."})",
    };
    return entity;
}

const Entity& describe(const ChannelAccounts*)
{
    static const Entity entity{
        .name = "channel_accounts",
        .doc = "Whom messages come from and go through. Secrets are written as `${VARIABLE}`.",
        .fields = {field("public_url", &ChannelAccounts::public_url,
                         "Where vendors reach this server, like https://cadre.example: what they sign names it.",
                         {.required = true, .format = Format::url}),
                   field("accounts", &ChannelAccounts::accounts, "Each by its name, which is part of its address.",
                         {.required = true, .max_length = 100})},
        .home = {Home::Kind::yaml_file, "`config/accounts.yaml`"},
        .checks = {check<ChannelAccounts>({"public_url", "accounts"},
                                          "Names are short and plain, and the address is https.", check_accounts,
                                          kAccountsSchema)},
        .example =
            R"({"public_url":"https://cadre.example","accounts":{"support-sms":{"vendor":"twilio","channel":"sms",
"team":"timesheets","tenant":"local","url":"","account_sid":"${TWILIO_ACCOUNT_SID}","auth_token":"${TWILIO_AUTH_TOKEN}","from":"+14155550199",
"messaging_service_sid":"","phone_number_id":"","token":"","app_secret":"","verify_token":"","api_version":"v23.0","user":"","password":"","listen":"","authserv_id":"","previous_secret":"",
"merge_window_ms":1500,"evidence_wait_ms":60000,"on_unknown":"ask","replies_per_hour":10,"stop_words":["ARRET"],
"stop_text":"You get no more messages.","start_text":"You get messages again.","help_text":"Write what you need."}}})",
    };
    return entity;
}

std::vector<const Entity*> channel_entities()
{
    return descriptions<ChannelAccounts, ChannelAccount, MessageTemplate>();
}

}  // namespace cadre::model
