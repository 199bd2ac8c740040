#include "channels/mock/mock_vendors.hpp"

#include "base/async.hpp"
#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/timeout.hpp"
#include "channels/form.hpp"
#include "net/loop.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace cadre::channels::mock {
namespace {

using model::ChannelVendor;

constexpr std::string_view kFaults[] = {"ok", "refuse", "stop", "later", "expired", "error", "lost", "cut", "silent"};
constexpr std::string_view kTwilio = "/2010-04-01/Accounts/";
constexpr std::size_t kMostTaken = 10'000;
constexpr int kMostCopies = 100;
constexpr Millis kSilence = std::chrono::hours{1};

std::optional<Refused> refusal_of(MockFault fault)
{
    switch (fault) {
    case MockFault::refuse: return Refused::bad_address;
    case MockFault::stop: return Refused::opted_out;
    case MockFault::later: return Refused::too_often;
    case MockFault::expired: return Refused::wrong_secret;
    case MockFault::error: return Refused::broken;
    case MockFault::ok:
    case MockFault::lost:
    case MockFault::cut:
    case MockFault::silent: break;
    }
    return std::nullopt;
}

std::string word_in(const json::object& object, std::string_view name)
{
    const auto* member = object.if_contains(name);
    return member && member->is_string() ? std::string(member->get_string()) : std::string();
}

json::object object_in(std::string_view body)
{
    json::value value = parse_json(body);
    if (!value.is_object()) throw net::HttpRefusal(400, Code::malformed, "the body must be an object");
    return std::move(value.get_object());
}

bool is_signed_in(const net::HttpHead& head, const Account& account)
{
    const auto given = net::find_header(head.headers, "Authorization");
    if (!given) return false;
    if (account.vendor == ChannelVendor::twilio)
        return *given == "Basic " + to_base64(account.account_sid + ':' + account.auth_token);
    return *given == "Bearer " + account.token;
}

}  // namespace

/// Whose resource a request is about.
struct MockVendors::Place {
    std::string name{};
    const Account* account = nullptr;
};

std::optional<MockFault> find_mock_fault(std::string_view name)
{
    const auto* found = std::ranges::find(kFaults, name);
    if (found == std::end(kFaults)) return std::nullopt;
    return static_cast<MockFault>(found - std::begin(kFaults));
}

std::string mock_fault_names()
{
    std::string all;
    for (const std::string_view name : kFaults) all += (all.empty() ? "" : ", ") + std::string(name);
    return all;
}

MockVendors::MockVendors(net::Loop& loop, net::Http& http, MockOptions options)
    : loop_(loop),
      http_(http),
      options_(std::move(options)),
      faults_(options_.faults.begin(), options_.faults.end()),
      // ids are not those of an earlier process: the other side remembers them
      ids_(static_cast<std::uint64_t>(loop.clock().now().time_since_epoch().count()) << 16U),
      scope_(loop)
{}

Async<> MockVendors::close()
{
    co_await scope_.close();
}

void MockVendors::told(const std::string& line) const
{
    if (options_.told) options_.told(line);
}

Async<> MockVendors::handle(net::HttpExchange& exchange)
{
    const net::HttpHead& head = exchange.head();
    if (head.path == "/mock/say" && head.method == "POST") co_return co_await say(exchange);
    if (head.path == "/mock/faults" && head.method == "POST") co_return co_await change_faults(exchange);
    if (head.path == "/mock/sent" && head.method == "GET")
        co_return co_await exchange.reply(net::json_answer(200, sent_text()));
    const Place place = place_of(head);
    if (!place.account) throw net::HttpRefusal(404, Code::not_found, "neither Twilio nor Meta has " + head.path);
    if (!is_signed_in(head, *place.account)) {
        const ChannelVendor vendor = place.account->vendor;
        co_return co_await exchange.reply(answer_of(vendor, error_of(vendor, Refused::wrong_secret)));
    }
    const bool lists = head.method == "GET" && place.account->vendor == ChannelVendor::twilio;
    if (lists) co_return co_await list(exchange, place);
    if (head.method != "POST") throw net::HttpRefusal(405, Code::invalid, "messages are sent with POST");
    co_await take(exchange, place);
}

MockVendors::Place MockVendors::place_of(const net::HttpHead& head) const
{
    for (const auto& [name, account] : options_.accounts->accounts) {
        const bool twilio = account.vendor == ChannelVendor::twilio;
        const std::string path = twilio ? std::string(kTwilio) + account.account_sid + "/Messages.json"
                                        : fmt::format("/{}/{}/messages", account.api_version, account.phone_number_id);
        if (head.path == path) return {name, &account};
    }
    return {};
}

Async<> MockVendors::take(net::HttpExchange& exchange, Place place)
{
    const ChannelVendor vendor = place.account->vendor;
    const std::string body = co_await read_all(exchange);
    MockFault fault = MockFault::ok;
    if (!faults_.empty()) {
        fault = faults_.front();
        faults_.pop_front();
    }
    if (const auto refused = refusal_of(fault)) {
        told(fmt::format("{} meets {}", place.name, kFaults[static_cast<std::size_t>(fault)]));
        co_return co_await exchange.reply(answer_of(vendor, error_of(vendor, *refused)));
    }
    Taken message;
    std::string missing;
    try {
        message = taken_from(*place.account, body);
    } catch (const Error& error) {
        missing = error.what();
    }
    if (!missing.empty())
        co_return co_await exchange.reply(
            answer_of(vendor, {400, vendor == ChannelVendor::twilio ? 21604 : 100, std::move(missing)}));
    message.account = place.name;
    message.id = new_message_id(vendor, ++ids_);
    message.at = loop_.clock().now();
    if (taken_.size() < kMostTaken) taken_.push_back(message);
    told(fmt::format("{} to {}: {}", message.account, message.to, message.text));
    scope_.spawn(tell_statuses(message));
    if (fault == MockFault::cut) co_return exchange.cut();
    if (fault == MockFault::silent) co_await sleep_for(kSilence);
    if (fault == MockFault::lost) co_await exchange.reply(answer_of(vendor, error_of(vendor, Refused::broken)));
    else co_await exchange.reply(accepted(*place.account, message));
}

