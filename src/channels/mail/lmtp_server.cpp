#include "channels/mail/lmtp_server.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "channels/mail/lmtp_talk.hpp"
#include "channels/mail/mail_words.hpp"
#include "net/await.hpp"
#include "net/listen.hpp"
#include "net/loop.hpp"
#include "net/stream.hpp"

#include <charconv>

namespace cadre::channels {
namespace {

constexpr Millis kPauseAfterRefusal{50};  // of the kernel, which is out of something
constexpr std::size_t kLongestReason = 200;

struct LmtpPlace {
    std::string host{};
    std::uint16_t port = 0;
};

/// What comes is believed to be what a mail server of ours lets through, so nobody else may be able to say it.
LmtpPlace place_from(const std::string& text)
{
    if (text.starts_with(net::kUnixScheme)) return {.host = text};
    const std::size_t colon = text.rfind(':');
    LmtpPlace place{.host = text.substr(0, colon)};
    if (place.host != "127.0.0.1" && place.host != "localhost" && place.host != "[::1]")
        throw Error(Code::invalid, in_quotes(text) + " is not a place for mails: it is like 127.0.0.1:2424 or "
                                                     "unix:/run/cadre/mail.sock, on this machine");
    if (place.host == "[::1]") place.host = "::1";
    const std::string digits = colon == text.npos ? "" : text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place.port);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
        throw Error(Code::invalid, in_quotes(text) + " names no port");
    return place;
}

Async<bool> read_more(net::Stream& stream, LmtpTalk& talk)
{
    char piece[16 << 10];
    while (true) {
        const net::IoResult result = stream.try_read(piece, sizeof piece);
        if (result.state == net::IoState::done) {
            talk.feed({piece, result.size});
            co_return true;
        }
        if (result.state == net::IoState::closed || result.state == net::IoState::failed) co_return false;
        co_await stream.wait(result.state);
    }
}

Async<bool> write_all(net::Stream& stream, std::string text)
{
    for (std::size_t at = 0; at < text.size();) {
        const net::IoResult result = stream.try_write(std::string_view(text).substr(at));
        if (result.state == net::IoState::done) at += result.size;
        else if (result.state == net::IoState::closed || result.state == net::IoState::failed) co_return false;
        else co_await stream.wait(result.state);
    }
    co_return true;
}

}  // namespace

struct LmtpServer::Impl {
    Impl(net::Loop& l, LmtpOptions o, Log g, const LmtpPlace& place)
        : loop(l), options(std::move(o)), log(std::move(g)), listening(loop, place.host, place.port), scope(loop)
    {
        scope.spawn(accept());
    }

    Async<> accept()
    {
        while (true) {
            net::Stream::Socket socket(loop.io());
            const auto error = co_await listening.acceptor.async_accept(socket, net::use_async);
            if (error) co_await sleep_for(kPauseAfterRefusal);
            else if (open < options.connections) scope.spawn(serve(std::move(socket)));
        }
    }

    Async<> serve(net::Stream::Socket socket)
    {
        struct Count {
            explicit Count(std::size_t& o) : open(o) { ++open; }
            ~Count() { --open; }
            std::size_t& open;
        } const count(open);
        net::Stream stream(std::move(socket));
        LmtpTalk talk(options.knows);
        try {
            while (true) {
                while (auto mail = talk.next()) talk.answer(co_await answers(std::move(*mail)));
                const bool is_heard =
                    co_await with_timeout(write_all(stream, talk.take_output()), options.patience, "LMTP");
                if (!is_heard || talk.has_ended()) co_return;
                if (!co_await with_timeout(read_more(stream, talk), options.patience, "LMTP")) co_return;
            }
        } catch (const Error&) {}  // it was silent for too long
    }

    Async<std::vector<std::string>> answers(LmtpMail mail)
    {
        std::vector<std::string> all;
        for (const std::string& to : mail.to) {
            if (mail.is_too_large) all.emplace_back("552 5.3.4 a mail has at most 25 MiB");
            else all.push_back(co_await answer(to, mail.from, mail.mail));
        }
        co_return all;
    }

    Async<std::string> answer(std::string to, std::string from, std::string mail)
    {
        std::string why;
        bool is_final = false;
        try {
            co_await options.take(to, std::move(from), std::move(mail));
            co_return "250 2.0.0 taken";
        } catch (const Error& error) {
            why = header_text(error.what(), kLongestReason);
            is_final = error.code() == Code::malformed || error.code() == Code::too_large;
        }
        log.warning("a mail was not taken", {{"to", to}, {"what", why}});
        co_return (is_final ? "554 5.6.0 " : "451 4.3.0 ") + why;
    }

    net::Loop& loop;
    LmtpOptions options;
    Log log;
    net::Listening listening;
    std::size_t open = 0;
    AsyncScope scope;  // last: connections use all of the above
};

LmtpServer::LmtpServer(net::Loop& loop, LmtpOptions options, Log log)
{
    const LmtpPlace place = place_from(options.place);
    impl_ = std::make_unique<Impl>(loop, std::move(options), std::move(log), place);
}

LmtpServer::~LmtpServer() = default;

const std::string& LmtpServer::name() const
{
    return impl_->listening.name;
}

Async<> LmtpServer::close()
{
    co_await impl_->scope.close();
    impl_->listening.stop();
}

}  // namespace cadre::channels
