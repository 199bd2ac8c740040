// For tests: somebody on loopback who does what a test says, with TLS or without. One thread for each connection.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cadre::test {

inline sockaddr_in loopback(std::uint16_t port, unsigned char last = 1)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(0x7F000000U + last);
    return address;
}

/// One connection, as the peer sees it. Everything blocks.
class PeerSocket {
public:
    PeerSocket(int descriptor, int number) : descriptor_(descriptor), number_(number) {}
    PeerSocket(const PeerSocket&) = delete;
    PeerSocket& operator=(const PeerSocket&) = delete;
    ~PeerSocket()
    {
        if (tls_) ::SSL_free(tls_);
        ::close(descriptor_);
    }

    /// Which connection of the peer this is, from 1.
    int number() const { return number_; }

    /// False when the client will not have it.
    bool accept_tls(SSL_CTX* context)
    {
        tls_ = ::SSL_new(context);
        ::SSL_set_fd(tls_, descriptor_);
        return ::SSL_accept(tls_) == 1;
    }
    /// What comes next; nothing at the end.
    std::string read_some()
    {
        char bytes[16 << 10];
        const auto count = tls_ ? ::SSL_read(tls_, bytes, sizeof bytes) : ::recv(descriptor_, bytes, sizeof bytes, 0);
        return count > 0 ? std::string(bytes, static_cast<std::size_t>(count)) : std::string();
    }
    /// Up to and with `end`; what came behind it stays for the next. Less when the client closes.
    std::string read_until(std::string_view end)
    {
        std::size_t at = 0;
        while ((at = kept_.find(end)) == std::string::npos) {
            const std::string more = read_some();
            if (more.empty()) return std::exchange(kept_, {});
            kept_ += more;
        }
        std::string found = kept_.substr(0, at + end.size());
        kept_.erase(0, found.size());
        return found;
    }
    std::string read_exactly(std::size_t size)
    {
        while (kept_.size() < size) {
            const std::string more = read_some();
            if (more.empty()) break;
            kept_ += more;
        }
        std::string found = kept_.substr(0, size);
        kept_.erase(0, found.size());
        return found;
    }
    /// Head and body; nothing when the client closes.
    std::string read_request()
    {
        std::string request = read_until("\r\n\r\n");
        const std::size_t length = request.find("Content-Length: ");
        if (length != std::string::npos) request += read_exactly(std::stoul(request.substr(length + 16)));
        return request;
    }
    bool send(std::string_view text)
    {
        while (!text.empty()) {
            const auto count = tls_ ? ::SSL_write(tls_, text.data(), static_cast<int>(text.size()))
                                    : ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
            if (count <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }
    /// Waits until the client has closed; what it says meanwhile is dropped.
    void wait_for_end()
    {
        while (!read_some().empty()) {}
    }
    /// Ends TLS in good order; else the end looks like a cut.
    void say_goodbye() { ::SSL_shutdown(tls_); }
    /// The client hears that nothing more comes, or, after `reset`, that all is over.
    void close() { ::shutdown(descriptor_, SHUT_RDWR); }
    void reset()
    {
        const linger now{1, 0};
        ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    SSL* tls() const { return tls_; }
    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
    int number_;
    SSL* tls_ = nullptr;
    std::string kept_;
};

class ScriptedPeer {
public:
    using Script = std::function<void(PeerSocket&)>;

    explicit ScriptedPeer(Script script, std::uint16_t port = 0, unsigned char last = 1) : script_(std::move(script))
    {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int yes = 1;
        ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        sockaddr_in address = loopback(port, last);
        socklen_t size = sizeof address;
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 4096) != 0)
            std::abort();
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ScriptedPeer(const ScriptedPeer&) = delete;
    ScriptedPeer& operator=(const ScriptedPeer&) = delete;
    ~ScriptedPeer()
    {
        stopping_ = true;
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
        {
            const std::lock_guard lock(mutex_);
            for (const auto& socket : sockets_) socket->close();
        }
        for (std::thread& worker : workers_) worker.join();
    }

    std::uint16_t port() const { return port_; }
    std::string url(const std::string& path = "/") const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
    int connections() const { return connections_; }
    /// Scripts that have come to their end.
    int finished() const { return finished_; }

private:
    void serve()
    {
        while (!stopping_) {
            const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (descriptor < 0) break;
            const int yes = 1;
            ::setsockopt(descriptor, IPPROTO_TCP, 1 /* TCP_NODELAY */, &yes, sizeof yes);
            const std::lock_guard lock(mutex_);
            auto socket = std::make_shared<PeerSocket>(descriptor, ++connections_);
            sockets_.push_back(socket);
            workers_.emplace_back([this, socket]() mutable {
                sigset_t
                    broken_pipe;  // OpenSSL writes to clients that are gone; our own code must not get away with that
                ::sigemptyset(&broken_pipe);
                ::sigaddset(&broken_pipe, SIGPIPE);
                ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
                script_(*socket);
                {
                    const std::lock_guard gone(mutex_);
                    std::erase(sockets_, socket);
                }
                socket.reset();  // closes
                ++finished_;
            });
        }
    }

    Script script_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<bool> stopping_ = false;
    std::atomic<int> connections_ = 0;
    std::atomic<int> finished_ = 0;
    std::mutex mutex_;
    std::vector<std::shared_ptr<PeerSocket>> sockets_;
    std::list<std::thread> workers_;
    std::thread thread_;
};

/// Listens, and never takes up a connection: whoever connects waits.
class BlackHole {
public:
    explicit BlackHole(std::uint16_t port = 0, unsigned char last = 1)
    {
        sockaddr_in address = loopback(port, last);
        socklen_t size = sizeof address;
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 0) != 0)
            std::abort();
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        for (int& filler : fillers_) {  // its queue is full then
            filler = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
            ::connect(filler, reinterpret_cast<sockaddr*>(&address), size);
        }
    }
    BlackHole(const BlackHole&) = delete;
    BlackHole& operator=(const BlackHole&) = delete;
    ~BlackHole()
    {
        for (const int filler : fillers_) ::close(filler);
        ::close(listener_);
    }

    std::uint16_t port() const { return port_; }

private:
    int listener_ = -1;
    int fillers_[4] = {};
    std::uint16_t port_ = 0;
};

}  // namespace cadre::test
