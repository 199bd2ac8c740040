#include "channels/deliveries.hpp"

#include "base/async.hpp"
#include "channels/contacts.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

namespace cadre::channels {

const model::Entity& describe(const Delivery*)
{
    using model::field;
    static const model::Entity entity{
        .name = "delivery",
        .doc = "How far a message has come.",
        .fields = {field("account", &Delivery::account, "The account that it was sent with."),
                   field("id", &Delivery::id, "The vendor's id of it."),
                   field("status", &Delivery::status, "accepted, sent, delivered, read or failed."),
                   field("error", &Delivery::error, "Why it failed, in the vendor's words."),
                   field("at", &Delivery::at, "When the status came.")},
        .home = {model::Home::Kind::message, "in `ext.deliveries` of the answer to `GET /messages/{request_id}`"},
        .example =
            R"({"account":"support-sms","id":"SM00000000000000000000000000000001","status":"delivered","error":"",
"at":"2026-11-16T10:00:00Z"})",
    };
    return entity;
}

Delivery joined(Delivery delivery, const Delivery& news)
{
    const auto before = find_delivery_status(delivery.status), now = find_delivery_status(news.status);
    if (delivery.id.empty()) delivery.id = news.id;
    if (delivery.account.empty()) delivery.account = news.account;
    if (!now || (before && *now <= *before)) return delivery;
    delivery.status = news.status;
    delivery.error = news.error;
    delivery.at = news.at;
    return delivery;
}

Async<std::optional<Delivery>> Deliveries::find(std::string key)
{
    const auto document = co_await store_.find(std::string(kDeliveryDocument), std::move(key));
    if (!document) co_return std::nullopt;
    co_return model::from_text<Delivery>(document->text, {.ignore_unknown = true, .stored = true});
}

Async<> Deliveries::note(std::string key, Delivery news)
{
    auto before = co_await find(key);
    const Delivery after = joined(before.value_or(Delivery{}), news);
    if (before && after == *before) co_return;
    if (!after.id.empty() && (!before || before->id.empty())) {
        storage::Document sent{
            .kind = std::string(kSentDocument), .key = key_for(after.account, after.id), .text = key};
        co_await store_.put(std::move(sent));
    }
    storage::Document document{
        .kind = std::string(kDeliveryDocument), .key = std::move(key), .text = model::to_json_text(after)};
    co_await store_.put(std::move(document));
    noted_.notify();
}

Async<std::string> Deliveries::key_of(std::string account, std::string id)
{
    const auto document = co_await store_.find(std::string(kSentDocument), key_for(account, id));
    co_return document ? document->text : std::string();
}

}  // namespace cadre::channels
