#include "cli/remote_server.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/timeout.hpp"
#include "cli/environment.hpp"
#include "net/http_options.hpp"
#include "net/loop.hpp"
#include "net/sse.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

namespace cadre::cli {
namespace {

constexpr int kAttempts = 3;
constexpr Millis kBetween{300};
constexpr Millis kStreamSilence{60'000};
constexpr std::size_t kFewestLetters = 4;
constexpr int kMostTaskNames = 5;

Code code_called(std::string_view name)
{
    for (int i = 0; i <= static_cast<int>(Code::internal); ++i)
        if (const Code code = static_cast<Code>(i); name_of(code) == name) return code;
    return Code::upstream;
}

/// What the server says is wrong.
[[noreturn]] void throw_problem(int status, const std::string& body)
{
    std::string text = fmt::format("the server answers {}", status);
    Code code = Code::upstream;
    try {
        const boost::json::value problem = parse_json(body);
        if (const auto* detail = problem.as_object().if_contains("detail"); detail && detail->is_string())
            text = detail->get_string();
        if (const auto* name = problem.as_object().if_contains("code"); name && name->is_string())
            code = code_called(name->get_string());
    } catch (const std::exception&) {
        // something else than a server of ours
    }
    if (code == Code::unauthorized) text += "; the token is taken from CADRE_TOKEN or CADRE_TOKEN_FILE";
    throw Error(code, text);
}

/// Whether another attempt may find the server.
bool may_come_back(const net::HttpError& error)
{
    return error.code() == Code::unavailable || error.code() == Code::timeout || error.code() == Code::upstream;
}

}  // namespace

RemoteServer::RemoteServer(net::Loop& loop, std::string url, Secret token)
    : http_(loop, net::http_options(environment)), url_(std::move(url)), token_(std::move(token))
{
    if (!url_.starts_with("http://") && !url_.starts_with("https://"))
        throw Error(Code::invalid, in_quotes(url_) + " is not an address of a server, like https://agents.example.com");
    while (url_.ends_with('/')) url_.pop_back();
}

net::HttpRequest RemoteServer::request_for(std::string method, const std::string& path) const
{
    net::HttpRequest request{.method = std::move(method), .url = url_ + path};
    if (!token_.reveal().empty())
        request.headers.push_back({"Authorization", "Bearer " + std::string(token_.reveal())});
    return request;
}

/// What may be sent again is sent again while nobody answers.
Async<std::unique_ptr<net::HttpReply>> RemoteServer::send(net::HttpRequest request)
{
    const bool is_repeatable = request.method == "GET" || net::find_header(request.headers, "Idempotency-Key");
    for (int attempt = 1;; ++attempt) {
        std::optional<net::HttpError> failed;
        try {
            co_return co_await http_.send(request);
        } catch (const net::HttpError& error) {
            failed = error;
        }
        const bool again = may_come_back(*failed) && (is_repeatable || !failed->dispatched());
        if (!again || attempt >= kAttempts)
            throw Error(failed->code(), fmt::format("the server {} does not answer: {}", url_, failed->what()));
        co_await sleep_for(kBetween * attempt);
    }
}

Async<boost::json::value> RemoteServer::ask(std::string method, std::string path, std::string body, std::string key)
{
    net::HttpRequest request = request_for(std::move(method), path);
    request.body = std::move(body);
    if (!request.body.empty()) request.headers.push_back({"Content-Type", "application/json"});
    if (!key.empty()) request.headers.push_back({"Idempotency-Key", std::move(key)});
    const auto reply = co_await send(std::move(request));
    const std::string text = co_await net::read_all(*reply);
    if (reply->status() >= 300) throw_problem(reply->status(), text);
    if (text.empty()) co_return boost::json::object();
    co_return parse_json(text);
}

Async<> RemoteServer::follow(std::string path, std::function<bool(const RemoteItem&)> hear)
{
    std::string last;
    while (true) {
        net::HttpRequest request = request_for("GET", path);
        request.headers.push_back({"Accept", "text/event-stream"});
        if (!last.empty()) request.headers.push_back({"Last-Event-ID", last});
        request.patience.idle = kStreamSilence;
        request.largest = std::numeric_limits<std::size_t>::max();
        const auto reply = co_await send(std::move(request));
        if (reply->status() == 204) co_return;  // all was seen
        if (reply->status() >= 300) throw_problem(reply->status(), co_await net::read_all(*reply));
        net::SseDecoder decoder;
        bool is_cut = false;
        while (!is_cut) {
            std::optional<std::string_view> piece;
            try {
                piece = co_await reply->read();
            } catch (const net::HttpError&) {
                // it is looked for again from where it was
            }
            is_cut = !piece;
            if (is_cut) break;
            decoder.feed(*piece);
            while (const auto event = decoder.next()) {
                last = event->id;
                if (event->data.empty()) continue;
                if (!hear({event->type, event->id, event->data}) || event->type == "end") co_return;
            }
        }
        co_await sleep_for(decoder.retry().value_or(kBetween));
    }
}

Async<std::string> RemoteServer::resolve(std::string prefix)
{
    if (find_id(prefix)) co_return prefix;
    if (prefix.size() < kFewestLetters)
        throw Error(Code::invalid, in_quotes(prefix) + " is too short: say at least 4 letters of the task's id");
    std::vector<std::string> found;
    std::string cursor;
    while (true) {
        const auto page = co_await ask("GET", "/tasks?limit=200" + (cursor.empty() ? "" : "&cursor=" + cursor));
        for (const auto& task : page.at("tasks").as_array()) {
            const std::string id(task.at("id").as_string());
            if (id.starts_with(prefix)) found.push_back(id);
        }
        const auto* next = page.as_object().if_contains("next_cursor");
        if (!next || !next->is_string()) break;
        cursor = next->get_string();
    }
    if (found.empty()) throw Error(Code::not_found, "the server has no task whose id begins with " + in_quotes(prefix));
    if (found.size() == 1) co_return found.front();
    if (found.size() > kMostTaskNames) found.resize(kMostTaskNames);
    throw Error(Code::invalid,
                fmt::format("{} begins the ids of several tasks: {}", in_quotes(prefix), fmt::join(found, ", ")));
}

}  // namespace cadre::cli
