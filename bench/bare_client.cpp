#include "bare_client.hpp"

#include <boost/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cadre::bench {
namespace {

namespace json = boost::json;

/// As long as what Cadre sends for the same.
constexpr std::string_view kFirst =
    R"({"model":"gpt-5-mini","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"developer","content":"You work."},{"role":"user","content":"Do it."}],"tools":[{"type":"function","function":{"name":"look","description":"A tool that answers at once.","parameters":{"type":"object"}}}]})";
constexpr std::string_view kSecond =
    R"({"model":"gpt-5-mini","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"developer","content":"You work."},{"role":"user","content":"Do it."},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\"query\":\"weather\"}"}}]},{"role":"tool","tool_call_id":"call_1","content":"done"}],"tools":[{"type":"function","function":{"name":"look","description":"A tool that answers at once.","parameters":{"type":"object"}}}]})";

[[noreturn]] void die(const char* what)
{
    std::perror(what);
    std::exit(1);
}

}  // namespace

BareClient::BareClient(int port, std::string what) : port_(port), what_(std::move(what)), epoll_(::epoll_create1(0))
{}

BareClient::~BareClient()
{
    for (const Connection& connection : connections_) ::close(connection.fd);
    ::close(epoll_);
}

void BareClient::open(int count)
{
    for (Connection& connection : connections_) ::close(connection.fd);
    connections_.assign(static_cast<std::size_t>(count), {});
    sockaddr_in address{.sin_family = AF_INET,
                        .sin_port = htons(static_cast<std::uint16_t>(port_)),
                        .sin_addr = {htonl(INADDR_LOOPBACK)},
                        .sin_zero = {}};
    for (Connection& connection : connections_) {
        connection.fd = ::socket(AF_INET, SOCK_STREAM, 0);
        if (::connect(connection.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) die("connect");
        const int yes = 1;
        ::setsockopt(connection.fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        epoll_event event{.events = EPOLLIN, .data = {.ptr = &connection}};
        if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event) != 0) die("epoll");
    }
}

void BareClient::ask(Connection& connection)
{
    const std::string_view body = connection.second ? kSecond : kFirst;
    const std::string text = "POST /" + what_ +
                             "/v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer key\r\n"
                             "Content-Type: application/json\r\nAccept: text/event-stream\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
    connection.asked = SteadyClock::now();
    connection.has_head = connection.in_chunk = connection.asked_tool = false;
    connection.text.clear();
    connection.arguments.clear();
    if (::send(connection.fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) die("send");
}

bool BareClient::read(Connection& connection)
{
    char buffer[16384];
    const ssize_t size = ::recv(connection.fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (size < 0 && errno == EAGAIN) return false;
    if (size <= 0) die("the vendor is gone");
    connection.in.append(buffer, static_cast<std::size_t>(size));
    if (!connection.has_head) {
        const std::size_t head = connection.in.find("\r\n\r\n");
        if (head == connection.in.npos) return false;
        connection.in.erase(0, head + 4);
        connection.has_head = true;
    }
    const bool whole = take_body(connection);
    take_events(connection);
    return whole;
}

bool BareClient::take_body(Connection& connection)
{
    std::string_view in = connection.in;
    bool whole = false;
    while (!whole) {
        if (!connection.in_chunk) {
            const std::size_t end = in.find("\r\n");
            if (end == in.npos) break;
            connection.chunk = std::strtoul(std::string(in.substr(0, end)).c_str(), nullptr, 16);
            if (connection.chunk == 0 && in.size() < end + 4) break;
            in.remove_prefix(end + 2);
            whole = connection.chunk == 0;
            if (whole) in.remove_prefix(2);
            connection.in_chunk = !whole;
        } else {
            if (in.size() < connection.chunk + 2) break;
            connection.body += in.substr(0, connection.chunk);
            in.remove_prefix(connection.chunk + 2);
            connection.in_chunk = false;
        }
    }
    connection.in.erase(0, connection.in.size() - in.size());
    return whole;
}

void BareClient::take_events(Connection& connection)
{
    std::string_view body = connection.body;
    for (std::size_t end = body.find("\n\n"); end != body.npos; end = body.find("\n\n")) {
        const std::string_view data = body.substr(6, end - 6);
        body.remove_prefix(end + 2);
        if (data == "[DONE]") continue;
        unsigned char memory[4096];
        json::monotonic_resource storage(memory, sizeof memory);
        const json::value parsed = json::parse({data.data(), data.size()}, &storage);
        const json::array& choices = parsed.at("choices").as_array();
        if (choices.empty()) continue;
        const json::object& delta = choices[0].at("delta").as_object();
        if (const auto* content = delta.if_contains("content");
            content && content->is_string() && !content->get_string().empty()) {
            if (connection.text.empty()) first_token.add(seconds_since(connection.asked));
            connection.text += content->get_string();
            ++tokens;
        }
        if (const auto* calls = delta.if_contains("tool_calls")) {
            connection.asked_tool = true;
            for (const json::value& call : calls->as_array())
                connection.arguments += call.at("function").at("arguments").as_string();
        }
    }
    connection.body.erase(0, connection.body.size() - body.size());
}

void BareClient::ended(Connection& connection)
{
    if (in_runs_ && connection.asked_tool) {
        json::parse(connection.arguments);  // and that is the tool
        connection.second = true;
        return ask(connection);
    }
    runs.add(seconds_since(connection.begun));
    --pending_;
    connection.second = false;
    if (left_ == 0) return;
    --left_;
    connection.begun = SteadyClock::now();
    ask(connection);
}

void BareClient::drive()
{
    epoll_event ready[512];
    while (pending_ > 0) {
        const int events = ::epoll_wait(epoll_, ready, 512, -1);
        for (int i = 0; i < events; ++i) {
            auto& connection = *static_cast<Connection*>(ready[i].data.ptr);
            if (read(connection)) ended(connection);
        }
    }
}

void BareClient::run(int count, int at_once)
{
    if (static_cast<int>(connections_.size()) != at_once) open(at_once);
    in_runs_ = true;
    left_ = count - at_once;
    pending_ = count;
    for (Connection& connection : connections_) {
        connection.begun = SteadyClock::now();
        ask(connection);
    }
    drive();
}

void BareClient::stream(int count)
{
    open(count);
    in_runs_ = false;
    left_ = 0;
    pending_ = count;
    for (Connection& connection : connections_) ask(connection);
    drive();
}

void BareClient::hold(int count)
{
    open(count);
    for (Connection& connection : connections_) ask(connection);
}

}  // namespace cadre::bench
