#include "stub_vendor.hpp"

#include "samples.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <csignal>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cadre::bench {
namespace {

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view kBegin =
    R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-5-mini","choices":[{"index":0,"delta":)";

[[noreturn]] void die(const char* what)
{
    std::fprintf(stderr, "stub vendor: %s: %s\n", what, std::strerror(errno));
    std::_Exit(1);
}

std::string event(std::string_view data)
{
    return "data: " + std::string(data) + "\n\n";
}
std::string delta(std::string_view fields, std::string_view finish = "null")
{
    return event(std::string(kBegin) + '{' + std::string(fields) + "},\"finish_reason\":" + std::string(finish) +
                 "}]}");
}
std::vector<std::string> with_end(std::vector<std::string> events, std::string_view finish)
{
    events.push_back(delta("", finish));
    events.push_back(event(
        R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-5-mini","choices":[],)"
        R"("usage":{"prompt_tokens":120,"completion_tokens":20,"total_tokens":140}})"));
    events.push_back(event("[DONE]"));
    return events;
}

/// Each event in a piece of its own of the chunked body.
std::string chunked(const std::vector<std::string>& events)
{
    std::string text;
    for (const std::string& event : events) {
        char size[16];
        std::snprintf(size, sizeof size, "%zx\r\n", event.size());
        text += size + event + "\r\n";
    }
    return text;
}
constexpr std::string_view kEnd = "0\r\n\r\n";

class Server {
public:
    explicit Server(int listener) : listener_(listener), epoll_(::epoll_create1(0))
    {
        call_ = std::string(kHead) + chunked(call_events()) + std::string(kEnd);
        answer_ = std::string(kHead) + chunked(answer_events()) + std::string(kEnd);
        token_ = chunked({token_event()});
        watch(listener_);
    }

    [[noreturn]] void serve()
    {
        epoll_event ready[512];
        auto tick = SteadyClock::now();
        while (true) {
            const int count = ::epoll_wait(epoll_, ready, 512, streams_.empty() && late_.empty() ? -1 : 1);
            for (int i = 0; i < count; ++i) {
                if (ready[i].data.fd == listener_) accept_all();
                else read_from(ready[i].data.fd);
            }
            const auto now = SteadyClock::now();
            while (!late_.empty() && late_.front().due <= now) {
                if (connections_.contains(late_.front().fd)) send(late_.front().fd, *late_.front().text);
                late_.pop_front();
            }
            if (now - tick >= std::chrono::milliseconds(kTickMs)) {
                tick = now;
                send_tokens();
            }
        }
    }

private:
    struct Late {
        SteadyClock::time_point due;
        int fd;
        const std::string* text;
    };
    struct Stream {
        int fd;
        int left;
    };

    void watch(int fd)
    {
        epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
        if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) die("epoll");
    }
    void accept_all()
    {
        while (true) {
            const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
            if (fd < 0) return;
            const int yes = 1;
            ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            connections_[fd];
            watch(fd);
        }
    }
    void close(int fd)
    {
        ::close(fd);
        connections_.erase(fd);
        std::erase_if(streams_, [&](const Stream& stream) { return stream.fd == fd; });
    }
    void send(int fd, std::string_view text)
    {
        while (!text.empty()) {
            const ssize_t sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
            else if (sent < 0 && errno == EAGAIN) ::usleep(100);
            else return;  // it is gone: the next read says so
        }
    }
    void read_from(int fd)
    {
        std::string& in = connections_[fd];
        char buffer[16384];
        while (true) {
            const ssize_t size = ::recv(fd, buffer, sizeof buffer, 0);
            if (size > 0) in.append(buffer, static_cast<std::size_t>(size));
            else if (size < 0 && errno == EAGAIN) break;
            else return close(fd);
        }
        while (take_request(fd, in)) {}
    }
    bool take_request(int fd, std::string& in)
    {
        const std::size_t head = in.find("\r\n\r\n");
        if (head == in.npos) return false;
        std::string lower = in.substr(0, head);
        std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
        const std::size_t length = lower.find("content-length:");
        const std::size_t body = length == lower.npos ? 0 : std::strtoul(lower.c_str() + length + 15, nullptr, 10);
        if (in.size() < head + 4 + body) return false;
        const bool has_result = in.find(R"("role":"tool")", head) != in.npos;
        const std::string& whole = has_result ? answer_ : call_;
        const std::string_view path = std::string_view(in).substr(5, 8);
        if (path.starts_with("/run/")) {
            send(fd, whole);
        } else if (path.starts_with("/slow/")) {
            late_.push_back({SteadyClock::now() + std::chrono::milliseconds(kSlowMs), fd, &whole});
        } else if (path.starts_with("/stream/")) {
            send(fd, std::string(kHead) + token_);
            streams_.push_back({fd, kTokens - 1});
        }
        in.erase(0, head + 4 + body);
        return true;
    }
    void send_tokens()
    {
        const std::string last = chunked(end_events()) + std::string(kEnd);
        for (Stream& stream : streams_) send(stream.fd, --stream.left >= 0 ? token_ : last);
        std::erase_if(streams_, [](const Stream& stream) { return stream.left < 0; });
    }

    int listener_;
    int epoll_;
    std::string call_, answer_, token_;
    std::map<int, std::string> connections_;
    std::vector<Stream> streams_;
    std::deque<Late> late_;
};

}  // namespace

std::vector<std::string> call_events()
{
    return with_end(
        {delta(R"("role":"assistant","content":null)"),
         delta(
             R"("tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"look","arguments":""}}])"),
         delta(R"("tool_calls":[{"index":0,"function":{"arguments":"{\"query\":\"weather\"}"}}])")},
        "\"tool_calls\"");
}
std::vector<std::string> answer_events()
{
    return with_end(
        {delta(R"("role":"assistant","content":"")"), delta(R"("content":"It will ")"), delta(R"("content":"rain.")")},
        "\"stop\"");
}
std::string token_event()
{
    return delta(R"("content":" token")");
}
std::vector<std::string> end_events()
{
    return with_end({}, "\"stop\"");
}

StubVendor::StubVendor()
{
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) die("bind");
    if (::listen(listener, 8192) != 0) die("listen");
    socklen_t size = sizeof address;
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    process_ = ::fork();
    if (process_ < 0) die("fork");
    if (process_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        Server(listener).serve();
    }
    ::close(listener);
}

StubVendor::~StubVendor()
{
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
}

}  // namespace cadre::bench
