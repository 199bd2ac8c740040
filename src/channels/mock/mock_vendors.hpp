// Twilio and Meta over HTTP, for tests and for trying out: they take messages of the accounts in accounts.yaml, tell how far these have
// come, bring what people write, and have faults on demand.
//     POST /2010-04-01/Accounts/{sid}/Messages.json, GET of it      as Twilio
//     POST /{version}/{phone_number_id}/messages                    as Meta
//     POST /mock/say      {"account","from","text","name","copies"}  somebody writes; answers what the webhook was answered
//     POST /mock/faults   {"faults":["lost","later"]}                what the next messages meet
//     GET  /mock/sent                                                all messages that were taken
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "channels/mock/vendor_side.hpp"
#include "net/http_server.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::net {
class Loop;
}

namespace cadre::channels::mock {

/// What a message meets.
enum class MockFault : std::uint8_t {
    ok,
    refuse,   // no such address
    stop,     // they want no messages
    later,    // too often
    expired,  // the account's secret is not good any more
    error,    // 500, and it is not taken
    lost,     // 500, and it is taken
    cut,      // it is taken, and the connection ends
    silent,   // it is taken, and nothing is answered
};
std::optional<MockFault> find_mock_fault(std::string_view name);
/// `ok, refuse, …`
std::string mock_fault_names();

struct MockOptions {
    std::shared_ptr<const model::ChannelAccounts> accounts{};
    std::string server{};  // where webhooks go instead of public_url, which they are signed for; empty: there
    std::vector<MockFault> faults{};
    std::vector<DeliveryStatus> statuses{DeliveryStatus::sent, DeliveryStatus::delivered};
    int copies = 1;                                          // of each webhook, at once
    std::function<void(const std::string& line)> told = {};  // what happens, for people; must not throw
};

/// Handles requests of a net::HttpServer, which it outlives. Lives on its loop; close() before it dies.
class MockVendors final : public net::HttpHandler {
public:
    MockVendors(net::Loop& loop, net::Http& http, MockOptions options);

    Async<> handle(net::HttpExchange& exchange) override;
    Async<> close();

private:
    struct Place;

    Async<> take(net::HttpExchange& exchange, Place place);
    Async<> list(net::HttpExchange& exchange, Place place);
    Async<> say(net::HttpExchange& exchange);
    Async<> change_faults(net::HttpExchange& exchange);
    std::string sent_text() const;
    Place place_of(const net::HttpHead& head) const;
    std::string hook_url(const std::string& account, std::string_view end) const;
    Async<> tell_statuses(Taken message);
    /// The status of each answer; 0: there was none.
    Async<std::vector<int>> call(std::string account, RawRequest hook, int copies);
    void told(const std::string& line) const;

    net::Loop& loop_;
    net::Http& http_;
    MockOptions options_;
    std::deque<MockFault> faults_;
    std::vector<Taken> taken_;
    std::uint64_t ids_;
    AsyncScope scope_;  // last: what it spawned uses all of the above
};

}  // namespace cadre::channels::mock
