#include "net/dial.hpp"

#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/signal.hpp"
#include "base/timeout.hpp"
#include "net/await.hpp"
#include "net/loop.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace cadre::net {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using boost::system::error_code;

constexpr Millis kHeadStart{250};

Tcp::endpoint endpoint_of(const IpAddress& address, std::uint16_t port)
{
    if (address.v6) return {asio::ip::address_v6(address.bytes), port};
    asio::ip::address_v4::bytes_type bytes{};
    std::copy_n(address.bytes.begin(), bytes.size(), bytes.begin());
    return {asio::ip::address_v4(bytes), port};
}

IpAddress address_of(const asio::ip::address& address)
{
    IpAddress found{.v6 = address.is_v6()};
    if (found.v6) found.bytes = address.to_v6().to_bytes();
    else std::ranges::copy(address.to_v4().to_bytes(), found.bytes.begin());
    return found;
}

/// The resolver's order, but one family after the other by turns, beginning with that of the first.
std::vector<IpAddress> by_turns(const std::vector<IpAddress>& addresses)
{
    std::vector<IpAddress> sorted[2];
    for (const IpAddress& address : addresses) sorted[address.v6 == addresses.front().v6 ? 0 : 1].push_back(address);
    std::vector<IpAddress> all;
    for (std::size_t i = 0; all.size() < addresses.size(); ++i)
        for (const auto& family : sorted)
            if (i < family.size()) all.push_back(family[i]);
    return all;
}

/// As Asio would, but processes that are started later do not inherit it.
error_code open(Tcp::socket& socket, const Tcp& protocol)
{
    const int made = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) return {errno, boost::system::system_category()};
    error_code error;
    socket.assign(protocol, made, error);
    if (error) ::close(made);
    return error;
}

struct Race {
    std::optional<Tcp::socket> winner;
    error_code last;
    std::size_t running = 0;
    Signal changed;
};

Async<> attempt(Race& race, Loop& loop, Tcp::endpoint endpoint)
{
    Tcp::socket socket(loop.io());
    error_code error = open(socket, endpoint.protocol());
    if (!error) error = co_await socket.async_connect(endpoint, use_async);
    --race.running;
    if (error) race.last = error;
    else if (!race.winner) race.winner = std::move(socket);
    race.changed.notify();
}

/// Until there is a winner, nobody runs any more, or the time is over.
Async<> watch(Race& race, Instant due)
{
    Deadline deadline(co_await this_context(), due);
    auto wait = [](Race& r) -> Async<> {
        while (!r.winner && r.running > 0) co_await r.changed.wait();
    }(race);
    try {
        co_await std::move(wait).under(deadline.context());
    } catch (const Cancelled&) {
        if (!deadline.expired()) throw;
    }
}

}  // namespace

Async<std::vector<IpAddress>> resolve(Loop& loop, std::string host)
{
    if (const auto address = find_ip_address(host)) co_return std::vector<IpAddress>{*address};
    Tcp::resolver resolver(loop.io());
    const auto [error, found] = co_await resolver.async_resolve(host, "", Tcp::resolver::flags(), use_async);
    if (error) throw Error(Code::upstream, "the name " + host + " cannot be resolved: " + error.message());
    std::vector<IpAddress> addresses;
    for (const auto& entry : found) addresses.push_back(address_of(entry.endpoint().address()));
    if (addresses.empty()) throw Error(Code::upstream, "the name " + host + " has no address");
    co_return addresses;
}

Async<Tcp::socket> connect_any(Loop& loop, std::vector<IpAddress> addresses, std::uint16_t port)
{
    Race race;
    AsyncScope scope(co_await this_context());
    addresses = by_turns(addresses);
    for (std::size_t i = 0; i < addresses.size() && !race.winner; ++i) {
        ++race.running;
        scope.spawn(attempt(race, loop, endpoint_of(addresses[i], port)));
        co_await watch(race, i + 1 == addresses.size() ? kNever : later(loop.now(), kHeadStart));
    }
    if (!race.winner) throw Error(Code::upstream, "no connection: " + race.last.message());
    co_await scope.close();  // the slower ones
    co_return std::move(*race.winner);
}

}  // namespace cadre::net
