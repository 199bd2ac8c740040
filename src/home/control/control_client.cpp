#include "home/control/control_client.hpp"

#include "base/async.hpp"
#include "base/timeout.hpp"
#include "home/home_owner.hpp"
#include "model/read.hpp"
#include "net/loop.hpp"

#include <boost/json.hpp>

#include <utility>

namespace cadre::home {

Async<std::unique_ptr<ControlClient>> ControlClient::connect(net::Loop& loop, std::filesystem::path home,
                                                             Millis patience)
{
    auto socket = co_await net::connect_local(loop, control_socket(home));
    if (!socket) co_return nullptr;
    auto client = std::make_unique<ControlClient>(std::move(*socket));
    std::optional<boost::json::value> answer;
    try {
        answer =
            co_await with_timeout(client->call(request_line(Hello::verb, "", "{}")), patience, "the owner of the home");
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
    if (!answer) co_return nullptr;
    client->owner_ = model::from_json<Owner>(*answer, {.ignore_unknown = true});
    co_return client;
}

Async<std::optional<boost::json::value>> ControlClient::call(std::string request, Listener* listener)
{
    if (!co_await socket_.write(std::move(request))) co_return std::nullopt;
    while (auto line = co_await next_line(listener != nullptr)) {
        if (*line + "\n" == kAliveLine) continue;
        const boost::json::object said = parse_line(*line);
        const boost::json::value* result = nullptr;
        bool leaving = false;
        try {
            result = result_in(said);
        } catch (const Leaving&) {
            leaving = true;
        }
        if (leaving) {
            co_await until_gone();
            co_return std::nullopt;
        }
        if (result) co_return *result;
        if (listener) co_await listener->hear(told_in(said));
    }
    co_return std::nullopt;
}

/// Nothing when the owner is gone, or, during a drive, silent for too long.
Async<std::optional<std::string>> ControlClient::next_line(bool driven)
{
    if (!driven) co_return co_await socket_.read_line(kLongestLine);
    try {
        co_return co_await with_timeout(socket_.read_line(kLongestLine), 4 * kHeartbeat, "the owner of the home");
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
    co_return std::nullopt;
}

Async<> ControlClient::until_gone()
{
    while (co_await socket_.read_line(kLongestLine)) {}
}

}  // namespace cadre::home
