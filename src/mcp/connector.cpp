#include "base/error.hpp"
#include "mcp/http_transport.hpp"
#include "mcp/oauth/signed_http.hpp"
#include "mcp/server.hpp"
#include "mcp/sse_transport.hpp"
#include "mcp/stdio_transport.hpp"
#include "net/loop.hpp"
#include "storage/files.hpp"
#include "tools/sandbox/sandboxed_plan.hpp"

#include <fmt/core.h>

namespace cadre::mcp {

namespace {

oauth::Account account_of(const ServerEntry& entry)
{
    oauth::Account account{.server = entry.name, .url = entry.url, .settings = entry.oauth};
    if (!account.settings || account.settings->private_key_file.empty()) return account;
    const auto file = entry.folder / account.settings->private_key_file;
    auto text = storage::find_file(file);
    if (!text)
        throw Error(Code::not_found, fmt::format("there is no file {} (ext.oauth.private_key_file)", file.string()));
    account.settings->private_key = Secret(std::move(*text));
    return account;
}

}  // namespace

Server::Connect connector(net::Loop& loop, net::Http& http, const ServerEntry& entry, Log log, oauth::KeptSecrets* kept)
{
    using model::framework::TransportType;
    // the operator's own header is the whole truth; otherwise a token is kept for all connections
    const bool signs = entry.oauth || (kept && !net::find_header(entry.headers, "Authorization"));
    auto signed_http = std::make_shared<std::unique_ptr<oauth::SignedHttp>>();
    return [&loop, &http, &entry, log, kept, signs, signed_http](TransportType kind) -> std::unique_ptr<Transport> {
        if (kind == TransportType::stdio) {
            net::ProcessPlan plan{.argv = entry.argv, .environment = entry.environment, .folder = entry.folder};
            plan.keeper = !entry.sandbox;  // a sandbox has one of its own
            if (!entry.sandbox) return std::make_unique<StdioTransport>(loop, std::move(plan), entry.name, log);
            tools::SandboxedPlan locked = tools::sandboxed_plan(std::move(plan), entry.network);
            return std::make_unique<StdioTransport>(loop, std::move(locked.plan), entry.name, log);
        }
        if (signs && !*signed_http)
            *signed_http = std::make_unique<oauth::SignedHttp>(loop, http, account_of(entry), kept, log);
        net::Http& used = signs ? **signed_http : http;
        if (kind == TransportType::sse)
            return std::make_unique<SseTransport>(loop, used, HttpPlace{entry.url, entry.headers}, log);
        return std::make_unique<HttpTransport>(loop, used, HttpPlace{entry.url, entry.headers}, log);
    };
}

}  // namespace cadre::mcp
