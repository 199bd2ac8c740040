#include "stream_readers.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cadre::bench {
namespace {

/// How long the first frame is; 0: it is not whole yet. What servers send is not masked, and nothing here is over 64 KiB.
std::size_t frame_length(const std::string& input)
{
    if (input.size() < 4) return 0;
    const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(input[at])); };
    const std::size_t length = byte(1) == 126 ? 4 + (byte(2) << 8) + byte(3) : 2 + byte(1);
    return input.size() >= length ? length : 0;
}

}  // namespace

StreamReaders::StreamReaders(std::vector<int> sockets) : poll_(::epoll_create1(EPOLL_CLOEXEC))
{
    for (const int socket : sockets) {
        epoll_event event{.events = EPOLLIN, .data = {.u64 = readers_.size()}};
        ::epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &event);
        readers_.push_back({.socket = socket});
    }
}

StreamReaders::~StreamReaders()
{
    for (const Reader& reader : readers_) ::close(reader.socket);
    ::close(poll_);
}

void StreamReaders::until(std::size_t frames)
{
    std::array<epoll_event, 256> events;
    const auto is_there = [frames](const Reader& reader) { return reader.frames >= frames; };
    while (!std::ranges::all_of(readers_, is_there)) {
        const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 10'000);
        if (count <= 0) throw std::runtime_error("a reader was told nothing for ten seconds");
        for (int i = 0; i < count; ++i) take(readers_[events[static_cast<std::size_t>(i)].data.u64]);
    }
}

void StreamReaders::take(Reader& reader)
{
    std::array<char, 65536> space;
    const ssize_t got = ::recv(reader.socket, space.data(), space.size(), 0);
    if (got <= 0) throw std::runtime_error("the server cut a stream");
    reader.input.append(space.data(), static_cast<std::size_t>(got));
    while (const std::size_t length = frame_length(reader.input)) {
        const bool is_ping = (reader.input[0] & 0x0F) == 9;
        if (!is_ping) ++reader.frames;
        if (!is_ping && &reader == readers_.data()) last_ = reader.input.substr(0, length);
        reader.input.erase(0, length);
    }
}

}  // namespace cadre::bench
