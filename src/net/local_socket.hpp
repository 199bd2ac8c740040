// Local sockets: how processes of one user on one machine talk, in lines of text.
#pragma once

#include "base/async_fwd.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace cadre::net {

class Loop;

/// One end of a connection between two processes of the same user; closed with it. At most one coroutine reads and one
/// writes. Lives on its loop.
class LocalSocket {
public:
    LocalSocket(LocalSocket&&) noexcept;
    LocalSocket& operator=(LocalSocket&&) noexcept;
    ~LocalSocket();

    /// The next line without its end; nothing when the other end is closed. Throws Error(too_large) for a longer one, and then
    /// the connection is of no use any more.
    Async<std::optional<std::string>> read_line(std::size_t longest);
    /// All of it; false when the other end is closed.
    Async<bool> write(std::string text);
    /// Both ends notice: what reads or writes here comes to its end.
    void close() noexcept;

private:
    friend class LocalListener;
    friend Async<std::optional<LocalSocket>> connect_local(Loop& loop, std::filesystem::path file);

    struct Impl;
    explicit LocalSocket(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> impl_;
};

/// Listens at a file, which it makes (0600) and removes. The path may be as long as any other.
class LocalListener {
public:
    /// What lies there already is removed: the caller knows that nobody listens. Throws Error(unavailable).
    LocalListener(Loop& loop, const std::filesystem::path& file);
    LocalListener(const LocalListener&) = delete;
    LocalListener& operator=(const LocalListener&) = delete;
    ~LocalListener();

    /// The next one of our own user; others are turned away.
    Async<LocalSocket> accept();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Nothing when nobody listens there. Somebody who listens need not answer: see to it with a deadline.
Async<std::optional<LocalSocket>> connect_local(Loop& loop, std::filesystem::path file);

}  // namespace cadre::net
