#include "home/control/control_server.hpp"

#include "base/async.hpp"
#include "base/scopes.hpp"
#include "base/signal.hpp"
#include "base/timeout.hpp"
#include "home/home_owner.hpp"
#include "net/loop.hpp"

#include <boost/json.hpp>

#include <utility>

namespace cadre::home {

struct ControlServer::Client {
    explicit Client(net::LocalSocket s) : socket(std::move(s)) {}

    net::LocalSocket socket;
    bool gone = false;
    bool writing = false;  // one line at a time
    Signal written;
};

/// Lines of a drive on their way to the client.
class ControlServer::ToClient final : public LineSink {
public:
    explicit ToClient(Client& client) : client_(client) {}
    Async<> take(std::string line) override
    {
        while (client_.writing) co_await client_.written.wait();
        const Writing writing(client_);
        if (!co_await client_.socket.write(std::move(line))) client_.gone = true;
    }

private:
    struct Writing {
        explicit Writing(Client& c) : client(c) { client.writing = true; }
        Writing(const Writing&) = delete;
        Writing& operator=(const Writing&) = delete;
        ~Writing()
        {
            client.writing = false;
            client.written.notify();
        }
        Client& client;
    };

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
    try {
        request = request_from(line);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) co_return error_line(failure);
    if (request.verb == "drive" || request.verb == "drive_all")
        co_return co_await stream(owner, client, std::move(request));

    ++busy_;
    std::string reply;
    try {
        reply = ok_line(co_await owner.perform(std::move(request)));
    } catch (const Cancelled&) {
        throw;  // only close() cancels, and then nobody asks busy_ any more
    } catch (...) {
        reply = error_line(std::current_exception());
    }
    if (--busy_ == 0) idle_.notify();
    co_return reply;
}

/// Drives as long as the client is there: one that dies or has lost interest closes its end.
Async<std::string> ControlServer::stream(HomeOwner& owner, Client& client, Request request)
{
    std::string reply = leaving_line();
    std::exception_ptr failure;
    AsyncScope work(co_await this_context());
    work.spawn(ends_others(work, watch_for_end(client), failure, true));
    work.spawn(ends_others(work, beat(client), failure, true));
    work.spawn(ends_others(work, drive(owner, client, std::move(request), reply), failure, true));
    co_await finished(work);
    co_return failure ? error_line(failure) : reply;
}

/// A client hears at least this, so that it knows a step that takes long from an owner that is stopped.
Async<> ControlServer::beat(Client& client)
{
    ToClient sink(client);
    while (true) {
        co_await sleep_for(kHeartbeat);
        co_await sink.take(std::string(kAliveLine));
    }
}

Async<> ControlServer::watch_for_end(Client& client)
{
    co_await client.socket.read_line(kLongestLine);  // nothing is said during a drive
    client.gone = true;
}

Async<> ControlServer::drive(HomeOwner& owner, Client& client, Request request, std::string& reply)
{
    ToClient sink(client);
    if (request.verb == "drive_all") {
        reply = ok_line(co_await owner.drive_all(sink));
        co_return;
    }
    const auto* after = request.args.if_contains("after");
    const auto* stay = request.args.if_contains("stay");
    const Id task = id_from(text_of(request.args, "task"));
    reply = ok_line(co_await owner.drive(task, after ? after->to_number<std::uint32_t>() : 0,
                                         stay && stay->is_bool() && stay->get_bool(), sink));
}

}  // namespace cadre::home