Async<> MockVendors::list(net::HttpExchange& exchange, Place place)
{
    const Form query = form_from(exchange.head().query);
    const std::string_view to = find_field(query, "To"), from = find_field(query, "From");
    std::vector<Taken> found;
    for (const Taken& message : taken_)
        if (message.account == place.name && (to.empty() || message.to == to) && (from.empty() || message.from == from))
            found.push_back(message);
    std::ranges::reverse(found);  // the newest first
    co_await exchange.reply(net::json_answer(200, list_text(*place.account, found)));
}

std::string MockVendors::sent_text() const
{
    json::array all;
    for (const Taken& one : taken_)
        all.emplace_back(json::object{{"account", one.account},
                                      {"id", one.id},
                                      {"to", one.to},
                                      {"text", one.text},
                                      {"key", one.key},
                                      {"reply_to", one.reply_to},
                                      {"template", one.is_template}});
    return cadre::to_text(json::object{{"messages", std::move(all)}});
}

Async<> MockVendors::change_faults(net::HttpExchange& exchange)
{
    const std::string body = co_await read_all(exchange);
    const json::object asked = object_in(body);
    const auto* names = asked.if_contains("faults");
    if (!names || !names->is_array()) throw net::HttpRefusal(400, Code::invalid, "faults: must be a list");
    std::deque<MockFault> faults;
    for (const json::value& name : names->get_array()) {
        const auto fault = name.is_string() ? find_mock_fault(name.get_string()) : std::nullopt;
        if (!fault) throw net::HttpRefusal(400, Code::invalid, "faults: each is one of " + mock_fault_names());
        faults.push_back(*fault);
    }
    faults_ = std::move(faults);
    co_await exchange.reply({.status = 204});
}

// ---- what the vendor tells ----

std::string MockVendors::hook_url(const std::string& account, std::string_view end) const
{
    return fmt::format("{}/channels/{}/{}", options_.accounts->public_url, account, end);
}

Async<> MockVendors::say(net::HttpExchange& exchange)
{
    const std::string body = co_await read_all(exchange);
    const json::object asked = object_in(body);
    const std::string name = word_in(asked, "account");
    const Account* account = options_.accounts->accounts.find(name);
    if (!account) throw net::HttpRefusal(404, Code::not_found, "there is no account " + in_quotes(name));
    Said said{.id = word_in(asked, "id"),
              .from = word_in(asked, "from"),
              .name = word_in(asked, "name"),
              .text = word_in(asked, "text"),
              .at = loop_.clock().now()};
    if (said.id.empty()) said.id = new_message_id(account->vendor, ++ids_);
    int copies = options_.copies;
    if (const auto* given = asked.if_contains("copies"); given && given->is_int64())
        copies = static_cast<int>(std::clamp<std::int64_t>(given->get_int64(), 1, kMostCopies));
    const RawRequest hook = hook_of(*account, said, hook_url(name, "webhook"));
    const std::vector<int> answers = co_await call(name, hook, copies);
    json::array statuses;
    for (const int status : answers) statuses.emplace_back(status);
    co_await exchange.reply(
        net::json_answer(200, cadre::to_text(json::object{{"id", said.id}, {"answers", std::move(statuses)}})));
}

Async<> MockVendors::tell_statuses(Taken message)
{
    const Account& account = *options_.accounts->accounts.find(message.account);
    const std::string url =
        account.vendor == ChannelVendor::twilio ? message.status_url : hook_url(message.account, "webhook");
    if (url.empty()) co_return;
    for (const DeliveryStatus status : options_.statuses)
        co_await call(message.account, hook_of(account, message, status, url), options_.copies);
}

Async<std::vector<int>> MockVendors::call(std::string name, RawRequest hook, int copies)
{
    const Account& account = *options_.accounts->accounts.find(name);
    const std::string& own = options_.accounts->public_url;
    if (const std::size_t query = hook.url.find('?'); query != std::string::npos)
        hook.query = hook.url.substr(query + 1);
    net::HttpHeaders headers = hook.headers;
    headers.push_back(adapter_of(account.vendor).sign(hook, account));
    std::string url = hook.url;
    if (!options_.server.empty() && url.starts_with(own)) url = options_.server + url.substr(own.size());
    std::vector<int> answers(static_cast<std::size_t>(copies));
    const auto post = [](MockVendors& self, net::HttpRequest request, int& answer) -> Async<> {
        try {
            const auto reply = co_await self.http_.send(std::move(request));
            answer = reply->status();
            co_await net::read_all(*reply);
        } catch (const Error& error) {
            self.told(fmt::format("the webhook was not answered: {}", error.what()));
        }
    };
    AsyncScope all(co_await this_context());
    for (int& answer : answers) {
        net::HttpRequest request{.method = "POST", .url = url, .headers = headers, .body = hook.body};
        all.spawn(post(*this, std::move(request), answer));
    }
    co_await all.join();
    for (const int answer : answers)
        if (answer != 0 && answer / 100 != 2) told(fmt::format("{} answers {}", url, answer));
    co_return answers;
}

}  // namespace cadre::channels::mock
