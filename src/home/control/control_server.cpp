#include "home/control/control_server.hpp"

#include "base/async.hpp"
#include "base/async_mutex.hpp"
#include "base/race.hpp"
#include "base/timeout.hpp"
#include "home/home_owner.hpp"
#include "home/verbs.hpp"
#include "net/loop.hpp"

#include <boost/json.hpp>

#include <utility>

namespace cadre::home {

struct ControlServer::Client {
    explicit Client(net::LocalSocket s) : socket(std::move(s)) {}

    net::LocalSocket socket;
    bool gone = false;
    AsyncMutex writing;  // one line at a time
};

/// What a drive tells, on its way to the client.
class ControlServer::ToClient final : public Listener {
public:
    explicit ToClient(Client& client) : client_(client) {}
    Async<> hear(Told told) override { return write(line_of(told)); }
    Async<> write(std::string line)
    {
        const auto turn = co_await client_.writing.lock();
        if (!co_await client_.socket.write(std::move(line))) client_.gone = true;
    }

private:
    Client& client_;
};

ControlServer::ControlServer(net::Loop& loop, const std::filesystem::path& socket)
    : listener_(std::make_unique<net::LocalListener>(loop, socket)), scope_(loop)
{}

ControlServer::~ControlServer() = default;

void ControlServer::serve(HomeOwner& owner)
{
    scope_.spawn(accept(owner));
}

Async<> ControlServer::finish()
{
    finishing_ = true;
    while (busy_ > 0) co_await idle_.wait();
}

Async<> ControlServer::close()
{
    finishing_ = true;
    co_await scope_.close();
    listener_.reset();
}

Async<> ControlServer::accept(HomeOwner& owner)
{
    while (true) {
        net::LocalSocket socket = co_await listener_->accept();
        if (clients_.size() >= kMaxClients) {
            const Error full(Code::rate_limited, "too many processes use this home at once; try again later");
            co_await socket.write(error_line(std::make_exception_ptr(full)));
            continue;
        }
        scope_.spawn(talk(owner, clients_.emplace_back(std::move(socket))));
    }
}

Async<> ControlServer::talk(HomeOwner& owner, Client& client)
{
    try {
        while (!client.gone) {
            auto line = co_await client.socket.read_line(kLongestLine);
            if (!line) break;
            if (!co_await client.socket.write(co_await answer(owner, client, std::move(*line)))) break;
        }
    } catch (const Error&) {
        // a line that is too long: whoever sends such is no client of ours
    }
    clients_.remove_if([&](const Client& one) { return &one == &client; });
}

Async<std::string> ControlServer::answer(HomeOwner& owner, Client& client, std::string line)
{
    if (finishing_) co_return leaving_line();
    std::exception_ptr failure;
    Request request;
    const Verb* verb = nullptr;
    try {
        request = request_from(line);
        verb = &get_verb(request.verb);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) co_return error_line(failure);
    if (verb->tells) co_return co_await stream(owner, client, *verb, std::move(request));

    ++busy_;
    std::string reply;
    ToClient listener(client);
    try {
        reply = ok_line(co_await verb->perform(owner, engine::local_user(std::move(request.by)),
                                               std::move(request.args), listener));
    } catch (const Cancelled&) {
        throw;  // only close() cancels, and then nobody asks busy_ any more
    } catch (...) {
        reply = error_line(std::current_exception());
    }
    if (--busy_ == 0) idle_.notify();
    co_return reply;
}

/// Drives as long as the client is there: one that dies or has lost interest closes its end.
Async<std::string> ControlServer::stream(HomeOwner& owner, Client& client, const Verb& verb, Request request)
{
    std::string reply = leaving_line();
    std::exception_ptr failure;
    try {
        Race race(co_await this_context());
        race.add(watch_for_end(client));
        race.add(beat(client));
        race.add(drive(owner, client, verb, std::move(request), reply));
        co_await race.over();
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        failure = std::current_exception();
    }
    co_return failure ? error_line(failure) : reply;
}

/// A client hears at least this, so that it knows a step that takes long from an owner that is stopped.
Async<> ControlServer::beat(Client& client)
{
    ToClient to(client);
    while (true) {
        co_await sleep_for(kHeartbeat);
        co_await to.write(std::string(kAliveLine));
    }
}

Async<> ControlServer::watch_for_end(Client& client)
{
    co_await client.socket.read_line(kLongestLine);  // nothing is said during a drive
    client.gone = true;
}

Async<> ControlServer::drive(HomeOwner& owner, Client& client, const Verb& verb, Request request, std::string& reply)
{
    ToClient listener(client);
    reply = ok_line(
        co_await verb.perform(owner, engine::local_user(std::move(request.by)), std::move(request.args), listener));
}

}  // namespace cadre::home
