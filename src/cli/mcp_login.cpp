#include "cli/mcp_login.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/secret.hpp"
#include "base/trim.hpp"
#include "cli/output.hpp"
#include "cli/verb.hpp"
#include "mcp/oauth/metadata.hpp"
#include "mcp/oauth/signed_http.hpp"
#include "mcp/oauth/token_request.hpp"
#include "mcp/server.hpp"

#include <fmt/format.h>

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace cadre::cli {
namespace {

constexpr std::size_t kLongest = 64 << 10;
constexpr std::string_view kKeyBegins = "-----BEGIN";

/// The terminal shows nothing, and Ctrl-C is a character like others, so that it is not left that way.
class Unseen {
public:
    Unseen()
    {
        if (::tcgetattr(STDIN_FILENO, &before_) != 0)
            throw Error(Code::unavailable, "cannot read the terminal; give the secret on standard input");
        termios unseen = before_;
        unseen.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &unseen);
    }
    Unseen(const Unseen&) = delete;
    Unseen& operator=(const Unseen&) = delete;
    ~Unseen() { ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_); }

private:
    termios before_{};
};

/// Nothing at the end.
bool read_char(char& c)
{
    ssize_t got = 0;
    do got = ::read(STDIN_FILENO, &c, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

std::string typed(std::string_view prompt, Output& output)
{
    constexpr char kInterrupt = 3, kEnd = 4, kBackspace = 8, kErase = 21, kDelete = 127;
    const Unseen unseen;  // before anybody is asked: what is typed early is not shown either
    output.complain(prompt);
    std::string text;
    for (char c = 0; read_char(c) && c != '\n' && c != '\r' && c != kEnd;) {
        if (c == kInterrupt) throw Error(Code::cancelled, "nothing was kept");
        if (c == kErase) text.clear();
        else if (c != kBackspace && c != kDelete) text += c;
        else if (!text.empty()) text.pop_back();
        if (text.size() > kLongest) break;
    }
    output.complain("\n");
    return text;
}

std::string piped()
{
    std::string text;
    for (char c = 0; text.size() <= kLongest && read_char(c);) text += c;
    return text;
}

std::string read_secret(std::string_view what, Output& output)
{
    const bool person = ::isatty(STDIN_FILENO) == 1;
    const std::string text = person ? typed(fmt::format("{} (it is not shown): ", what), output) : piped();
    if (text.size() > kLongest) throw Error(Code::too_large, fmt::format("a secret has at most {} bytes", kLongest));
    return std::string(trimmed(text));
}

void take_bearer(mcp::oauth::Kept& kept, std::string text)
{
    if (constexpr std::string_view kScheme = "Bearer "; text.starts_with(kScheme)) text.erase(0, kScheme.size());
    if (text.empty())
        throw Error(Code::invalid, "nothing was read; the token comes from standard input or the terminal");
    if (!mcp::oauth::is_bearer_token(text))
        throw Error(Code::invalid, "that is not a bearer token: it has characters that no header carries");
    kept.bearer = Secret(std::move(text));
}

void take_secret(mcp::oauth::Kept& kept, std::string text)
{
    if (text.starts_with(kKeyBegins)) {
        kept.private_key = Secret(std::move(text));
        return;
    }
    if (text.empty() || text.find_first_of("\r\n") != text.npos)
        throw Error(Code::invalid, "a client secret is one line, a private key a PEM file");
    kept.client_secret = Secret(std::move(text));
}

}  // namespace

Async<int> log_in(mcp::oauth::KeptSecrets& kept, const mcp::Server& server, Output& output)
{
    const mcp::ServerEntry& entry = server.entry();
    if (entry.url.empty())
        throw Error(Code::invalid, fmt::format("{} is a program; give it its secrets in env of its entry", entry.name));
    if (net::find_header(entry.headers, "Authorization"))
        throw Error(
            Code::conflict,
            fmt::format("the entry of {} has a header Authorization, which counts; remove it first", entry.name));
    if (entry.oauth && (!entry.oauth->client_secret.empty() || !entry.oauth->private_key.empty() ||
                        !entry.oauth->private_key_file.empty()))
        throw Error(
            Code::conflict,
            fmt::format("the entry of {} has a secret in ext.oauth, which counts; remove it first", entry.name));
    mcp::oauth::expect_safe(entry.url, "a server that is signed in to");

    const mcp::oauth::Account account{.server = entry.name, .url = entry.url, .settings = entry.oauth};
    std::string text = read_secret(
        fmt::format("{} for {} at {}", entry.oauth ? "Client secret" : "Token", entry.name, account.whom().url),
        output);
    mcp::oauth::Kept secrets;
    if (entry.oauth) take_secret(secrets, std::move(text));
    else take_bearer(secrets, std::move(text));
    co_await kept.keep(account.whom(), std::move(secrets));
    if (!output.quiet)
        output.complain(fmt::format("kept in {}; to try it: {}\n", kept.file().string(),
                                    as_typed("cadre mcp tools " + entry.name)));
    co_return 0;
}

Async<int> log_out(mcp::oauth::KeptSecrets& kept, std::string server, Output& output)
{
    const bool any = co_await kept.forget(server);
    if (!any) throw Error(Code::not_found, fmt::format("nothing is kept for a server {}", in_quotes(server)));
    if (!output.quiet)
        output.complain(fmt::format(
            "what was kept for {} is forgotten; its server still takes it, until it is revoked there\n", server));
    co_return 0;
}

}  // namespace cadre::cli
