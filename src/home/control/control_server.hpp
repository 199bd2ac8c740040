// The owner's side of the control socket: many clients, each served by itself.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/signal.hpp"
#include "home/control/control.hpp"
#include "net/local_socket.hpp"

#include <cstddef>
#include <filesystem>
#include <list>
#include <memory>
#include <string>

namespace cadre::home {

class HomeOwner;
struct Verb;

/// More than that are refused: each costs a descriptor and some memory.
inline constexpr std::size_t kMaxClients = 512;

/// Lives on its loop. The connections themselves stay open until it dies, so that clients wait until the home is free.
class ControlServer {
public:
    ControlServer(net::Loop& loop, const std::filesystem::path& socket);
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;
    ~ControlServer();

    /// Begins to answer; until then clients wait.
    void serve(HomeOwner& owner);
    /// Takes no further requests, and waits for those that take but a moment.
    Async<> finish();
    /// Nothing is answered any more, and nobody can connect.
    Async<> close();

private:
    struct Client;
    class ToClient;

    Async<> accept(HomeOwner& owner);
    Async<> talk(HomeOwner& owner, Client& client);
    Async<std::string> answer(HomeOwner& owner, Client& client, std::string line);
    Async<std::string> stream(HomeOwner& owner, Client& client, const Verb& verb, Request request);
    static Async<> watch_for_end(Client& client);
    static Async<> beat(Client& client);
    static Async<> drive(HomeOwner& owner, Client& client, const Verb& verb, Request request, std::string& reply);

    std::unique_ptr<net::LocalListener> listener_;
    std::list<Client> clients_;
    std::size_t busy_ = 0;  // requests that are being answered
    bool finishing_ = false;
    Signal idle_;
    AsyncScope scope_;  // last: what it spawned uses all of the above
};

}  // namespace cadre::home
