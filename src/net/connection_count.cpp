#include "net/connection_count.hpp"

#include <utility>

namespace cadre::net {

ConnectionCount::Place::Place(ConnectionCount& count, std::string address) : count_(count), address_(std::move(address))
{
    ++count_.all_;
    ++count_.of_addresses_[address_];
}

ConnectionCount::Place::~Place()
{
    --count_.all_;
    const auto found = count_.of_addresses_.find(address_);
    if (--found->second == 0) count_.of_addresses_.erase(found);
}

bool ConnectionCount::has_room(const std::string& address) const
{
    if (all_ >= most_) return false;
    const auto found = of_addresses_.find(address);
    return found == of_addresses_.end() || found->second < most_of_address_;
}

}  // namespace cadre::net
