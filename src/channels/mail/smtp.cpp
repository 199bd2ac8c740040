#include "channels/mail/smtp.hpp"

#include "base/ascii.hpp"
#include "base/async.hpp"
#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "channels/mail/mail_words.hpp"
#include "channels/mail/smtp_reply.hpp"
#include "net/dial.hpp"
#include "net/loop.hpp"
#include "net/stream.hpp"
#include "net/tls.hpp"
#include "net/url.hpp"
#include "tools/tool.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

namespace cadre::channels {
namespace {

constexpr Millis kAskAgain{60'000};
constexpr std::string_view kMailEnd = ".\r\n";

/// What the server offers, of what we use.
struct SmtpOffer {
    bool starttls = false;
    bool plain = false;
    bool login = false;
    bool xoauth2 = false;
    std::size_t largest = 0;  // 0: it does not say
};

std::string_view next_word(std::string_view& text)
{
    while (text.starts_with(' ')) text.remove_prefix(1);
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    return word;
}

SmtpOffer offer_in(const SmtpReply& reply)
{
    SmtpOffer offer;
    for (std::size_t i = 1; i < reply.lines.size(); ++i) {  // the first line greets
        std::string_view rest = reply.lines[i];
        const std::string_view word = next_word(rest);
        if (same_in_any_case(word, "STARTTLS")) offer.starttls = true;
        if (same_in_any_case(word, "SIZE")) {
            const std::string_view size = next_word(rest);
            std::from_chars(size.data(), size.data() + size.size(), offer.largest);
        }
        if (!same_in_any_case(word, "AUTH")) continue;
        for (auto way = next_word(rest); !way.empty(); way = next_word(rest)) {
            offer.plain |= same_in_any_case(way, "PLAIN");
            offer.login |= same_in_any_case(way, "LOGIN");
            offer.xoauth2 |= same_in_any_case(way, "XOAUTH2");
        }
    }
    return offer;
}

bool is_good(const SmtpReply& reply)
{
    return reply.code < 300;
}

/// Of a reply to the mail, or one that ends the conversation before it.
SendResult result_of(const SmtpReply& reply)
{
    SendResult result{.code = std::to_string(reply.code), .text = reply.text()};
    if (is_good(reply)) {
        result.kind = SendResult::Kind::accepted;
    } else if (reply.code >= 500) {
        result.kind = SendResult::Kind::refused;
    } else if (reply.code >= 400) {
        result.kind = SendResult::Kind::later;
        result.retry_after = kAskAgain;
    }
    return result;
}

/// What ends the conversation before the mail, whatever its code is: that was not taken.
SendResult refusal_of(const SmtpReply& reply)
{
    SendResult result = result_of(reply);
    if (result.kind == SendResult::Kind::accepted) result.kind = SendResult::Kind::unknown;
    return result;
}

/// The account's fault: once that is put right, the mail can go.
SendResult wrong_login(const SmtpReply& reply)
{
    SendResult result = result_of(reply);
    result.kind = SendResult::Kind::later;
    result.retry_after = kAskAgain;
    result.wrong_secret = reply.code >= 500;
    return result;
}

/// A dot at a line's beginning gets another before it: alone it would be the end. Throws Error(invalid) for half ends of lines, which
/// servers may take for whole ones.
std::string with_dots(std::string_view mail)
{
    std::string out;
    out.reserve(mail.size() + mail.size() / 64 + 2);
    for (std::size_t i = 0; i < mail.size(); ++i) {
        const bool is_begin = i == 0 || mail[i - 1] == '\n';
        const bool is_half = mail[i] == '\r' ? !mail.substr(i + 1).starts_with('\n')
                                             : mail[i] == '\n' && (i == 0 || mail[i - 1] != '\r');
        if (is_half) throw Error(Code::invalid, "a line of a mail must end with CR and LF");
        if (is_begin && mail[i] == '.') out += '.';
        out += mail[i];
    }
    if (!out.empty() && !out.ends_with("\r\n")) out += "\r\n";
    return out;
}

class SmtpTalk {
public:
    SmtpTalk(net::Loop& loop, const SmtpOptions& options) : loop_(loop), options_(options) {}

    /// All but the end of the mail. Something: the server's no.
    Async<std::optional<SendResult>> prepare(MailEnvelope envelope, std::string mail);
    Async<SmtpReply> finish()
    {
        co_await write(std::string(kMailEnd));
        co_return co_await hear();
    }
    /// Good manners: nobody waits for what the server says to that.
    void say_goodbye()
    {
        stream_->try_write("QUIT\r\n");
        stream_->end();
    }

private:
    Async<> connect();
    Async<std::optional<SendResult>> greet(const std::string& name);
    Async<std::optional<SendResult>> log_in();
    Async<std::optional<SendResult>> put(std::string text);
    Async<SmtpReply> ask(std::string line)
    {
        co_await write(std::move(line) + "\r\n");
        co_return co_await hear();
    }
    Async<SmtpReply> hear();
    Async<> write(std::string text);

    net::Loop& loop_;
    const SmtpOptions& options_;
    std::unique_ptr<net::Stream> stream_;
    SmtpReader reader_;
    SmtpOffer offer_;
};

Async<SmtpReply> SmtpTalk::hear()
{
    char piece[4096];
    while (true) {
        if (auto reply = reader_.next()) co_return std::move(*reply);
        const net::IoResult result = stream_->try_read(piece, sizeof piece);
        if (result.state == net::IoState::done) reader_.feed({piece, result.size});
        else if (result.state == net::IoState::closed)
            throw Error(Code::upstream, "the mail server has closed the connection");
        else if (result.state == net::IoState::failed) throw Error(Code::upstream, stream_->failure());
        else co_await stream_->wait(result.state);
    }
}

Async<> SmtpTalk::write(std::string text)
{
    for (std::size_t at = 0; at < text.size();) {
        const net::IoResult result = stream_->try_write(std::string_view(text).substr(at));
        if (result.state == net::IoState::done) at += result.size;
        else if (result.state == net::IoState::closed || result.state == net::IoState::failed)
            throw Error(Code::upstream, "the connection to the mail server is lost: " + stream_->failure());
        else co_await stream_->wait(result.state);
    }
}

Async<> SmtpTalk::connect()
{
    const SmtpServer& server = options_.server;
    auto found = co_await net::resolve(loop_, server.host);
    auto socket = co_await net::connect_any(loop_, std::move(found), server.port);
    stream_ = std::make_unique<net::Stream>(std::move(socket));
    if (server.security == SmtpSecurity::tls) co_await stream_->start_tls(*options_.trust, server.host);
}

Async<std::optional<SendResult>> SmtpTalk::greet(const std::string& name)
{
    SmtpReply reply = co_await ask("EHLO " + name);
    if (!is_good(reply)) co_return refusal_of(reply);
    offer_ = offer_in(reply);
    if (options_.server.security != SmtpSecurity::starttls) co_return std::nullopt;
    if (!offer_.starttls)
        throw Error(Code::upstream, "the mail server offers no STARTTLS, and nothing is sent to it without");
    reply = co_await ask("STARTTLS");
    if (!is_good(reply)) co_return refusal_of(reply);
    reader_.forget();
    offer_ = {};
    co_await stream_->start_tls(*options_.trust, options_.server.host);
    reply = co_await ask("EHLO " + name);
    if (!is_good(reply)) co_return refusal_of(reply);
    offer_ = offer_in(reply);
    co_return std::nullopt;
}

Async<std::optional<SendResult>> SmtpTalk::log_in()
{
    if (options_.user.empty()) co_return std::nullopt;
    const std::string& user = options_.user;
    const std::string password(options_.password.reveal());
    SmtpReply reply;
    if (options_.is_token) {
        if (!offer_.xoauth2) throw Error(Code::upstream, "the mail server takes no token: it does not offer XOAUTH2");
        const std::string token = fmt::format("user={}\x01"
                                              "auth=Bearer {}\x01\x01",
                                              user, password);
        reply = co_await ask("AUTH XOAUTH2 " + to_base64(token));
        if (reply.code == 334) reply = co_await ask("");  // why not; the code comes after it
    } else if (offer_.plain) {
        const std::string zero(1, '\0');
        reply = co_await ask("AUTH PLAIN " + to_base64(zero + user + zero + password));
    } else if (offer_.login) {
        reply = co_await ask("AUTH LOGIN");
        if (reply.code == 334) reply = co_await ask(to_base64(user));
        if (reply.code == 334) reply = co_await ask(to_base64(password));
    } else {
        throw Error(Code::upstream, "the mail server offers neither AUTH PLAIN nor LOGIN");
    }
    if (reply.code == 235) co_return std::nullopt;
    co_return wrong_login(reply);
}

/// The mail. A server that will have no more of it may say so and hang up.
Async<std::optional<SendResult>> SmtpTalk::put(std::string text)
{
    std::string problem;
    try {
        co_await write(std::move(text));
    } catch (const Error& error) {
        problem = error.what();
    }
    if (problem.empty()) co_return std::nullopt;
    SmtpReply reply;
    try {
        reply = co_await hear();
    } catch (const Error&) {}
    if (reply.code < 400) throw Error(Code::upstream, problem);
    co_return refusal_of(reply);
}

Async<std::optional<SendResult>> SmtpTalk::prepare(MailEnvelope envelope, std::string mail)
{
    co_await connect();
    SmtpReply reply = co_await hear();
    if (reply.code != 220) co_return refusal_of(reply);
    if (auto no = co_await greet(envelope.from.substr(envelope.from.rfind('@') + 1))) co_return no;
    if (auto no = co_await log_in()) co_return no;
    if (offer_.largest > 0 && mail.size() > offer_.largest)
        co_return SendResult{
            .kind = SendResult::Kind::refused,
            .code = "552",
            .text = fmt::format("the server takes mails of {} bytes, this one has {}", offer_.largest, mail.size())};
    const std::string size = offer_.largest > 0 ? fmt::format(" SIZE={}", mail.size()) : "";
    reply = co_await ask(fmt::format("MAIL FROM:<{}>{}", envelope.from, size));
    if (!is_good(reply)) co_return refusal_of(reply);
    reply = co_await ask(fmt::format("RCPT TO:<{}>", envelope.to));
    if (!is_good(reply)) co_return refusal_of(reply);
    reply = co_await ask("DATA");
    if (reply.code != 354) co_return refusal_of(reply);
    co_return co_await put(std::move(mail));
}

bool is_this_machine(const net::Url& url)
{
    if (!url.ip) return url.host == "localhost";
    static const net::IpNetwork loopback = *net::find_ip_network("127.0.0.0/8");
    static const net::IpAddress own = *net::find_ip_address("::1");
    return *url.ip == own || loopback.holds(*url.ip);
}

}  // namespace

SmtpServer smtp_server_from(std::string_view text)
{
    constexpr struct {
        std::string_view scheme;
        SmtpSecurity security;
        std::uint16_t port;
    } kSchemes[] = {{"smtps://", SmtpSecurity::tls, 465},
                    {"smtp+starttls://", SmtpSecurity::starttls, 587},
                    {"smtp://", SmtpSecurity::none, 25}};
    const auto* scheme = std::ranges::find_if(kSchemes, [&](const auto& one) { return text.starts_with(one.scheme); });
    if (scheme == std::end(kSchemes))
        throw Error(Code::malformed,
                    "the address of a mail server begins with smtps://, smtp+starttls:// or, on this machine, smtp://");
    std::string place(text.substr(scheme->scheme.size()));
    if (place.ends_with('/')) place.pop_back();
    if (place.rfind(':') == place.npos || place.ends_with(']')) place += fmt::format(":{}", scheme->port);
    const net::Url url = net::url_from("https://" + place);
    if (url.target != "/") throw Error(Code::invalid, "the address of a mail server has no path");
    if (scheme->security == SmtpSecurity::none && !is_this_machine(url))
        throw Error(Code::invalid, "without TLS only a mail server on this machine is spoken to: smtps:// or "
                                   "smtp+starttls://");
    return {.security = scheme->security, .host = url.host, .port = url.port};
}

Async<SendResult> submit_mail(net::Loop& loop, SmtpOptions options, MailEnvelope envelope, std::string mail)
{
    for (const std::string* address : {&envelope.from, &envelope.to})
        if (!is_mail_address(*address))
            throw Error(Code::invalid, in_quotes(*address) + " is not a mail address that can be written to");
    mail = with_dots(mail);
    SmtpTalk talk(loop, options);
    std::optional<SendResult> no;
    try {
        no = co_await with_timeout(talk.prepare(std::move(envelope), std::move(mail)), options.ready_within,
                                   "the mail server");
    } catch (const Error& error) {
        throw tools::NotDispatched(error.code(), error.what());
    }
    if (no && no->kind == SendResult::Kind::unknown)
        throw tools::NotDispatched(Code::upstream, "the mail server says something unexpected: " + no->code);
    if (no) {
        talk.say_goodbye();
        co_return std::move(*no);
    }
    SendResult result;
    try {
        result = result_of(co_await with_timeout(talk.finish(), options.verdict_within, "the mail server's verdict"));
        talk.say_goodbye();
    } catch (const Error& error) {
        result = {.text = error.what()};  // unknown
    }
    co_return result;
}

}  // namespace cadre::channels
