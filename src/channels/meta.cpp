// WhatsApp by Meta: the Cloud API. https://developers.facebook.com/docs/whatsapp/cloud-api
#include "base/error.hpp"
#include "base/json.hpp"
#include "channels/adapter.hpp"
#include "channels/form.hpp"
#include "channels/signature.hpp"
#include "channels/vendor_time.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::channels {
namespace {

constexpr std::size_t kLargest = 3 << 20;
constexpr JsonLimits kLimits{.bytes = kLargest, .depth = 32, .nodes = 200'000};

const json::value* find(const json::value* value, std::string_view name)
{
    const auto* object = value ? value->if_object() : nullptr;
    return object ? object->if_contains(name) : nullptr;
}

std::string text_of(const json::value* value)
{
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string text_in(const json::value& value, std::string_view name)
{
    return text_of(find(&value, name));
}

const json::array& list_in(const json::value& value, std::string_view name)
{
    static const json::array none;
    const auto* list = find(&value, name);
    return list && list->is_array() ? list->get_array() : none;
}

/// Users may hide their number; what always names them is `user_id`.
std::string sender_of(const json::value& message, const json::array& contacts)
{
    if (std::string id = text_in(message, "from_user_id"); !id.empty()) return id;
    const std::string from = text_in(message, "from");
    for (const json::value& contact : contacts) {
        const bool is_it = from.empty() ? contacts.size() == 1 : text_in(contact, "wa_id") == from;
        if (std::string id = text_in(contact, "user_id"); is_it && !id.empty()) return id;
    }
    return from;
}

std::string name_of_sender(const json::value& message, const json::array& contacts)
{
    const std::string from = text_in(message, "from");
    for (const json::value& contact : contacts)
        if (contacts.size() == 1 || text_in(contact, "wa_id") == from)
            if (const auto* profile = find(&contact, "profile")) return text_in(*profile, "name");
    return {};
}

/// What the user has written, or chosen.
std::optional<std::string> words_of(const json::value& message)
{
    const std::string type = text_in(message, "type");
    if (type == "text") return text_of(find(find(&message, "text"), "body"));
    if (type == "button") return text_of(find(find(&message, "button"), "text"));
    if (type != "interactive") return std::nullopt;
    const auto* interactive = find(&message, "interactive");
    for (const std::string_view reply : {"button_reply", "list_reply"})
        if (const auto* chosen = find(interactive, reply)) return text_in(*chosen, "title");
    return std::nullopt;
}

Inbound message_of(const json::value& message, const json::array& contacts)
{
    Inbound in{.id = text_in(message, "id"),
               .sender = sender_of(message, contacts),
               .name = name_of_sender(message, contacts),
               .sent_at = time_from_seconds(text_in(message, "timestamp"))};
    auto words = words_of(message);
    if (!words || words->empty() || in.id.empty() || in.sender.empty()) return in;
    in.kind = InboundKind::message;
    in.text = std::move(*words);
    return in;
}

Inbound status_of(const json::value& status)
{
    Inbound in{.id = text_in(status, "id"), .key = text_in(status, "biz_opaque_callback_data")};
    const auto known = find_delivery_status(text_in(status, "status"));
    if (!known || in.id.empty()) return in;
    in.kind = InboundKind::status;
    in.status = *known;
    const json::array& errors = list_in(status, "errors");
    if (*known == DeliveryStatus::failed && !errors.empty())
        if (const auto* code = find(&errors.front(), "code"); code && code->is_int64())
            in.error = fmt::format("{} {}", code->get_int64(), text_in(errors.front(), "title"));
    return in;
}

class Meta final : public Adapter {
public:
    net::HttpHeader sign(const RawRequest& request, const Account& account) const override
    {
        return {"X-Hub-Signature-256", "sha256=" + hex_of(hmac_sha256(account.app_secret, request.body))};
    }

    RawRequest probe(std::string url) const override
    {
        return {.method = "POST",
                .url = std::move(url),
                .headers = {{"Content-Type", "application/json"}},
                .body = R"({"object":"whatsapp_business_account","entry":[]})"};
    }

    Verdict verify(const RawRequest& request, const Account& account) const override
    {
        constexpr std::string_view kScheme = "sha256=";
        const auto given = net::find_header(request.headers, "X-Hub-Signature-256");
        if (!given) return Verdict::missing;
        if (!given->starts_with(kScheme)) return Verdict::wrong;
        for (const std::string* secret : {&account.app_secret, &account.previous_secret})
            if (!secret->empty() && is_same(given->substr(kScheme.size()), hex_of(hmac_sha256(*secret, request.body))))
                return Verdict::good;
        return Verdict::wrong;
    }

    std::vector<Inbound> read(const RawRequest& request) const override
    {
        const json::value envelope = parse_json(request.body, kLimits);
        std::vector<Inbound> all;
        for (const json::value& entry : list_in(envelope, "entry"))
            for (const json::value& change : list_in(entry, "changes")) {
                const auto* value = find(&change, "value");
                if (!value) continue;
                const json::array& contacts = list_in(*value, "contacts");
                for (const json::value& message : list_in(*value, "messages"))
                    all.push_back(message_of(message, contacts));
                for (const json::value& status : list_in(*value, "statuses")) all.push_back(status_of(status));
            }
        return all;
    }

    HookAnswer acknowledge() const override { return {}; }

    std::optional<HookAnswer> handshake(const RawRequest& request, const Account& account) const override
    {
        const Form query = form_from(request.query);
        if (find_field(query, "hub.mode") != "subscribe" || account.verify_token.empty() ||
            !is_same(find_field(query, "hub.verify_token"), account.verify_token))
            return std::nullopt;
        return HookAnswer{200, "text/plain", std::string(find_field(query, "hub.challenge"))};
    }

    net::HttpRequest plan(const Letter& letter, const Account& account) const override
    {
        json::object body{{"messaging_product", "whatsapp"}, {"recipient_type", "individual"}};
        // ids of users have a country before their dot; numbers have digits alone
        body[letter.to.find('.') == letter.to.npos ? "to" : "recipient"] = letter.to;
        if (letter.as_template && account.window_template) {
            body["type"] = "template";
            body["template"] = {{"name", account.window_template->name},
                                {"language", {{"code", account.window_template->language}}}};
        } else {
            body["type"] = "text";
            body["text"] = {{"body", letter.text}};
        }
        if (!letter.reply_to.empty()) body["context"] = {{"message_id", letter.reply_to}};
        body["biz_opaque_callback_data"] = letter.key;
        const std::string base = account.url.empty() ? "https://graph.facebook.com" : account.url;
        return {.method = "POST",
                .url = fmt::format("{}/{}/{}/messages", base, account.api_version,
                                   escaped_for_query(account.phone_number_id)),
                .headers = {{"Authorization", "Bearer " + account.token}, {"Content-Type", "application/json"}},
                .body = cadre::to_text(body)};
    }

    SendResult judge(int status, const net::HttpHeaders& headers, std::string_view text) const override
    {
        json::value said;
        try {
            said = parse_json(text);
        } catch (const Error&) {}  // a proxy's page
        SendResult result;
        if (status == 200) {
            const json::array& messages = list_in(said, "messages");
            if (!messages.empty()) result.id = text_in(messages.front(), "id");
            if (!result.id.empty()) result.kind = SendResult::Kind::accepted;
            return result;
        }
        const auto* error = find(&said, "error");
        if (error) result.text = text_in(*error, "message");
        std::int64_t code = 0;
        if (const auto* number = find(error, "code"); number && number->is_int64()) code = number->get_int64();
        if (code != 0) result.code = std::to_string(code);
        if (result.text.empty()) result.text = fmt::format("Meta answered {}", status);
        constexpr std::int64_t kLater[] = {4, 80007, 130429, 131056};
        if (code == 190 || status == 401) {
            result.kind = SendResult::Kind::later;
            result.retry_after = Millis(60'000);
            result.wrong_secret = true;
        } else if (status == 429 || std::ranges::find(kLater, code) != std::end(kLater)) {
            result.kind = SendResult::Kind::later;
            result.retry_after = retry_after_in(headers).value_or(Millis(6000));
        } else if (status >= 400 && status < 500 && status != 408) {
            result.kind = SendResult::Kind::refused;
        }
        return result;
    }

    std::size_t largest() const override { return kLargest; }
    bool has_window(const Account&) const override { return true; }
};

}  // namespace

const Adapter& meta()
{
    static const Meta adapter{};
    return adapter;
}

}  // namespace cadre::channels
