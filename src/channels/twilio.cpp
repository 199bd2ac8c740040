// Twilio: SMS and WhatsApp over its Messages resource. https://www.twilio.com/docs/usage/security, …/messaging/api/message-resource
#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "channels/adapter.hpp"
#include "channels/form.hpp"
#include "channels/signature.hpp"
#include "channels/vendor_time.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace cadre::channels {
namespace {

constexpr std::string_view kWhatsapp = "whatsapp:";

/// The URL with its default port written out, and without: Twilio signs either.
std::vector<std::string> forms_of(const std::string& url)
{
    std::vector<std::string> forms{url};
    const std::size_t host = url.find("://");
    if (host == url.npos) return forms;
    const std::string port = url.starts_with("https") ? ":443" : ":80";
    const std::size_t end = std::min(url.find_first_of("/?#", host + 3), url.size());
    const std::string authority = url.substr(0, end);
    const std::size_t bracket = authority.find(']', host + 3);  // of an IPv6 address
    const bool has_port = authority.find(':', bracket == authority.npos ? host + 3 : bracket) != authority.npos;
    if (authority.ends_with(port))
        forms.push_back(authority.substr(0, authority.size() - port.size()) + url.substr(end));
    else if (!has_port) forms.push_back(authority + port + url.substr(end));
    return forms;
}

/// Of each field, sorted by name, the name and its values: those that are there more than once count once.
std::string signed_fields(const Form& form)
{
    std::map<std::string, std::set<std::string>> fields;
    for (const auto& [name, value] : form) fields[name].insert(value);
    std::string text;
    for (const auto& [name, values] : fields)
        for (const std::string& value : values) text += name + value;
    return text;
}

std::optional<DeliveryStatus> status_from(std::string_view word)
{
    if (word == "accepted" || word == "scheduled" || word == "queued" || word == "sending")
        return DeliveryStatus::accepted;
    if (word == "sent") return DeliveryStatus::sent;
    if (word == "delivered") return DeliveryStatus::delivered;
    if (word == "read") return DeliveryStatus::read;
    if (word == "undelivered" || word == "failed" || word == "canceled") return DeliveryStatus::failed;
    return std::nullopt;
}

std::string text_in(const json::object& object, std::string_view name)
{
    const auto* member = object.if_contains(name);
    return member && member->is_string() ? std::string(member->get_string()) : std::string();
}

std::string address_of(std::string_view number, const Account& account)
{
    const bool whatsapp = account.channel == model::conversation::Channel::whatsapp;
    return whatsapp && !number.starts_with(kWhatsapp) ? std::string(kWhatsapp) + std::string(number)
                                                      : std::string(number);
}

net::HttpHeaders headers_for(const Account& account)
{
    return {{"Authorization", "Basic " + to_base64(account.account_sid + ':' + account.auth_token)},
            {"Accept", "application/json"}};
}

std::string messages_url(const Account& account)
{
    const std::string base = account.url.empty() ? "https://api.twilio.com" : account.url;
    return fmt::format("{}/2010-04-01/Accounts/{}/Messages.json", base, escaped_for_query(account.account_sid));
}

class Twilio final : public Adapter {
public:
    net::HttpHeader sign(const RawRequest& request, const Account& account) const override
    {
        const std::string text = request.url + signed_fields(form_from(request.body));
        return {"X-Twilio-Signature", to_base64(hmac_sha1(account.auth_token, text))};
    }

    RawRequest probe(std::string url) const override
    {
        return {.method = "POST",
                .url = std::move(url),
                .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                .body = "ApiVersion=2010-04-01"};
    }

    Verdict verify(const RawRequest& request, const Account& account) const override
    {
        const auto given = net::find_header(request.headers, "X-Twilio-Signature");
        if (!given) return Verdict::missing;
        std::string fields;
        const std::string hash(find_field(form_from(request.query), "bodySHA256"));
        if (hash.empty()) fields = signed_fields(form_from(request.body));
        else if (!is_same(hash, to_hex(sha256(request.body)))) return Verdict::wrong;
        for (const std::string* token : {&account.auth_token, &account.previous_secret})
            for (const std::string& url : forms_of(request.url))
                if (!token->empty() && is_same(*given, to_base64(hmac_sha1(*token, url + fields))))
                    return Verdict::good;
        return Verdict::wrong;
    }

