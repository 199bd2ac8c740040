// What became of messages behind the task that sent them: found by the key of their `send`.
#pragma once

#include "base/async_fwd.hpp"
#include "base/signal.hpp"
#include "base/time.hpp"
#include "channels/adapter.hpp"
#include "storage/store.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cadre::model {
struct Entity;
}

namespace cadre::channels {

struct Delivery {
    std::string account{};
    std::string id{};  // the vendor's
    std::string status{};
    std::string error{};
    std::optional<Time> at{};  // of that status

    bool operator==(const Delivery&) const = default;
};
const model::Entity& describe(const Delivery*);

/// Kind of the documents that deliveries are, by the key of their `send`; and of those that say which key an id of a vendor has.
inline constexpr std::string_view kDeliveryDocument = "channel_delivery";
inline constexpr std::string_view kSentDocument = "channel_sent";

/// What it then says: a status of lower rank changes nothing.
Delivery joined(Delivery delivery, const Delivery& news);

class Deliveries {
public:
    explicit Deliveries(storage::Store& store) : store_(store) {}

    Async<std::optional<Delivery>> find(std::string key);
    /// Durable when it returns.
    Async<> note(std::string key, Delivery news);
    /// Which `send` has the vendor's message; empty: none that is known.
    Async<std::string> key_of(std::string account, std::string id);
    /// When something was noted.
    Signal& noted() { return noted_; }

private:
    storage::Store& store_;
    Signal noted_;
};

}  // namespace cadre::channels
