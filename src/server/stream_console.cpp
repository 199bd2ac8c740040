#include "server/stream_console.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/race.hpp"
#include "base/timeout.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"
#include "model/wire_name.hpp"
#include "server/call.hpp"
#include "server/service.hpp"
#include "server/stream_reader.hpp"
#include "server/stream_socket.hpp"
#include "server/stream_task.hpp"
#include "server/streams.hpp"

#include <fmt/core.h>

#include <map>

namespace cadre::server {
namespace {

constexpr std::size_t kMostWatches = 256;

std::string id_member(std::int64_t id)
{
    return fmt::format(R"("id":{},)", id);
}

class ConsoleOut final : public StreamOut {
public:
    ConsoleOut(net::WebSocket& socket, std::int64_t id) : socket_(socket), prefix_(id_member(id)) {}

    void add(std::string& out, const StreamItem& item, const StreamSource& source) override
    {
        told_ = source.seen();
        frame(out, envelope_of(item, told_, prefix_));
    }
    void add_beat(std::string& out, const StreamSource& source) override
    {
        if (source.seen() != told_) frame(out, fmt::format(R"({{{}"seq":{}}})", prefix_, source.seen()));
        told_ = source.seen();
    }
    Async<bool> write(std::string text) override { return socket_.send(std::move(text)); }

    static void frame(std::string& out, std::string_view text)
    {
        out += net::websocket_frame(net::WebSocketKind::text, text);
    }

private:
    net::WebSocket& socket_;
    std::string prefix_;
    std::uint32_t told_ = 0;
};

/// One socket and all that is watched over it.
class Console {
public:
    Console(Call& call, net::WebSocket& socket, const Context& context)
        : service_(call.service()), by_(call.by()), guard_call_(call), socket_(socket), scope_(context)
    {}

    Async<> run()
    {
        scope_.spawn(socket_.keep_alive(service_.streams->limits().ping));
        scope_.spawn(until_drain());
        scope_.spawn(until_signed_out());
        co_await finally(listen(), scope_.close());
    }

private:
    Async<> listen()
    {
        while (const auto message = co_await socket_.read()) {
            std::string reply;
            try {
                if (message->kind != net::WebSocketKind::text) throw Error(Code::malformed, "messages are JSON texts");
                hear(model::from_text<ConsoleRequest>(message->data));
            } catch (const Error& error) {
                reply = refusal(id_in(message->data), error);
            }
            if (!reply.empty()) co_await say(std::move(reply));
        }
    }

    void hear(ConsoleRequest request)
    {
        if (request.op == "unwatch") {
            const auto found = watches_.find(request.id);
            if (found == watches_.end()) throw Error(Code::not_found, "nothing is watched under this id");
            found->second->cancel();
            return;
        }
        if (request.op != "watch") throw Error(Code::invalid, R"(op: is "watch" or "unwatch")");
        if (watches_.contains(request.id)) throw Error(Code::conflict, "something is watched under this id already");
        if (watches_.size() >= kMostWatches)
            throw Error(Code::limit, fmt::format("at most {} can be watched over one socket", kMostWatches));
        scope_.spawn(watch(std::move(request)));
    }

    /// Until it ends or is given up; then its id is free again.
    Async<> watch(ConsoleRequest request)
    {
        const std::int64_t id = request.id;
        const Context& context = co_await this_context();
        CancelScope own(context.scope);
        // it counts until its last words are taken, so that a client that reads nothing cannot have ever more of them wait
        struct Counted {
            ~Counted() { watches.erase(id); }
            std::map<std::int64_t, CancelScope*>& watches;
            std::int64_t id;
        };
        watches_.emplace(id, &own);
        const Counted counted{watches_, id};
        std::string last;
        bool was_cancelled = false;
        try {
            last = co_await pass_all(std::move(request)).under({.loop = &service_.loop, .scope = &own});
        } catch (const Cancelled&) {
            was_cancelled = true;
        } catch (const Error& error) {
            last = refusal(id, error);
        }
        if (was_cancelled) last = fmt::format(R"({{{}"unwatched":true}})", id_member(id));
        co_await say(std::move(last));
    }

