#include "server/stream_pass.hpp"

#include "base/async.hpp"
#include "base/timeout.hpp"
#include "home/home_owner.hpp"
#include "server/call.hpp"
#include "server/service.hpp"
#include "server/sign_in.hpp"
#include "server/streams.hpp"

#include <algorithm>
#include <utility>

namespace cadre::server {
namespace {

/// Of what is written at once.
constexpr std::size_t kBatch = 32 << 10;

}  // namespace

std::string_view name_of(StreamEnd end)
{
    switch (end) {
    case StreamEnd::ended: return "ended";
    case StreamEnd::drained: return "drain";
    case StreamEnd::removed: return "removed";
    case StreamEnd::signed_out: return "signed_out";
    case StreamEnd::forbidden: return "forbidden";
    case StreamEnd::gone: return "gone";
    case StreamEnd::failed: break;
    }
    return "failed";
}

StreamGuard::StreamGuard(Call& call)
    : service_(call.service()),
      by_(call.by()),
      credentials_(call.credentials()),
      next_(later(service_.loop.now(), service_.streams->limits().check))
{}

Millis StreamGuard::until_look() const
{
    return std::max(std::chrono::ceil<Millis>(next_ - service_.loop.now()), Millis(0));
}

Async<std::optional<StreamEnd>> StreamGuard::look(std::optional<Id> task)
{
    if (service_.loop.now() < next_) co_return std::nullopt;
    next_ = later(service_.loop.now(), service_.streams->limits().check);
    try {
        const engine::Principal now = co_await service_.sign_in.who(credentials_);
        if (now.tenant != by_.tenant || now.subject != by_.subject) co_return StreamEnd::signed_out;
        if (task) co_await service_.home.runtime().queries().expect(now, engine::Act::read, *task);
    } catch (const net::HttpRefusal&) {
        co_return StreamEnd::signed_out;
    } catch (const Error& error) {
        if (error.code() == Code::forbidden) co_return StreamEnd::forbidden;
        if (error.code() == Code::not_found) co_return StreamEnd::removed;
        if (error.code() != Code::unavailable) throw;  // nobody can tell just now
    }
    co_return std::nullopt;
}

Async<bool> ends_within(Async<> work, Millis limit)
{
    try {
        co_await with_timeout(std::move(work), limit, "the stream");
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
        co_return false;
    }
    co_return true;
}

Async<StreamEnd> pass_on(Service& service, StreamSource& source, StreamGuard& guard, StreamOut& out, Millis beat)
{
    Instant silent_since = service.loop.now();
    while (true) {
        if (service.draining) co_return StreamEnd::drained;
        if (const auto end = co_await guard.look(source.root())) co_return *end;
        std::string text;
        while (text.size() < kBatch) {
            const auto item = source.take();
            if (!item) break;
            out.add(text, *item, source);
        }
        if (text.empty()) {
            if (source.is_gone()) co_return StreamEnd::removed;
            if (source.is_over()) co_return StreamEnd::ended;
            const Instant due = later(silent_since, beat);
            const Millis left = std::chrono::ceil<Millis>(due - service.loop.now());
            if (left.count() > 0) {
                co_await ends_within(source.more(), std::min(left, guard.until_look() + Millis(1)));
                continue;
            }
            out.add_beat(text, source);
        }
        if (!text.empty() && !co_await out.write(std::move(text))) co_return StreamEnd::gone;
        silent_since = service.loop.now();
    }
}

}  // namespace cadre::server
