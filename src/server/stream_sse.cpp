#include "server/stream_sse.hpp"

#include "base/async.hpp"
#include "base/random.hpp"
#include "home/home_owner.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "server/call.hpp"
#include "server/service.hpp"
#include "server/stream_pass.hpp"
#include "server/stream_socket.hpp"
#include "server/streams.hpp"

#include <fmt/core.h>

namespace cadre::server {
namespace {

constexpr Millis kComeBack{1000};
/// When all are sent away at once, not all come back at once.
constexpr Millis kSoonest{500}, kLatest{2000};

class SseOut final : public StreamOut {
public:
    SseOut(net::HttpExchange& exchange, const StreamSource& source) : exchange_(exchange), told_(source.place()) {}

    void add(std::string& out, const StreamItem& item, const StreamSource& source) override
    {
        told_ = source.place();
        if (!source.prefix().empty()) {
            out += net::event_text({.data = envelope_of(item, source.seen(), source.prefix()), .id = told_});
            return;
        }
        const auto* event = std::get_if<FeedEventPtr>(&item);
        if (event) out += net::event_text({.data = (*event)->json, .id = told_});
        else out += net::event_text({.data = model::to_json_text(std::get<StreamPiece>(item).chunk), .id = told_});
    }
    /// What was passed over need not be looked through again.
    void add_beat(std::string& out, const StreamSource& source) override
    {
        const std::string now = source.place();
        out += now == told_ ? net::event_comment("") : net::event_text({.id = now});
        told_ = now;
    }
    Async<bool> write(std::string text) override
    {
        co_await exchange_.write(std::move(text));
        co_return true;
    }

private:
    net::HttpExchange& exchange_;
    std::string told_;  // the last id
};

Async<std::string> last_words(Call& call, StreamSource& source, StreamEnd end)
{
    const std::string id = source.place();
    if (end == StreamEnd::drained) {
        const auto spread = static_cast<std::uint64_t>((kLatest - kSoonest).count());
        const Millis retry = kSoonest + Millis(static_cast<Millis::rep>(system_random().below(spread)));
        co_return net::event_text(
            {.data = R"({"reason":"the server is shutting down"})", .name = "drain", .id = id, .retry = retry});
    }
    if (end != StreamEnd::ended)
        co_return net::event_text(
            {.data = fmt::format(R"({{"reason":"{}"}})", name_of(end)), .name = "closed", .id = id});
    const auto state = co_await call.service().home.runtime().queries().task(call.by(), source.root());
    co_return net::event_text(
        {.data = fmt::format(R"({{"status":"{}","last":{}}})", model::wire_name(state->status), source.last()),
         .name = "end",
         .id = id});
}

}  // namespace

Async<> stream_events(Call& call, StreamSource& source)
{
    co_await source.begin();
    if (source.is_over()) {
        call.set_status(204);
        co_return co_await call.reply_empty(204);
    }
    call.add_header("Content-Type", "text/event-stream; charset=utf-8");
    call.add_header("Cache-Control", "no-cache, no-transform");
    call.add_header("X-Accel-Buffering", "no");
    if (call.head().method == "HEAD") co_return co_await call.reply_empty(200);
    net::HttpExchange& exchange = call.exchange();
    co_await exchange.begin(200, call.take_headers());
    co_await exchange.write(net::event_text({.id = source.place(), .retry = kComeBack}));

    Service& service = call.service();
    StreamGuard guard(call);
    SseOut out(exchange, source);
    const StreamEnd end = co_await pass_on(service, source, guard, out, service.streams->limits().beat);
    service.streams->count_end(name_of(end));
    co_await exchange.write(co_await last_words(call, source, end));
}

}  // namespace cadre::server