    Async<std::string> pass_all(ConsoleRequest request)
    {
        const auto task = request.task ? find_id(*request.task) : std::nullopt;
        if (!task) throw Error(Code::not_found, "there is no task " + in_quotes(request.task.value_or("")));
        StreamFilter filter;
        if (request.streams.empty()) request.streams.emplace_back("stream");
        for (const std::string& name : request.streams) {
            const StreamKind* kind = find_stream_kind(name);
            if (!kind) throw Error(Code::invalid, "streams: there is no stream " + in_quotes(name));
            filter.add(*kind);
        }
        engine::Queries& queries = service_.home.runtime().queries();
        const auto state = co_await queries.task(by_, *task);
        auto watched = service_.streams->feed().watch(*state);
        StreamQuery query{.since = request.after, .step = request.step, .offset = request.offset};
        const StreamPosition from = start_of({}, query, *watched);
        StreamReader reader(std::move(watched), from, std::move(filter));
        StreamGuard guard(guard_call_);
        ConsoleOut out(socket_, request.id);
        const StreamEnd end = co_await pass_on(service_, reader, guard, out, service_.streams->limits().beat);
        if (end != StreamEnd::ended)
            co_return fmt::format(R"({{{}"closed":{{"reason":"{}"}}}})", id_member(request.id), name_of(end));
        co_return fmt::format(R"({{{}"end":{{"status":"{}","last":{}}}}})", id_member(request.id),
                              model::wire_name((co_await queries.task(by_, *task))->status), reader.task().last());
    }

    Async<> until_drain()
    {
        while (!service_.draining) co_await service_.drained.wait();
        co_await socket_.close(close_code(StreamEnd::drained), close_reason(StreamEnd::drained));
    }

    /// Also where nothing is watched.
    Async<> until_signed_out()
    {
        StreamGuard guard(guard_call_);
        while (true) {
            co_await sleep_for(guard.until_look());
            const auto end = co_await guard.look(std::nullopt);
            if (!end) continue;
            service_.streams->count_end(name_of(*end));
            co_return co_await socket_.close(close_code(*end), close_reason(*end));
        }
    }

    Async<> say(std::string text)
    {
        std::string frame;
        ConsoleOut::frame(frame, text);
        co_await socket_.send(std::move(frame));
    }

    /// Of what could not be read as a whole, so that the client knows which of its requests it was.
    static std::optional<std::int64_t> id_in(const std::string& text)
    {
        try {
            const json::value value = parse_json(text);
            const auto* object = value.if_object();
            const json::value* id = object ? object->if_contains("id") : nullptr;
            if (id && id->is_int64()) return id->as_int64();
        } catch (const Error&) {
            return std::nullopt;
        }
        return std::nullopt;
    }

    std::string refusal(std::optional<std::int64_t> id, const Error& error) const
    {
        std::string out = "{" + (id ? id_member(*id) : std::string());
        out += fmt::format(R"("error":{{"code":"{}","detail":)", name_of(error.code()));
        const bool is_ours = error.code() == Code::internal;
        append_json_string(out, is_ours ? "a fault of the server" : public_text(error.what(), service_.folders));
        return out + "}}";
    }

    Service& service_;
    engine::Principal by_;
    Call& guard_call_;
    net::WebSocket& socket_;
    std::map<std::int64_t, CancelScope*> watches_;
    AsyncScope scope_;  // last: what it spawned uses the others
};

}  // namespace

const model::Entity& describe(const ConsoleRequest*)
{
    using namespace model;
    static const Entity entity{
        .name = "console_request",
        .doc = "What a client of the console's socket says.",
        .fields = {field("op", &ConsoleRequest::op, "`watch` or `unwatch`.", {.required = true}),
                   field("id", &ConsoleRequest::id, "The client's own number for it: all that comes of it carries it.",
                         {.required = true}),
                   field("task", &ConsoleRequest::task, "The task to watch."),
                   field("streams", &ConsoleRequest::streams, "Kinds of streams; empty: everything."),
                   field("after", &ConsoleRequest::after,
                         "The number of the last event that was seen, or `now`; null: from the beginning."),
                   field("step", &ConsoleRequest::step, "A step of which some text was seen."),
                   field("offset", &ConsoleRequest::offset, "How many bytes of it.", {.min = 0})},
        .home = {Home::Kind::message}};
    return entity;
}

Async<> stream_console(Call& call)
{
    net::websocket_offer(call.head());
    const Streams::Place place(*call.service().streams, call.by());
    net::WebSocket socket(call.exchange());
    co_await accept_socket(call, socket);
    const Context& context = co_await this_context();
    Console console(call, socket, context);
    co_await console.run();
}

}  // namespace cadre::server
