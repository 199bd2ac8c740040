// config/accounts.yaml: the operator's accounts with those who carry messages, and which team answers.
#pragma once

#include "model/type.hpp"
#include "model/views/conversation.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

struct Entity;

enum class ChannelVendor : std::uint8_t {
    twilio,
    meta,
    smtp,  // any mail server
};
std::span<const EnumName> names_of(const ChannelVendor*);

/// What follows when it cannot be found out whether a message was sent.
enum class OnUnknown : std::uint8_t {
    ask,     // a person
    resend,  // perhaps twice
    drop,    // perhaps not at all
};
std::span<const EnumName> names_of(const OnUnknown*);

/// What is sent on WhatsApp when the user has written last more than a day ago.
struct MessageTemplate {
    std::string name{};
    std::string language = "en_US";

    bool operator==(const MessageTemplate&) const = default;
};
const Entity& describe(const MessageTemplate*);

struct ChannelAccount {
    ChannelVendor vendor = ChannelVendor::twilio;
    conversation::Channel channel = conversation::Channel::sms;
    std::string team{};            // that answers; empty: conversation, or the built-in one
    std::string tenant = "local";  // whose the tasks are
    std::string url{};             // of the vendor's interface; empty: the vendor's own; of smtp, the mail server's

    // Twilio
    std::string account_sid{};
    std::string auth_token{};
    std::string from{};  // +14155550199; smtp: help@example.com
    std::string messaging_service_sid{};

    // Meta
    std::string phone_number_id{};
    std::string token{};
    std::string app_secret{};
    std::string verify_token{};
    std::string api_version = "v23.0";
    std::optional<MessageTemplate> window_template{};

    // SMTP, with token or password or neither
    std::string user{};
    std::string password{};
    std::string listen{};       // where its mails come in by LMTP; empty: none come
    std::string authserv_id{};  // of the mail server that says who a mail is from; empty: everybody is answered

    /// Besides auth_token or app_secret, while these are being changed.
    std::string previous_secret{};

    std::int64_t merge_window_ms = 1500;
    std::int64_t evidence_wait_ms = 60'000;
    OnUnknown on_unknown = OnUnknown::ask;
    int replies_per_hour = 10;
    std::vector<std::string> stop_words{};  // besides the usual ones
    std::string stop_text = "You will get no more messages from us. Write START to get them again.";
    std::string start_text = "You will get messages from us again.";
    std::string help_text = "Write what you need, and you will get an answer. Write STOP to get no more messages.";

    bool operator==(const ChannelAccount&) const = default;
};
const Entity& describe(const ChannelAccount*);

struct ChannelAccounts {
    std::string public_url{};  // what vendors call; signatures are checked against it
    Dict<ChannelAccount> accounts{};

    bool operator==(const ChannelAccounts&) const = default;
};
const Entity& describe(const ChannelAccounts*);

/// All of them.
std::vector<const Entity*> channel_entities();

}  // namespace cadre::model
