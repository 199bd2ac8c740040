// What comes of an attempt to read or write that never waits.
#pragma once

#include <cstddef>

namespace cadre::net {

enum class IoState {
    done,
    wants_read,   // nothing yet: try again when the socket is readable
    wants_write,  // nothing yet: try again when the socket is writable
    closed,       // by the peer, in good order
    failed,
};

struct IoResult {
    IoState state = IoState::done;
    std::size_t size = 0;
};

}  // namespace cadre::net