    std::vector<Inbound> read(const RawRequest& request) const override
    {
        const Form form = form_from(request.body);
        const auto text = [&](std::string_view name) { return std::string(find_field(form, name)); };
        Inbound in{.id = text("MessageSid"), .sender = text("From"), .name = text("ProfileName"), .text = text("Body")};
        if (in.id.empty()) return {in};
        if (const auto word = find_field(form, "MessageStatus"); !word.empty()) {
            const auto status = status_from(word);
            if (!status) return {in};
            in = {.kind = InboundKind::status, .id = in.id, .status = *status};
            in.key = find_field(form_from(request.query), "k");
            if (*status == DeliveryStatus::failed) in.error = text("ErrorCode");
            return {in};
        }
        const std::string opted = text("OptOutType");
        in.kind = opted == "STOP"    ? InboundKind::opt_out
                  : opted == "START" ? InboundKind::opt_in
                  : opted == "HELP"  ? InboundKind::help
                                     : InboundKind::message;
        return {in};
    }

    HookAnswer acknowledge() const override { return {200, "text/xml", "<Response/>"}; }

    net::HttpRequest plan(const Letter& letter, const Account& account) const override
    {
        Form form{{"To", address_of(letter.to, account)}};
        if (account.messaging_service_sid.empty()) form.emplace_back("From", address_of(account.from, account));
        else form.emplace_back("MessagingServiceSid", account.messaging_service_sid);
        form.emplace_back("Body", letter.text);
        if (!letter.status_url.empty())
            form.emplace_back("StatusCallback", letter.status_url + "?k=" + escaped_for_query(letter.key));
        net::HttpRequest request{
            .method = "POST", .url = messages_url(account), .headers = headers_for(account), .body = to_text(form)};
        request.headers.push_back({"Content-Type", "application/x-www-form-urlencoded"});
        return request;
    }

    SendResult judge(int status, const net::HttpHeaders& headers, std::string_view body) const override
    {
        json::object said;
        try {
            const json::value value = parse_json(body);
            if (value.is_object()) said = value.get_object();
        } catch (const Error&) {}  // a proxy's page
        SendResult result{.id = text_in(said, "sid"), .text = text_in(said, "message")};
        if (const auto* code = said.if_contains("code"); code && code->is_int64())
            result.code = std::to_string(code->get_int64());
        if (status == 201 && !result.id.empty()) {
            result.kind = SendResult::Kind::accepted;
            return result;
        }
        result.id.clear();
        if (result.text.empty()) result.text = fmt::format("Twilio answered {}", status);
        if (status == 429 || result.code == "20429") {
            result.kind = SendResult::Kind::later;
            result.retry_after = retry_after_in(headers).value_or(Millis(1000));
        } else if (status == 401) {
            result.kind = SendResult::Kind::later;
            result.retry_after = Millis(60'000);
            result.wrong_secret = true;
        } else if (status >= 400 && status < 500 && status != 408) {
            result.kind = SendResult::Kind::refused;
            result.opted_out = result.code == "21610";
        }
        return result;
    }

    std::optional<net::HttpRequest> list(const std::string& to, Time since, const Account& account) const override
    {
        Form query{{"To", address_of(to, account)}};
        if (account.messaging_service_sid.empty()) query.emplace_back("From", address_of(account.from, account));
        query.emplace_back("DateSent>", to_iso(since).substr(0, 10));
        query.emplace_back("PageSize", "100");
        return net::HttpRequest{.url = messages_url(account) + '?' + to_text(query), .headers = headers_for(account)};
    }

    std::vector<Listed> read_list(std::string_view body) const override
    {
        std::vector<Listed> all;
        const json::value value = parse_json(body);
        const auto* list = value.is_object() ? value.get_object().if_contains("messages") : nullptr;
        if (!list || !list->is_array()) return all;
        for (const json::value& one : list->get_array()) {
            if (!one.is_object()) continue;
            const json::object& message = one.get_object();
            const auto created = time_from_mail_date(text_in(message, "date_created"));
            if (!created || text_in(message, "direction").starts_with("inbound")) continue;
            all.push_back({text_in(message, "sid"), text_in(message, "to"), text_in(message, "body"), *created});
        }
        return all;
    }

    std::size_t largest() const override { return 64 << 10; }
    bool has_window(const Account& account) const override
    {
        return account.channel == model::conversation::Channel::whatsapp;
    }
};

}  // namespace

const Adapter& twilio()
{
    static const Twilio adapter{};
    return adapter;
}

}  // namespace cadre::channels
