// The client of mail servers against peers that fail at every point. Servers that behave are npm's: tests/conformance/mail_judge_test.mjs.
#include "channels/mail/smtp.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "net/loop.hpp"
#include "net/scripted_peer_fixture.hpp"
#include "net/test_certificates.hpp"
#include "net/tls.hpp"
#include "tools/tool.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <utility>
#include <vector>

using namespace cadre;
using namespace cadre::channels;
using test::PeerSocket;
using test::ScriptedPeer;

namespace {

constexpr const char* kMail = "Subject: x\r\n\r\n.hidden\r\n..\r\nend\r\n";

/// Each answer comes after a line of the client; the first greets.
using Answers = std::vector<std::string>;

/// What the client said, a line each.
struct Heard {
    std::vector<std::string> lines{};
    std::string mail{};
};

void converse(PeerSocket& peer, const Answers& answers, Heard& heard)
{
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (i > 0) {
            const bool is_mail = !heard.lines.empty() && heard.lines.back() == "DATA";
            std::string said = peer.read_until(is_mail ? "\r\n.\r\n" : "\r\n");
            if (said.empty()) return;
            if (is_mail) heard.mail = said;
            heard.lines.push_back(is_mail ? "(mail)" : said.substr(0, said.size() - 2));
        }
        if (answers[i] == "cut") return peer.reset();
        if (answers[i] == "silent") return peer.wait_for_end();
        if (!peer.send(answers[i])) return;
    }
}

