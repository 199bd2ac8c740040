#include "channels/mail/lmtp_talk.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "channels/mail/lmtp_server.hpp"
#include "channels/mail/mail_reader.hpp"
#include "net/loop.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::channels;

namespace {

bool is_ours(std::string_view address)
{
    return address == "help@example.com" || address == "sales@example.com";
}

struct Said {
    std::string output{};
    std::vector<LmtpMail> mails{};
};

/// What a client gets that sends its bytes so many at a time.
Said said_to(const std::string& bytes, std::size_t piece)
{
    LmtpTalk talk(is_ours);
    Said said;
    for (std::size_t at = 0; at < bytes.size() && !talk.has_ended(); at += piece) {
        talk.feed(std::string_view(bytes).substr(at, piece));
        while (auto mail = talk.next()) {
            talk.answer(std::vector<std::string>(mail->to.size(), "250 taken"));
            said.mails.push_back(std::move(*mail));
        }
    }
    said.output = talk.take_output();
    return said;
}

std::string codes_of(const std::string& output)
{
    std::string codes;
    for (std::size_t at = 0; at < output.size(); at = output.find("\r\n", at) + 2) codes += output.substr(at, 3) + ' ';
    return codes;
}

}  // namespace

TEST_CASE("LMTP: mails are taken, however they were cut on their way, with a reply for each receiver")
{
    const std::string bytes =
        "LHLO mx\r\nMAIL FROM:<ann@example.org> SIZE=10 BODY=8BITMIME\r\nRCPT TO:<help@example.com>\r\n"
        "RCPT TO:<nobody@example.com>\r\nrcpt to: <sales@example.com>\r\nDATA\r\n"
        "Subject: x\r\n\r\n..hidden\r\n.\n\r\nhalf\r.\r\n \r\n.\r\n"
        "MAIL FROM:<>\r\nRCPT TO:<help@example.com>\r\nDATA\r\nx\r\n.\r\nQUIT\r\n";
    for (std::size_t piece = 1; piece <= bytes.size(); piece += piece < 40 ? 1 : 37) {
        CAPTURE(piece);
        const Said said = said_to(bytes, piece);
        REQUIRE(said.mails.size() == 2);
        CHECK(said.mails[0].from == "ann@example.org");
        CHECK(said.mails[0].to == std::vector<std::string>{"help@example.com", "sales@example.com"});
        CHECK(said.mails[0].mail == "Subject: x\r\n\r\n.hidden\r\n\n\r\nhalf\r.\r\n \r\n");
        CHECK(said.mails[1].from.empty());
        CHECK(said.mails[1].mail == "x\r\n");
        CHECK(codes_of(said.output) == "220 250 250 250 250 250 250 250 550 250 354 250 250 250 250 354 250 221 ");
    }
}

TEST_CASE("LMTP: what comes out of order is refused, and nothing of it is a mail")
{
    const struct {
        const char* bytes;
        const char* codes;
    } cases[] = {
        {"MAIL FROM:<a@b>\r\n", "220 503 "},
        {"EHLO x\r\n", "220 503 "},
        {"LHLO x\r\nDATA\r\n", "220 250 250 250 250 250 503 "},
        {"LHLO x\r\nRCPT TO:<help@example.com>\r\n", "220 250 250 250 250 250 503 "},
        {"LHLO x\r\nMAIL FROM:a@b\r\nMAIL FROM:<a@b>\r\nMAIL FROM:<a@b>\r\n", "220 250 250 250 250 250 501 250 503 "},
        {"LHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<help@example.com>\r\nRSET\r\nDATA\r\n",
         "220 250 250 250 250 250 250 250 250 503 "},
        {"LHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<x@y>\r\nDATA\r\n", "220 250 250 250 250 250 250 550 503 "},
        {"NOOP\r\nVRFY x\r\nnonsense\r\n", "220 250 252 503 "},
        {"QUIT\r\nNOOP\r\n", "220 221 "},
        {"LHLO x\nMAIL FROM:<a@b>\n", "220 "},
    };
    for (const auto& c : cases) {
        CAPTURE(c.bytes);
        const Said said = said_to(c.bytes, 1000);
        CHECK(codes_of(said.output) == c.codes);
        CHECK(said.mails.empty());
    }
    CHECK(codes_of(said_to(std::string(10'000, 'x'), 1000).output) == "220 500 ");
}

TEST_CASE("LMTP: a mail that is too large is read to its end, and not kept")
{
    std::string begin = "LHLO mx\r\nMAIL FROM:<a@b>\r\nRCPT TO:<help@example.com>\r\nDATA\r\n";
    for (const bool has_lines : {true, false}) {
        std::string body((kLargestMail / 1000 + 100) * 1000, 'x');
        if (has_lines)
            for (std::size_t at = 998; at < body.size(); at += 1000) body.replace(at, 2, "\r\n");
        const Said said = said_to(begin + body + "\r\n.\r\nQUIT\r\n", 1 << 20);
        REQUIRE(said.mails.size() == 1);
        CHECK(said.mails[0].is_too_large);
        CHECK(said.mails[0].mail.size() < 2000);
        CHECK(said.output.ends_with("250 taken\r\n221 2.0.0 bye\r\n"));
    }
}

TEST_CASE("LMTP: only places on this machine are listened at")
{
    net::Loop loop;
    const Log log(nullptr, Level::off);
    for (const char* place : {"0.0.0.0:2424", "192.0.2.1:2424", "mail.example:2424", "127.0.0.1",
                              "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", ":2424", ""}) {
        CAPTURE(place);
        CHECK_THROWS_AS(LmtpServer(loop, {.place = place}, log), Error);
    }
    LmtpServer server(loop, {.place = "127.0.0.1:0"}, log);
    CHECK(server.name().starts_with("127.0.0.1:"));
    CHECK_THROWS_AS(LmtpServer(loop, {.place = server.name()}, log), Error);  // taken
    run(loop, server.close());
}
