#include "mcp/oauth/signed_http.hpp"

#include "base/async.hpp"
#include "base/id.hpp"
#include "base/timeout.hpp"
#include "mcp/http_transport.hpp"
#include "mcp/oauth/metadata.hpp"
#include "mcp/oauth/token_request.hpp"
#include "net/url.hpp"

#include <fmt/core.h>

namespace cadre::mcp::oauth {

namespace {

/// For all of it: metadata, and the token itself.
constexpr Millis kPatience{30'000};
constexpr std::size_t kRefusal = 16 << 10;
constexpr std::size_t kAnswer = 64 << 10;

}  // namespace

KeptFor Account::whom() const
{
    return {.server = server,
            .url = resource_of(url),
            .token_url = settings ? settings->token_url : "",
            .client_id = settings ? settings->client_id : ""};
}

SignedHttp::SignedHttp(Loop& loop, net::Http& http, Account account, KeptSecrets* kept, Log log)
    : loop_(loop),
      http_(http),
      account_(std::move(account)),
      kept_(kept),
      log_(std::move(log)),
      origin_(net::url_from(account_.url).origin()),
      scope_(loop)
{}

SignedHttp::~SignedHttp() = default;

Async<std::unique_ptr<net::HttpReply>> SignedHttp::send(net::HttpRequest request)
{
    if (net::url_from(request.url).origin() != origin_) co_return co_await http_.send(std::move(request));
    Secret used = co_await token();
    bool renewed = false, widened = false;
    while (true) {
        net::HttpRequest made = request;
        if (!used.empty()) made.headers.push_back({"Authorization", "Bearer " + std::string(used.reveal())});
        auto reply = co_await http_.send(std::move(made));
        const int status = reply->status();
        if (status != 401 && status != 403) co_return reply;
        Challenge challenge = challenge_in(reply->headers());
        bool& tried = status == 401 ? renewed : widened;
        const bool helps = status == 401 || (account_.settings && challenge.error == "insufficient_scope");
        if (!helps || (tried && !account_.settings)) co_return reply;
        const bool again = std::exchange(tried, true);
        co_await read_some(*reply, kRefusal);
        if (again && status == 401)
            throw net::HttpError(Code::unauthorized, "refuses the token that it was just given (HTTP 401)", false);
        if (again)
            throw net::HttpError(Code::forbidden,
                                 fmt::format("wants more than it was just given a token for (HTTP 403){}",
                                             challenge.scope.empty() ? "" : ": scope " + in_quotes(challenge.scope)),
                                 false);
        Secret next = co_await signed_in(std::move(challenge), used);
        if (next == used || next.empty()) {
            if (used.empty()) co_return reply;
            throw net::HttpError(
                Code::unauthorized,
                fmt::format("refuses the token that is kept for it (HTTP {}); to give it another: `mcp login {}`",
                            status, account_.server),
                false);
        }
        used = std::move(next);
    }
}

/// What to send first; empty while nothing is known, for then the server's refusal says where to ask.
Async<Secret> SignedHttp::token()
{
    if (!looked_) co_await look();
    if (!token_.empty() && loop_.now() < until_) co_return token_;
    token_ = {};
    if (account_.settings && (granter_ || !account_.settings->token_url.empty())) co_return co_await signed_in({}, {});
    co_return Secret();
}

Async<> SignedHttp::look()
{
    if (kept_) {
        std::optional<Kept> found;
        try {
            found = co_await kept_->find(account_.whom());
        } catch (const Error& error) {
            throw net::HttpError(error.code(), error.what(), false);
        }
        if (found) {
            known_ = std::move(*found);
            if (!account_.settings) token_ = known_.bearer;
            else use_kept_grant();
        }
    }
    looked_ = true;
}

/// One that was granted to another program of ours, or to this one before it was started again.
void SignedHttp::use_kept_grant()
{
    const Millis left = known_.expires - loop_.clock().now();
    if (!token_.empty() || known_.access_token.empty() || left <= Millis{0}) return;
    if (!covers(known_.scope, account_.settings->scope)) return;
    token_ = known_.access_token;
    asked_scope_ = known_.scope;
    until_ = later(loop_.now(), left);
}

Async<Secret> SignedHttp::signed_in(Challenge challenge, Secret refused)
{
    const std::string wanted = challenge.scope;
    bool ours = false, waited = false;
    while (true) {
        for (; signing_; waited = true) co_await changed_.wait();
        if ((ours || waited) && problem_) std::rethrow_exception(problem_);  // it fails for all who waited for it
        const bool other = !token_.empty() && token_ != refused;
        if (ours || (other && covers(asked_scope_, wanted))) co_return token_;
        signing_ = ours = true;
        problem_ = nullptr;
        scope_.spawn(sign_in(challenge));
    }
}

Async<> SignedHttp::sign_in(Challenge challenge)
{
    try {
        if (!account_.settings) co_await look();  // somebody may have given us another by now
        else co_await with_timeout(ask_for_token(std::move(challenge)), kPatience, "signing in");
    } catch (const Error& error) {
        problem_ = std::make_exception_ptr(
            net::HttpError(error.code(), fmt::format("cannot be signed in to: {}", error.what()), false));
    }
    signing_ = false;
    changed_.notify();
}

Async<> SignedHttp::ask_for_token(Challenge challenge)
{
    if (known_.issuer.empty() || account_.settings->client_secret.empty()) co_await look();
    Settings settings = *account_.settings;
    if (settings.client_secret.empty()) settings.client_secret = known_.client_secret;
    if (settings.private_key.empty()) settings.private_key = known_.private_key;
    if (settings.client_secret.empty() && settings.private_key.empty())
        throw Error(Code::unauthorized,
                    fmt::format("there is no secret for it; set ext.oauth.client_secret of its entry to "
                                "${{VAR}}, or: `mcp login {}`",
                                account_.server));
    const bool asked = !challenge.resource_metadata.empty() || !challenge.scope.empty();
    const std::string wanted = challenge.scope;
    Granter granter;
    if (!settings.token_url.empty()) granter = {.token_url = settings.token_url, .resource = resource_of(account_.url)};
    else if (granter_ && !asked) granter = *granter_;
    else granter = co_await discover(http_, account_.url, std::move(challenge), known_.issuer);
    if (!known_.issuer.empty() && granter.issuer != known_.issuer)
        throw Error(
            Code::conflict,
            fmt::format(
                "it names another authorization server than before ({} instead of {}), which gets no secret of ours; "
                "if that is right: `mcp logout {}`",
                in_quotes(granter.issuer), in_quotes(known_.issuer), account_.server));
    std::string scope = united_scope(asked_scope_, wanted);
    if (scope.empty()) scope = settings.scope.empty() ? granter.scope : settings.scope;

    net::HttpRequest request = token_request(settings, granter, scope, loop_.clock().now(), to_string(new_id()));
    request.foreign = settings.token_url.empty() && is_foreign(request.url, account_.url);
    const auto reply = co_await http_.send(std::move(request));
    const std::string body = co_await read_some(*reply, kAnswer);
    Token granted = read_token(reply->status(), body, scope);

    token_ = granted.text;
    asked_scope_ = scope;
    until_ = granted.lifetime ? later(loop_.now(), *granted.lifetime - margin(*granted.lifetime)) : kNever;
    granter_ = std::move(granter);
    known_.issuer = granter_->issuer;
    known_.access_token = granted.lifetime ? token_ : Secret();
    known_.scope = asked_scope_;
    if (granted.lifetime) known_.expires = loop_.clock().now() + *granted.lifetime - margin(*granted.lifetime);
    log_.info("signed in", {{"server", account_.server}, {"at", net::url_from(granter_->token_url).origin()}});
    co_await keep();
}

Async<> SignedHttp::keep()
{
    if (!kept_) co_return;
    try {
        co_await kept_->keep_grant(account_.whom(), known_);
    } catch (const Error& error) {
        log_.warning("a granted token is not kept", {{"server", account_.server}, {"why", error.what()}});
    }
}

}  // namespace cadre::mcp::oauth