SmtpOptions options_for_tests()
{
    return {.server = {SmtpSecurity::none, "127.0.0.1", 0},
            .ready_within = Millis(10'000),
            .verdict_within = Millis(10'000)};
}

/// `accepted 250 text`, or `not sent: why`. The peer has ended when it returns.
std::string submitted(ScriptedPeer::Script script, SmtpOptions options = options_for_tests(),
                      const std::string& mail = kMail)
{
    const ScriptedPeer peer(std::move(script));
    options.server.port = peer.port();
    net::Loop loop;
    try {
        const SendResult result =
            run(loop, submit_mail(loop, std::move(options), {"help@example.com", "ann@example.org"}, mail));
        constexpr const char* kKinds[] = {"accepted", "refused", "later", "unknown"};
        return std::string(kKinds[int(result.kind)]) + ' ' + result.code + ' ' + result.text +
               (result.wrong_secret ? " (secret)" : "");
    } catch (const tools::NotDispatched& error) {
        return std::string("not sent: ") + error.what();
    }
}

}  // namespace

TEST_CASE("SMTP: a mail travels with its dots doubled, and its end alone")
{
    Heard heard;
    const auto script = [&](PeerSocket& socket) {
        converse(socket,
                 {"220-be\r\n220 welcome\r\n", "250-hi\r\n250 SIZE 1000\r\n", "250 ok\r\n", "251 forwarded\r\n",
                  "354 go\r\n", "250 2.0.0 queued\r\n"},
                 heard);
    };
    CHECK(submitted(script) == "accepted 250 2.0.0 queued");
    CHECK(heard.lines == std::vector<std::string>{"EHLO example.com", "MAIL FROM:<help@example.com> SIZE=34",
                                                  "RCPT TO:<ann@example.org>", "DATA", "(mail)"});
    CHECK(heard.mail == "Subject: x\r\n\r\n..hidden\r\n...\r\nend\r\n.\r\n");
}

TEST_CASE("SMTP: only between the end of a mail and the reply to it nothing is known")
{
    const std::string ok = "250 ok\r\n";
    const struct {
        Answers answers;
        const char* result;
    } cases[] = {
        {{"cut"}, "not sent: "},
        {{"554 go away\r\n"}, "refused 554 go away"},
        {{"421 busy\r\n"}, "later 421 busy"},
        {{"250 ok\r\n"}, "not sent: "},  // no greeting
        {{"HTTP/1.1 400 Bad\r\n"}, "not sent: "},
        {{"220 hi\r\n", "502 no EHLO here\r\n"}, "refused 502 no EHLO here"},
        {{"220 hi\r\n", "250-hi\r\n250 SIZE 10\r\n"}, "refused 552 the server takes mails of 10 bytes"},
        {{"220 hi\r\n", ok, "cut"}, "not sent: "},
        {{"220 hi\r\n", ok, ok, "550 5.1.1 nobody\r\n"}, "refused 550 5.1.1 nobody"},
        {{"220 hi\r\n", ok, ok, "450 4.2.0 greylisted\r\n"}, "later 450 4.2.0 greylisted"},
        {{"220 hi\r\n", ok, ok, ok, "451 not now\r\n"}, "later 451 not now"},
        {{"220 hi\r\n", ok, ok, ok, ok}, "not sent: "},  // neither yes nor no to DATA
        {{"220 hi\r\n", ok, ok, ok, "354 go\r\n", "cut"}, "unknown  "},
        {{"220 hi\r\n", ok, ok, ok, "354 go\r\n", "354 go\r\n"}, "unknown 354 go"},
        {{"220 hi\r\n", ok, ok, ok, "354 go\r\n", "nonsense\r\n"}, "unknown  the mail server says something"},
        {{"220 hi\r\n", ok, ok, ok, "354 go\r\n", "554 spam\r\n"}, "refused 554 spam"},
        {{"220 hi\r\n", ok, ok, ok, "354 go\r\n", "452 full\r\n"}, "later 452 full"},
        {{"220 hi\r\n", ok, ok, ok, "354 go\r\n", "250 ok\n"}, "unknown  "},
    };
    for (const auto& c : cases) {
        CAPTURE(c.answers.size());
        CAPTURE(c.answers.back());
        Heard heard;
        const std::string result = submitted([&](PeerSocket& socket) { converse(socket, c.answers, heard); });
        CAPTURE(result);
        CHECK(result.starts_with(c.result));
    }
}

TEST_CASE("SMTP: a server that says nothing is not waited for longer than we want")
{
    const std::string ok = "250 ok\r\n";
    const std::pair<Answers, const char*> cases[] = {{{"silent"}, "not sent: "},
                                                     {{"220 hi\r\n", ok, ok, ok, "354 go\r\n", "silent"}, "unknown  "}};
    for (const auto& c : cases) {
        Heard heard;
        SmtpOptions options = options_for_tests();
        (c.first.size() == 1 ? options.ready_within : options.verdict_within) = Millis(50);
        const auto script = [&](PeerSocket& socket) { converse(socket, c.first, heard); };
        CHECK(submitted(script, options).starts_with(c.second));
    }
}

TEST_CASE("SMTP: logins go by what the server offers, and a wrong one is the account's fault")
{
    const std::string ok = "250 ok\r\n", in = "235 in\r\n";
    const struct {
        const char* offer;
        bool is_token;
        Answers answers;
        const char* said;
        const char* result;
    } cases[] = {
        {"AUTH LOGIN PLAIN", false, {in}, "AUTH PLAIN AGFubgBzM2NyZXQ=", "accepted"},
        {"AUTH LOGIN",
         false,
         {"334 VXNlcm5hbWU6\r\n", "334 UGFzc3dvcmQ6\r\n", in},
         "AUTH LOGIN|YW5u|czNjcmV0",
         "accepted"},
        {"AUTH XOAUTH2", true, {in}, "AUTH XOAUTH2 dXNlcj1hbm4BYXV0aD1CZWFyZXIgczNjcmV0AQE=", "accepted"},
        {"AUTH XOAUTH2", true, {"334 eyJ9\r\n", "535 5.7.8 expired\r\n"}, "", "later 535 5.7.8 expired (secret)"},
        {"AUTH PLAIN", false, {"535 5.7.8 wrong\r\n"}, "", "later 535 5.7.8 wrong (secret)"},
        {"AUTH PLAIN", false, {"454 4.7.0 later\r\n"}, "", "later 454 4.7.0 later"},
        {"AUTH CRAM-MD5", false, {}, "", "not sent: the mail server offers neither AUTH PLAIN nor LOGIN"},
        {"AUTH PLAIN", true, {}, "", "not sent: the mail server takes no token"},
        {"8BITMIME", false, {}, "", "not sent: the mail server offers neither AUTH PLAIN nor LOGIN"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.offer);
        Heard heard;
        Answers answers{"220 hi\r\n", std::string("250-hi\r\n250 ") + c.offer + "\r\n"};
        answers.insert(answers.end(), c.answers.begin(), c.answers.end());
        answers.insert(answers.end(), {ok, ok, "354 go\r\n", ok});
        SmtpOptions options = options_for_tests();
        options.user = "ann";
        options.password = Secret("s3cret");
        options.is_token = c.is_token;
        const std::string result = submitted([&](PeerSocket& socket) { converse(socket, answers, heard); }, options);
        CAPTURE(result);
        CHECK(result.starts_with(c.result));
        std::string said;
        for (std::size_t i = 1; i <= c.answers.size() && i < heard.lines.size(); ++i)
            said += (said.empty() ? "" : "|") + heard.lines[i];
        if (*c.said) CHECK(said == c.said);
    }
}

TEST_CASE("SMTP: before STARTTLS nothing is believed, without it nothing is sent")
{
    const test::Authority authority, other;
    const test::ServerContext context = authority.server({.names = "IP:127.0.0.1"});
    const net::TlsTrust trust({.ca_file = authority.file(), .says_http = false});
    const net::TlsTrust no_trust({.ca_file = other.file(), .says_http = false});
    const std::string ok = "250 ok\r\n";
    Heard open, hidden;
    const auto script = [&](PeerSocket& socket) {
        // somebody on the way adds an offer and an answer of his own
        converse(socket, {"220 hi\r\n", "250-hi\r\n250-AUTH PLAIN\r\n250 STARTTLS\r\n", "220 go\r\n250 AUTH PLAIN\r\n"},
                 open);
        if (open.lines.size() < 2 || !socket.accept_tls(context.get())) return;
        converse(socket,
                 {"", "250-hi\r\n250 AUTH LOGIN\r\n", "334 u\r\n", "334 p\r\n", "235 in\r\n", ok, ok, "354 go\r\n", ok},
                 hidden);
    };
    SmtpOptions options = options_for_tests();
    options.server.security = SmtpSecurity::starttls;
    options.trust = &trust;
    options.user = "ann";
    options.password = Secret("s3cret");
    CHECK(submitted(script, options) == "accepted 250 ok");
    CHECK(open.lines == std::vector<std::string>{"EHLO example.com", "STARTTLS"});
    CHECK(hidden.lines.at(0) == "EHLO example.com");
    CHECK(hidden.lines.at(1) == "AUTH LOGIN");
    open = hidden = {};
    options.trust = &no_trust;
    CHECK(submitted(script, options).starts_with("not sent: "));
    CHECK(hidden.lines.empty());

    Heard stripped;
    const auto plain = [&](PeerSocket& socket) {
        converse(socket, {"220 hi\r\n", "250-hi\r\n250 AUTH PLAIN\r\n", ok}, stripped);
    };
    options.trust = &trust;
    CHECK(submitted(plain, options) ==
          "not sent: the mail server offers no STARTTLS, and nothing is sent to it without");
    CHECK(stripped.lines == std::vector<std::string>{"EHLO example.com"});
}

TEST_CASE("SMTP: a server that has enough of a mail says why")
{
    const std::string ok = "250 ok\r\n";
    Heard heard;
    const auto script = [&](PeerSocket& socket) {
        converse(socket, {"220 hi\r\n", ok, ok, ok, "354 go\r\n"}, heard);
        socket.read_some();
        socket.send("552 5.3.4 too big\r\n");
        ::shutdown(socket.descriptor(), SHUT_WR);
        socket.wait_for_end();
    };
    std::string mail;
    for (int i = 0; i < 400'000; ++i) mail += "a line of a mail that has many\r\n";
    CHECK(submitted(script, options_for_tests(), mail) == "refused 552 5.3.4 too big");
}

TEST_CASE("SMTP: what could end a line or a command early is not sent at all")
{
    ScriptedPeer peer([](PeerSocket& socket) { socket.wait_for_end(); });
    SmtpOptions options = options_for_tests();
    options.server.port = peer.port();
    const auto submit = [&](const std::string& from, const std::string& to, const std::string& mail) {
        net::Loop loop;
        run(loop, submit_mail(loop, options, {from, to}, mail));
    };
    for (const char* mail : {"a\nb\r\n", "a\rb\r\n", "a\r\n.\n", "\n", "a\r"}) {
        CAPTURE(mail);
        CHECK_THROWS_AS(submit("help@example.com", "ann@example.org", mail), Error);
    }
    for (const char* address : {"a@b>\r\nRCPT TO:<c@d", "a b@c", ""}) {
        CHECK_THROWS_AS(submit("help@example.com", address, kMail), Error);
        CHECK_THROWS_AS(submit(address, "ann@example.org", kMail), Error);
    }
    CHECK(peer.connections() == 0);
}

TEST_CASE("SMTP: addresses of servers")
{
    using enum SmtpSecurity;
    CHECK(smtp_server_from("smtps://Mail.example") == SmtpServer{tls, "mail.example", 465});
    CHECK(smtp_server_from("smtp+starttls://mail.example:2587/") == SmtpServer{starttls, "mail.example", 2587});
    CHECK(smtp_server_from("smtp+starttls://mail.example") == SmtpServer{starttls, "mail.example", 587});
    CHECK(smtp_server_from("smtp://127.0.0.1:2525") == SmtpServer{none, "127.0.0.1", 2525});
    CHECK(smtp_server_from("smtp://[::1]") == SmtpServer{none, "::1", 25});
    for (const char* url : {"smtp://mail.example", "smtp://10.0.0.1:25", "smtp://localhost.evil.example",
                            "mail.example", "https://mail.example", "smtps://", "smtps://mail.example/path",
                            "smtps://user:secret@mail.example", "smtps://mail.example:0"}) {
        CAPTURE(url);
        CHECK_THROWS_AS(smtp_server_from(url), Error);
    }
}
