#include "home/control/control_client.hpp"

#include "base/async.hpp"
#include "base/timeout.hpp"
#include "home/home_owner.hpp"
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
    std::optional<boost::json::object> answer;
    try {
        const Request hello{.verb = "hello"};
        answer = co_await with_timeout(client->call(hello), patience, "the owner of the home");
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
    if (!answer) co_return nullptr;
    const auto* pid = answer->if_contains("pid");
    const auto* bare = answer->if_contains("bare");
    if (pid && pid->is_int64()) client->owner_.pid = pid->get_int64();
    client->owner_.unsandboxed = bare && bare->is_bool() && bare->get_bool();
    co_return client;
}

Async<std::optional<boost::json::object>> ControlClient::call(const Request& request, LineSink* sink)
{
    const std::string text = to_line(request);
    if (!co_await socket_.write(text)) co_return std::nullopt;
    while (auto line = co_await next_line(sink != nullptr)) {
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
        if (result) co_return result->is_object() ? result->get_object() : boost::json::object{};
        if (sink) co_await sink->take(std::move(*line) + "\n");
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
