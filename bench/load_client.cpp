#include "load_client.hpp"

#include <arpa/inet.h>
#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cadre::bench {
namespace {

[[noreturn]] void give_up(const char* what)
{
    throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

sockaddr_in loopback(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// How long the first message in `text` is, with its body; 0: it is not whole yet.
std::size_t message_length(std::string_view text)
{
    const std::size_t head = text.find("\r\n\r\n");
    if (head == text.npos) return 0;
    std::size_t body = 0;
    constexpr std::string_view kLength = "\r\nContent-Length: ";
    if (const std::size_t at = text.substr(0, head).find(kLength); at != text.npos)
        body = std::stoul(std::string(text.substr(at + kLength.size(), 12)));
    const std::size_t whole = head + 4 + body;
    return text.size() >= whole ? whole : 0;
}

struct Connection {
    int socket = -1;
    std::string input{};
    SteadyClock::time_point asked{};
};

/// Answers until it is killed.
[[noreturn]] void serve_bare(int listens, const std::string& answer, bool to_all)
{
    const int poll = ::epoll_create1(0);
    const auto add = [poll](int socket) {
        epoll_event event{.events = EPOLLIN, .data = {.fd = socket}};
        ::epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
    };
    add(listens);
    std::map<int, std::string> inputs;
    std::vector<int> sockets;
    std::array<epoll_event, 256> events;
    std::array<char, 65536> space;
    while (true) {
        const int count = ::epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            const int socket = events[static_cast<std::size_t>(i)].data.fd;
            if (socket == listens) {
                sockets.push_back(::accept(listens, nullptr, nullptr));
                add(sockets.back());
                continue;
            }
            const ssize_t got = ::recv(socket, space.data(), space.size(), 0);
            if (got <= 0) {
                inputs.erase(socket);
                ::close(socket);
                continue;
            }
            std::string& input = inputs[socket];
            input.append(space.data(), static_cast<std::size_t>(got));
            while (const std::size_t length = message_length(input)) {
                input.erase(0, length);
                if (!to_all) ::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL);
                else
                    for (const int one : sockets) ::send(one, answer.data(), answer.size(), MSG_NOSIGNAL);
            }
        }
    }
}

}  // namespace

int connected(std::uint16_t port)
{
    const int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    if (one < 0 || ::connect(one, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) give_up("connect");
    const int on = 1;
    ::setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return one;
}

void send_all(int socket, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) give_up("send");
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
}

Loaded put_load(const Load& load)
{
    Loaded loaded;
    const int poll = ::epoll_create1(EPOLL_CLOEXEC);
    std::vector<Connection> all(static_cast<std::size_t>(load.connections));
    std::size_t sent = 0, done = 0;
    const auto start = SteadyClock::now();
    const auto ask = [&](Connection& one) {
        one.asked = SteadyClock::now();
        send_all(one.socket, load.request(sent++));
    };
    for (std::size_t i = 0; i < all.size() && sent < load.requests; ++i) {
        all[i].socket = connected(load.port);
        epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
        ::epoll_ctl(poll, EPOLL_CTL_ADD, all[i].socket, &event);
        ask(all[i]);
    }
    std::array<epoll_event, 256> events;
    std::array<char, 65536> space;
    while (done < load.requests) {
        const int count = ::epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            Connection& one = all[events[static_cast<std::size_t>(i)].data.u64];
            const ssize_t got = ::recv(one.socket, space.data(), space.size(), 0);
            if (got <= 0) give_up("the server cut a connection");
            one.input.append(space.data(), static_cast<std::size_t>(got));
            const std::size_t length = message_length(one.input);
            if (length == 0) continue;
            loaded.times.add(seconds_since(one.asked));
            if (loaded.first.empty()) loaded.first = one.input.substr(0, length);
            if (!one.input.starts_with("HTTP/1.1 2")) ++loaded.refused;
            one.input.erase(0, length);
            ++done;
            if (sent < load.requests) ask(one);
        }
    }
    loaded.seconds = seconds_since(start);
    for (const Connection& one : all)
        if (one.socket >= 0) ::close(one.socket);
    ::close(poll);
    return loaded;
}

std::vector<int> held_connections(std::uint16_t port, int count, const std::function<std::string(int)>& request)
{
    std::vector<int> held;
    std::array<char, 4096> space;
    for (int i = 0; i < count; ++i) {
        const int one = connected(port);
        held.push_back(one);
        send_all(one, request(i));
        const ssize_t got = ::recv(one, space.data(), space.size(), 0);
        if (got < 12) give_up("no answer");
        const std::string_view status(space.data() + 9, 3);
        if (status != "101" && status != "200")
            throw std::runtime_error("refused: " + std::string(space.data(), static_cast<std::size_t>(got)));
    }
    return held;
}

BareServer::BareServer(std::string answer, bool to_all)
{
    const int listens = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (::bind(listens, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(listens, 1024) != 0)
        give_up("listen");
    ::getsockname(listens, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    pid_ = ::fork();
    if (pid_ == 0) serve_bare(listens, answer, to_all);
    ::close(listens);
}

BareServer::~BareServer()
{
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

double cpu_seconds_of(pid_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    text.erase(0, text.rfind(')') + 2);
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return (std::stod(words.at(11)) + std::stod(words.at(12))) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double memory_of(pid_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/statm");
    double pages = 0, resident = 0;
    file >> pages >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace cadre::bench
