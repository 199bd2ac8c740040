// Twilio and Meta as they look from their own side, as pure functions: what they are asked to send, what they answer and tell.
#pragma once

#include "channels/adapter.hpp"
#include "net/http_answer.hpp"

#include <span>
#include <string>
#include <string_view>

namespace cadre::channels::mock {

/// A message that the vendor has taken.
struct Taken {
    std::string account{};  // its name in accounts.yaml
    std::string id{};
    std::string to{};
    std::string from{};
    std::string text{};
    std::string key{};       // that statuses of it name
    std::string reply_to{};  // the id of what it answers
    std::string status_url{};
    bool is_template = false;
    Time at{};
};

/// Why a vendor takes a message not, in its own words.
struct VendorError {
    int status = 400;
    int code = 0;
    std::string text{};
};
enum class Refused : std::uint8_t { bad_address, opted_out, too_often, wrong_secret, broken };
VendorError error_of(model::ChannelVendor vendor, Refused why);
net::HttpAnswer answer_of(model::ChannelVendor vendor, const VendorError& error);

/// What the body asks for. Throws Error(invalid) with what the vendor would miss.
Taken taken_from(const Account& account, std::string_view body);
/// It is taken.
net::HttpAnswer accepted(const Account& account, const Taken& message);
/// Twilio's list of messages.
std::string list_text(const Account& account, std::span<const Taken> messages);

/// An id as that vendor makes them.
std::string new_message_id(model::ChannelVendor vendor, std::uint64_t number);

/// What somebody has written, as a webhook without its signature.
struct Said {
    std::string id{};
    std::string from{};
    std::string name{};
    std::string text{};
    Time at{};
};
RawRequest hook_of(const Account& account, const Said& said, std::string url);
/// How far a message has come, likewise.
RawRequest hook_of(const Account& account, const Taken& message, DeliveryStatus status, std::string url);

}  // namespace cadre::channels::mock
