#include "server/stream_sse.hpp"

#include "base/async.hpp"
#include "base/random.hpp"
#include "home/home_owner.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "server/call.hpp"
#include "server/service.hpp"
#include "server/stream_pass.hpp"
#include "server/streams.hpp"

#include <fmt/core.h>

namespace cadre::server {
namespace {

constexpr Millis kComeBack{1000};
/// When all are sent away at once, not all come back at once.
constexpr Millis kSoonest{500}, kLatest{2000};

class SseOut final : public StreamOut {
public:
    SseOut(net::HttpExchange& exchange, const StreamPosition& from) : exchange_(exchange), told_(position_text(from)) {}

    void add(std::string& out, const StreamItem& item, const StreamPosition& behind) override
    {
        told_ = position_text(behind);
        const auto* event = std::get_if<FeedEventPtr>(&item);
        if (event) out += net::event_text({.data = (*event)->json, .id = told_});
        else out += net::event_text({.data = model::to_json_text(std::get<StreamPiece>(item).chunk), .id = told_});
    }
    /// What was passed over need not be looked through again.
    void add_beat(std::string& out, const StreamPosition& behind) override
    {
        const std::string now = position_text(behind);
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

Async<std::string> last_words(Call& call, StreamReader& reader, StreamEnd end)
{
    const std::string id = position_text(reader.position());
    if (end == StreamEnd::drained) {
        const auto spread = static_cast<std::uint64_t>((kLatest - kSoonest).count());
        const Millis retry = kSoonest + Millis(static_cast<Millis::rep>(system_random().below(spread)));
        co_return net::event_text(
            {.data = R"({"reason":"the server is shutting down"})", .name = "drain", .id = id, .retry = retry});
    }
    if (end != StreamEnd::ended)
        co_return net::event_text(
            {.data = fmt::format(R"({{"reason":"{}"}})", name_of(end)), .name = "closed", .id = id});
    const auto state = co_await call.service().home.runtime().queries().task(call.by(), reader.task().id());
    co_return net::event_text(
        {.data = fmt::format(R"({{"status":"{}","last":{}}})", model::wire_name(state->status), reader.task().last()),
         .name = "end",
         .id = id});
}

}  // namespace

Async<> stream_events(Call& call, StreamReader& reader)
{
    if (reader.task().is_stale()) co_await reader.task().refresh();
    if (reader.is_over()) {
        call.set_status(204);
        co_return co_await call.reply_empty(204);
    }
    call.add_header("Content-Type", "text/event-stream; charset=utf-8");
    call.add_header("Cache-Control", "no-cache, no-transform");
    call.add_header("X-Accel-Buffering", "no");
    if (call.head().method == "HEAD") co_return co_await call.reply_empty(200);
    net::HttpExchange& exchange = call.exchange();
    co_await exchange.begin(200, call.take_headers());
    co_await exchange.write(net::event_text({.id = position_text(reader.position()), .retry = kComeBack}));

    Service& service = call.service();
    StreamGuard guard(call);
    SseOut out(exchange, reader.position());
    const StreamEnd end = co_await pass_on(service, reader, guard, out, service.streams->limits().beat);
    service.streams->count_end(name_of(end));
    co_await exchange.write(co_await last_words(call, reader, end));
}

}  // namespace cadre::server
