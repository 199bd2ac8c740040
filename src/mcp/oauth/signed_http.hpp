// SignedHttp: HTTP for one MCP server, with the token that it wants.
#pragma once

#include "base/async_scope.hpp"
#include "base/log.hpp"
#include "base/signal.hpp"
#include "mcp/oauth/discovery.hpp"
#include "mcp/oauth/kept_secrets.hpp"
#include "mcp/oauth/settings.hpp"
#include "net/http.hpp"

#include <exception>
#include <optional>
#include <string>

namespace cadre::mcp::oauth {

struct Account {
    std::string server{};  // the entry's name
    std::string url{};
    std::optional<Settings> settings{};  // nothing: a token that is kept, or none

    KeptFor whom() const;
};

/// Sends requests to the server with a token, and asks for one when the server wants one: once for all who wait. A token that is refused
/// is renewed once, one that allows too little is widened once; a request that was refused has done nothing, so it is sent again. `http`
/// and `kept` outlive it. Lives on one loop.
class SignedHttp final : public net::Http {
public:
    SignedHttp(Loop& loop, net::Http& http, Account account, KeptSecrets* kept, Log log);
    ~SignedHttp() override;

    /// Throws HttpError, with dispatched() false when signing in failed.
    Async<std::unique_ptr<net::HttpReply>> send(net::HttpRequest request) override;

private:
    Async<Secret> token();
    Async<> look();
    void use_kept_grant();
    /// Another token than the refused one, for at least what the challenge asks for.
    Async<Secret> signed_in(Challenge challenge, Secret refused);
    Async<> sign_in(Challenge challenge);
    Async<> ask_for_token(Challenge challenge);
    Async<> keep();

    Loop& loop_;
    net::Http& http_;
    Account account_;
    KeptSecrets* kept_;
    Log log_;
    std::string origin_;
    bool looked_ = false;  // into what is kept
    Kept known_;
    Secret token_;
    Instant until_ = kNever;  // it is not used from then on
    std::string asked_scope_;
    std::optional<Granter> granter_;
    bool signing_ = false;
    std::exception_ptr problem_;
    Signal changed_;
    AsyncScope scope_;
};

}  // namespace cadre::mcp::oauth
