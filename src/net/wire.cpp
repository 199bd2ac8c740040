#include "net/wire.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace cadre::net {

IoResult Wire::read(char* to, std::size_t size)
{
    const std::size_t kept = std::min(early_end - early_begin, size);
    if (kept > 0) {
        std::memcpy(to, early.data() + early_begin, kept);
        early_begin += kept;
        if (kept == size || early_end < early.size()) return {IoState::done, kept};  // all that there was
    }
    if (at_end) return {kept > 0 ? IoState::done : IoState::closed, kept};
    const ssize_t count = error != 0 ? -1 : ::recv(socket, to + kept, size - kept, MSG_DONTWAIT);
    if (count > 0) return {IoState::done, kept + static_cast<std::size_t>(count)};
    if (count == 0) at_end = true;
    else if (error == 0 && errno != EAGAIN && errno != EINTR) error = errno;
    if (kept > 0) return {IoState::done, kept};
    return {at_end ? IoState::closed : error != 0 ? IoState::failed : IoState::wants_read};
}

IoResult Wire::write(std::string_view bytes)
{
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
        sent += static_cast<std::uint64_t>(count);
        return {IoState::done, static_cast<std::size_t>(count)};
    }
    if (errno == EAGAIN || errno == EINTR) return {IoState::wants_write};
    error = errno;
    return {IoState::failed};
}

}  // namespace cadre::net
