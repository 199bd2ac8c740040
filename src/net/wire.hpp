// The socket of a connection, as plain text and TLS use it: it never waits, and a peer that is gone ends no program (MSG_NOSIGNAL).
#pragma once

#include "net/io_result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cadre::net {

/// Lives inside its Stream, unmoved. What came while somebody waited lies here and is read first.
struct Wire {
    IoResult read(char* to, std::size_t size);
    IoResult write(std::string_view bytes);

    int socket = -1;
    std::uint64_t sent = 0;  // bytes that the system has taken
    int error = 0;           // why reading or writing failed
    bool at_end = false;

    /// One piece of a stream of text fits, so that each costs one system call; and it is small, since every waiting call has one.
    std::array<char, 1 << 10> early;
    std::size_t early_begin = 0;
    std::size_t early_end = 0;
};

}  // namespace cadre::net
