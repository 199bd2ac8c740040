#include "channels/inbox.hpp"

#include "base/async.hpp"
#include "channels/contacts.hpp"
#include "channels/mail/mail_letter.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

namespace cadre::channels {
namespace {

/// Keys are hashes: so many of them begin with the same two digits, of ten million.
constexpr std::size_t kMostOfShard = 50'000;

}  // namespace

const model::Entity& describe(const WaitingMessage*)
{
    using model::field;
    using Message = WaitingMessage;
    static const model::Entity entity{
        .name = "channel_waiting",
        .doc = "A message that no task answers yet.",
        .fields = {field("account", &Message::account, "Where it came in."),
                   field("id", &Message::id, "The vendor's id of it."),
                   field("sender", &Message::sender, "Who wrote it."),
                   field("name", &Message::name, "What they call themselves."),
                   field("text", &Message::text, "What they wrote."),
                   field("received_at", &Message::received_at, "When it came."),
                   field("order", &Message::order, "Among those that came at one time.")},
        .home = {model::Home::Kind::inside, ""},
    };
    return entity;
}

Async<bool> Inbox::add(WaitingMessage message)
{
    const std::string key = key_for(message.account, message.id);
    while (adding_.contains(key)) co_await added_.wait();
    adding_.insert(key);
    struct Leave {
        Inbox& inbox;
        const std::string& key;
        ~Leave()
        {
            inbox.adding_.erase(key);
            inbox.added_.notify();
        }
    } const leave{*this, key};
    // in this order: done() writes that it was seen before it takes it away from those that wait
    if (co_await store_.find(std::string(kWaitingDocument), key)) co_return false;
    if (co_await store_.find(std::string(kSeenDocument), key)) co_return false;
    storage::Document document{.kind = std::string(kWaitingDocument), .key = key, .text = model::to_json_text(message)};
    co_await store_.put(std::move(document));
    co_return true;
}

Async<> Inbox::done(WaitingMessage message, std::optional<Id> task)
{
    const std::string key = key_for(message.account, message.id);
    storage::Document seen{.kind = std::string(kSeenDocument), .key = key, .text = task ? to_string(*task) : ""};
    co_await store_.put(std::move(seen));
    co_await store_.remove(std::string(kWaitingDocument), key);
}

Async<std::vector<WaitingMessage>> Inbox::waiting()
{
    std::vector<WaitingMessage> all;
    for (const storage::Document& document : co_await store_.list(std::string(kWaitingDocument), "", SIZE_MAX))
        all.push_back(model::from_text<WaitingMessage>(document.text, {.ignore_unknown = true, .stored = true}));
    std::ranges::sort(all, {}, [](const WaitingMessage& one) { return std::tuple(one.received_at, one.order); });
    co_return all;
}

Async<std::size_t> Inbox::forget_before(Time limit)
{
    std::size_t count = 0;
    for (const std::string_view kind : {kSeenDocument, kThreadDocument})
        for (int shard = 0; shard < 256; ++shard) {
            const auto documents = co_await store_.list(std::string(kind), fmt::format("{:02x}", shard), kMostOfShard);
            for (const storage::Document& document : documents)
                if (document.updated_at < limit && co_await store_.remove(std::string(kind), document.key)) ++count;
        }
    co_return count;
}

}  // namespace cadre::channels
