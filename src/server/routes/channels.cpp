// Webhooks: what those who carry messages tell us. They have no token: their signature says who they are, over the bytes as they came.
#include "home/channels.hpp"
#include "base/async.hpp"
#include "channels/desk.hpp"
#include "home/home_owner.hpp"
#include "server/call.hpp"
#include "server/rate_settings.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"

#include <array>

namespace cadre::server {
namespace {

/// The largest that any vendor sends; Desk::largest() says what the account's does.
constexpr std::size_t kLargestHook = 3 << 20;

Async<channels::HookAnswer> received(Call& call)
{
    channels::Desk& desk = call.service().home.runtime().channels().desk();
    const std::string account = call.path("account");
    call.exchange().limit_body(desk.largest(account));
    co_await call.take_body();
    const net::HttpHead& head = call.head();
    channels::RawRequest request{.method = std::string(name_of(call.route().method)),
                                 .url = desk.public_url() + head.path,
                                 .query = head.query,
                                 .headers = head.headers,
                                 .body = call.body_text()};
    if (!head.query.empty()) request.url += '?' + head.query;
    // whoever calls may go away: what has begun is done to its end
    co_return co_await desk.receive(account, std::move(request))
        .under({.loop = &call.service().loop, .scope = &call.service().commands});
}

/// What is not signed costs nothing but this: ten times a minute it is told so, from then on, that it is too often.
void take_failure(Call& call)
{
    Service& service = call.service();
    const Rate rate = rate_of(RateClass::sign_in, service.settings.rates);
    const RateVerdict verdict =
        service.rates.take(RateClass::sign_in, "webhook/" + call.address(), rate, service.loop.now());
    if (verdict.allowed) return;
    throw Refusal(429, Code::rate_limited, "too_many_unsigned", "too many webhooks from this address were not signed",
                  {}, rate_headers(RateClass::sign_in, rate, verdict));
}

Async<> take_hook(Call& call)
{
    channels::HookAnswer answer;
    try {
        answer = co_await received(call);
    } catch (const channels::NotSigned& failure) {
        take_failure(call);
        throw Refusal(403, Code::forbidden, "not_signed", failure.what());
    } catch (const Error& error) {
        if (error.code() == Code::malformed || error.code() == Code::too_large) take_failure(call);
        throw;
    }
    call.set_status(answer.status);
    if (answer.body.empty()) co_await call.reply_empty(answer.status);
    else co_await call.reply_text(answer.type, std::move(answer.body));
}

constexpr std::array kHookFaults = {
    Fault{403, "not_signed", "It is not signed by the account's vendor."},
    Fault{429, "too_many_unsigned", "Too much from this address was not signed."},
};

Route hook(Method method, std::string_view path, std::string_view name, std::string_view doc)
{
    return {.method = method,
            .path = path,
            .name = name,
            .doc = doc,
            .act = std::nullopt,
            .by_signature = true,
            .rate = RateClass::exempt,
            .shed = Shed::creating,  // the vendor repeats it
            .faults = kHookFaults,
            .form = Form::text,
            .body_limit = kLargestHook,
            .takes_file = method != Method::get,
            .handler = take_hook};
}

}  // namespace

std::vector<Route> channel_routes()
{
    return {
        hook(Method::post, "/channels/{account}/webhook", "take_webhook",
             "Takes what the account's vendor tells: messages of people, how far others have come."),
        hook(Method::get, "/channels/{account}/webhook", "greet_webhook",
             "Answers the vendor that looks whether the webhook is ours."),
        hook(Method::post, "/channels/{account}/status", "take_delivery_status",
             "Takes how far a message has come that was sent over the account."),
    };
}

}  // namespace cadre::server
