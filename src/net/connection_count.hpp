// How many connections there are, in all and of each address: so that nobody takes all of them.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>

namespace cadre::net {

/// Lives on the loop of the servers that share it.
class ConnectionCount {
public:
    explicit ConnectionCount(std::size_t most, std::size_t most_of_address = std::numeric_limits<std::size_t>::max())
        : most_(most), most_of_address_(most_of_address)
    {}

    /// One connection, as long as it lives.
    class Place {
    public:
        Place(ConnectionCount& count, std::string address);
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place();

    private:
        ConnectionCount& count_;
        std::string address_;
    };

    /// Whether there is room for one more from there. `address` is without its port.
    bool has_room(const std::string& address) const;
    std::size_t all() const { return all_; }

private:
    std::size_t most_;
    std::size_t most_of_address_;
    std::size_t all_ = 0;
    std::map<std::string, std::size_t> of_addresses_;
};

}  // namespace cadre::net
