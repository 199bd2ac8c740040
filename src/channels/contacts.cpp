#include "channels/contacts.hpp"

#include "base/async.hpp"
#include "base/sha256.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

namespace cadre::channels {

const model::Entity& describe(const Contact*)
{
    using model::field;
    static const model::Entity entity{
        .name = "channel_contact",
        .doc = "Somebody who has written over a channel.",
        .fields = {field("out", &Contact::out, "They want no messages."),
                   field("wrote_at", &Contact::wrote_at, "When they wrote last.")},
        .home = {model::Home::Kind::inside, ""},
    };
    return entity;
}

std::string key_for(std::string_view account, std::string_view name)
{
    std::string text(account);
    text += '\n';
    text += name;
    return to_hex(digest_of(text));
}

Async<Contact> Contacts::find(std::string account, std::string sender)
{
    const auto document = co_await store_.find(std::string(kContactDocument), key_for(account, sender));
    if (!document) co_return Contact{};
    co_return model::from_text<Contact>(document->text, {.ignore_unknown = true, .stored = true});
}

Async<> Contacts::set_out(std::string account, std::string sender, bool out)
{
    Contact contact = co_await find(account, sender);
    if (contact.out == out) co_return;
    contact.out = out;
    co_await put(std::move(account), std::move(sender), contact);
}

Async<> Contacts::set_wrote(std::string account, std::string sender, Time at)
{
    Contact contact = co_await find(account, sender);
    if (contact.wrote_at && *contact.wrote_at >= at) co_return;
    contact.wrote_at = at;
    co_await put(std::move(account), std::move(sender), contact);
}

Async<> Contacts::put(std::string account, std::string sender, Contact contact)
{
    storage::Document document{
        .kind = std::string(kContactDocument), .key = key_for(account, sender), .text = model::to_json_text(contact)};
    co_await store_.put(std::move(document));
}

}  // namespace cadre::channels
