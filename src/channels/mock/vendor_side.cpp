#include "channels/mock/vendor_side.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "channels/form.hpp"
#include "channels/vendor_time.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

namespace cadre::channels::mock {
namespace {

using model::ChannelVendor;

std::string text_in(const json::value& value, std::string_view name)
{
    const auto* object = value.if_object();
    const auto* member = object ? object->if_contains(name) : nullptr;
    return member && member->is_string() ? std::string(member->get_string()) : std::string();
}

const json::value& part_of(const json::value& value, std::string_view name)
{
    static const json::value none;
    const auto* object = value.if_object();
    const auto* member = object ? object->if_contains(name) : nullptr;
    return member ? *member : none;
}

json::object message_object(const Account& account, const Taken& message)
{
    const std::string date = mail_date_of(message.at);
    return {{"sid", message.id},
            {"account_sid", account.account_sid},
            {"api_version", "2010-04-01"},
            {"body", message.text},
            {"date_created", date},
            {"date_sent", nullptr},
            {"date_updated", date},
            {"direction", "outbound-api"},
            {"error_code", nullptr},
            {"error_message", nullptr},
            {"from", message.from},
            {"messaging_service_sid", nullptr},
            {"num_media", "0"},
            {"num_segments", "1"},
            {"price", nullptr},
            {"price_unit", "USD"},
            {"status", "queued"},
            {"to", message.to},
            {"uri", fmt::format("/2010-04-01/Accounts/{}/Messages/{}.json", account.account_sid, message.id)}};
}

Taken taken_by_twilio(std::string_view body)
{
    const Form form = form_from(body);
    const auto text = [&](std::string_view name) { return std::string(find_field(form, name)); };
    Taken message{.to = text("To"), .from = text("From"), .text = text("Body"), .status_url = text("StatusCallback")};
    if (message.from.empty()) message.from = text("MessagingServiceSid");
    if (message.to.empty()) throw Error(Code::invalid, "A 'To' phone number is required.");
    if (message.from.empty()) throw Error(Code::invalid, "A 'From' phone number is required.");
    if (message.text.empty()) throw Error(Code::invalid, "Message body is required.");
    const std::size_t query = message.status_url.find('?');
    if (query != std::string::npos)
        message.key = find_field(form_from(std::string_view(message.status_url).substr(query + 1)), "k");
    return message;
}

Taken taken_by_meta(const Account& account, std::string_view body)
{
    const json::value asked = parse_json(body);
    Taken message{.to = text_in(asked, "to"),
                  .from = account.phone_number_id,
                  .text = text_in(part_of(asked, "text"), "body"),
                  .key = text_in(asked, "biz_opaque_callback_data"),
                  .reply_to = text_in(part_of(asked, "context"), "message_id")};
    if (message.to.empty()) message.to = text_in(asked, "recipient");
    message.is_template = text_in(asked, "type") == "template";
    if (message.is_template) message.text = text_in(part_of(asked, "template"), "name");
    if (text_in(asked, "messaging_product") != "whatsapp")
        throw Error(Code::invalid, "(#100) The parameter messaging_product is required.");
    if (message.to.empty()) throw Error(Code::invalid, "(#100) The parameter to is required.");
    if (message.text.empty()) throw Error(Code::invalid, "(#100) The parameter text['body'] is required.");
    return message;
}

RawRequest form_hook(const Form& form, std::string url)
{
    return {.method = "POST",
            .url = std::move(url),
            .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
            .body = to_text(form)};
}

/// `change` is the value of one change, without what all of them have.
RawRequest meta_hook(const Account& account, json::object change, std::string url)
{
    change["messaging_product"] = "whatsapp";
    change["metadata"] = {{"display_phone_number", account.phone_number_id},
                          {"phone_number_id", account.phone_number_id}};
    json::object of_field{{"field", "messages"}, {"value", std::move(change)}};
    json::object entry{{"id", "1"}, {"changes", json::array{std::move(of_field)}}};
    const json::object envelope{{"object", "whatsapp_business_account"}, {"entry", json::array{std::move(entry)}}};
    return {.method = "POST",
            .url = std::move(url),
            .headers = {{"Content-Type", "application/json"}},
            .body = cadre::to_text(envelope)};
}

std::string seconds_of(Time time)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

}  // namespace

VendorError error_of(ChannelVendor vendor, Refused why)
{
    const bool twilio = vendor == ChannelVendor::twilio;
    switch (why) {
    case Refused::bad_address:
        return twilio ? VendorError{400, 21211, "Invalid 'To' Phone Number"}
                      : VendorError{400, 131026, "Message undeliverable"};
    case Refused::opted_out:
        return twilio ? VendorError{400, 21610, "Attempt to send to unsubscribed recipient"}
                      : VendorError{400, 131050, "User has stopped receiving messages"};
    case Refused::too_often:
        return twilio ? VendorError{429, 20429, "Too Many Requests"}
                      : VendorError{400, 131056, "(Business Account, Consumer Account) pair rate limit hit"};
    case Refused::wrong_secret:
        return twilio ? VendorError{401, 20003, "Authenticate"} : VendorError{401, 190, "Invalid OAuth access token"};
    case Refused::broken: break;
    }
    return twilio ? VendorError{500, 20500, "Internal Server Error"} : VendorError{500, 131000, "Something went wrong"};
}

net::HttpAnswer answer_of(ChannelVendor vendor, const VendorError& error)
{
    json::object body;
    if (vendor == ChannelVendor::twilio)
        body = {{"code", error.code},
                {"message", error.text},
                {"more_info", fmt::format("https://www.twilio.com/docs/errors/{}", error.code)},
                {"status", error.status}};
    else
        body["error"] = {
            {"message", error.text}, {"type", "OAuthException"}, {"code", error.code}, {"fbtrace_id", "mock"}};
    return net::json_answer(error.status, cadre::to_text(body));
}

Taken taken_from(const Account& account, std::string_view body)
{
    return account.vendor == ChannelVendor::twilio ? taken_by_twilio(body) : taken_by_meta(account, body);
}

net::HttpAnswer accepted(const Account& account, const Taken& message)
{
    if (account.vendor == ChannelVendor::twilio)
        return net::json_answer(201, cadre::to_text(message_object(account, message)));
    json::object contact{{"input", message.to}, {"wa_id", message.to}};
    json::object id{{"id", message.id}};
    const json::object body{{"messaging_product", "whatsapp"},
                            {"contacts", json::array{std::move(contact)}},
                            {"messages", json::array{std::move(id)}}};
    return net::json_answer(200, cadre::to_text(body));
}

std::string list_text(const Account& account, std::span<const Taken> messages)
{
    json::array all;
    for (const Taken& message : messages) all.emplace_back(message_object(account, message));
    const std::string uri = fmt::format("/2010-04-01/Accounts/{}/Messages.json", account.account_sid);
    const std::size_t count = all.size();
    return cadre::to_text(json::object{{"messages", std::move(all)},
                                       {"end", count == 0 ? 0 : count - 1},
                                       {"first_page_uri", uri},
                                       {"next_page_uri", nullptr},
                                       {"page", 0},
                                       {"page_size", 100},
                                       {"previous_page_uri", nullptr},
                                       {"start", 0},
                                       {"uri", uri}});
}

std::string new_message_id(ChannelVendor vendor, std::uint64_t number)
{
    return vendor == ChannelVendor::twilio ? fmt::format("SM{:032x}", number) : fmt::format("wamid.{:024X}", number);
}

RawRequest hook_of(const Account& account, const Said& said, std::string url)
{
    if (account.vendor == ChannelVendor::twilio) {
        Form form{{"ApiVersion", "2010-04-01"}, {"SmsStatus", "received"}, {"SmsMessageSid", said.id},
                  {"MessageSid", said.id},      {"NumMedia", "0"},         {"NumSegments", "1"},
                  {"From", said.from},          {"To", account.from},      {"Body", said.text}};
        form.emplace_back("AccountSid", account.account_sid);
        if (!said.name.empty()) form.emplace_back("ProfileName", said.name);
        return form_hook(form, std::move(url));
    }
    json::object contact{{"wa_id", said.from}};
    contact["profile"] = {{"name", said.name}};
    json::object message{{"from", said.from}, {"id", said.id}, {"timestamp", seconds_of(said.at)}, {"type", "text"}};
    message["text"] = {{"body", said.text}};
    json::object change;
    change["contacts"] = json::array{std::move(contact)};
    change["messages"] = json::array{std::move(message)};
    return meta_hook(account, std::move(change), std::move(url));
}

RawRequest hook_of(const Account& account, const Taken& message, DeliveryStatus status, std::string url)
{
    const std::string word(name_of(status));
    if (account.vendor == ChannelVendor::twilio) {
        Form form{{"MessageSid", message.id},
                  {"MessageStatus", word == "failed" ? "undelivered" : word},
                  {"To", message.to},
                  {"From", message.from},
                  {"AccountSid", account.account_sid},
                  {"ApiVersion", "2010-04-01"}};
        if (status == DeliveryStatus::failed) form.emplace_back("ErrorCode", "30003");
        return form_hook(form, std::move(url));
    }
    json::object told{{"id", message.id},
                      {"status", word},
                      {"timestamp", seconds_of(message.at)},
                      {"recipient_id", message.to},
                      {"biz_opaque_callback_data", message.key}};
    if (status == DeliveryStatus::failed)
        told["errors"] = json::array{json::object{{"code", 131026}, {"title", "Message undeliverable"}}};
    json::object change;
    change["statuses"] = json::array{std::move(told)};
    return meta_hook(account, std::move(change), std::move(url));
}

}  // namespace cadre::channels::mock
