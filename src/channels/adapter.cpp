#include "channels/adapter.hpp"

#include <algorithm>
#include <iterator>

namespace cadre::channels {
namespace {

constexpr std::string_view kStatuses[] = {"accepted", "sent", "failed", "delivered", "read"};

}  // namespace

std::string_view name_of(DeliveryStatus status)
{
    return kStatuses[static_cast<std::size_t>(status)];
}

std::optional<DeliveryStatus> find_delivery_status(std::string_view name)
{
    const auto* found = std::ranges::find(kStatuses, name);
    if (found == std::end(kStatuses)) return std::nullopt;
    return static_cast<DeliveryStatus>(found - std::begin(kStatuses));
}

const Adapter& adapter_of(model::ChannelVendor vendor)
{
    switch (vendor) {
    case model::ChannelVendor::twilio: break;
    case model::ChannelVendor::meta: return meta();
    case model::ChannelVendor::smtp: return mail();
    }
    return twilio();
}

}  // namespace cadre::channels
