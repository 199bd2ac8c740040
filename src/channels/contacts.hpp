// Whom an account knows: whether they want messages, and when they wrote last.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "storage/store.hpp"

#include <optional>
#include <string>

namespace cadre::model {
struct Entity;
}

namespace cadre::channels {

struct Contact {
    bool out = false;  // they want no messages
    std::optional<Time> wrote_at{};

    bool operator==(const Contact&) const = default;
};
const model::Entity& describe(const Contact*);

/// Kind of the documents that contacts are, by a hash of account and sender: addresses of people stand in no key.
inline constexpr std::string_view kContactDocument = "channel_contact";

class Contacts {
public:
    explicit Contacts(storage::Store& store) : store_(store) {}

    Async<Contact> find(std::string account, std::string sender);
    /// Durable when it returns.
    Async<> set_out(std::string account, std::string sender, bool out);
    Async<> set_wrote(std::string account, std::string sender, Time at);

private:
    Async<> put(std::string account, std::string sender, Contact contact);

    storage::Store& store_;
};

/// What stands for texts of people in keys.
std::string key_for(std::string_view account, std::string_view name);

}  // namespace cadre::channels
