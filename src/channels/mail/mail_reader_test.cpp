// What a mail says. That what others write is read rightly, npm's nodemailer judges: tests/conformance/mail_judge_test.mjs.
#include "channels/mail/mail_reader.hpp"

#include "base/error.hpp"
#include "channels/mail/mail_manners.hpp"
#include "channels/mail/mail_quote.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::channels;

namespace {

constexpr const char* kHead = "From: Ann <ann@example.org>\r\nTo: help@example.com\r\nMessage-ID: <m1@example.org>\r\n";

ReadMail read(const std::string& text)
{
    return read_mail(text, {.authserv_id = "mx.example.com", .own = {"help@example.com"}});
}

std::string repeated(const std::string& text, int count)
{
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

}  // namespace

TEST_CASE("mail: who wrote what, and in which thread")
{
    const ReadMail mail = read(
        "Return-Path: <ann@example.org>\r\nFrom: =?utf-8?Q?Ann_M=C3=BCller?= <Ann@Example.org>\r\nTo: "
        "help@example.com\r\n"
        "Subject: =?utf-8?B?UmU6IMOcYmVyc3R1bmRlbg==?=\r\nDate: Tue, 14 Nov 2023 23:13:20 +0100\r\nMessage-ID: "
        "<m2@example.org>\r\n"
        "In-Reply-To: <0af1@example.com>\r\nReferences: <m1@example.org>\r\n <0af1@example.com> <bad id>\r\n"
        "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        "And f=FCr Monday?\r\n\r\nOn Tue, Nov 14, 2023 at 9:00 Help <help@example.com>\r\nwrote:\r\n> 32 of 40\r\n");
    CHECK(mail.id == "m2@example.org");
    CHECK(mail.from == MailAddress{"Ann M\xC3\xBCller", "Ann@Example.org"});
    CHECK(mail.subject == "Re: \xC3\x9C"
                          "berstunden");
    CHECK(mail.date == Time(std::chrono::seconds(1'700'000'000)));
    CHECK(mail.in_reply_to == "0af1@example.com");
    CHECK(mail.references == std::vector<std::string>{"m1@example.org", "0af1@example.com"});
    CHECK(mail.text == "And f\xC3\xBCr Monday?");
    CHECK(mail.quoted == "On Tue, Nov 14, 2023 at 9:00 Help <help@example.com>\nwrote:\n> 32 of 40");
    CHECK(mail.no_answer.empty());
    CHECK(!mail.is_verified);
    CHECK(!mail.report);
}

TEST_CASE("mail: of many parts the words are taken, and what is attached is named")
{
    const ReadMail mail = read(
        std::string(kHead) +
        "Content-Type: multipart/mixed; boundary=a\r\n\r\npreamble\r\n--a\r\n"
        "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>HTML</p>\r\n"
        "--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nWords\r\n--b--\r\n--a\r\n"
        "Content-Type: application/pdf; name=\"../x.pdf\"\r\nContent-Disposition: attachment; filename=\"x.pdf\"\r\n"
        "Content-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n--a\r\nContent-Type: message/rfc822\r\n\r\n"
        "From: eve@evil.example\r\nSubject: inner\r\n\r\nNot ours\r\n--a--\r\n");
    CHECK(mail.text == "Words");
    REQUIRE(mail.attachments.size() == 2);
    CHECK(mail.attachments[0] == MailAttachment{"x.pdf", "application/pdf", 5});
    CHECK(mail.attachments[1].type == "message/rfc822");
    CHECK(mail.from.address == "ann@example.org");

    const ReadMail html =
        read(std::string(kHead) + "Content-Type: text/html; charset=windows-1252\r\n\r\n<style>p{}</style><p>Caf\xE9 "
                                  "<b>now</b></p><script>x</script>");
    CHECK(html.text == "Caf\xC3\xA9 **now**");
}

TEST_CASE("mail: text that is not what it claims to be is valid UTF-8 all the same")
{
    CHECK(read(std::string(kHead) + "Content-Type: text/plain; charset=utf-8\r\n\r\na\xFF"
                                    "b\r\n")
              .text.find("a") == 0);
    CHECK(read(std::string(kHead) + "Content-Type: text/plain; charset=no-such\r\n\r\nplain\r\n").text == "plain");
    CHECK(read(std::string(kHead) + "Content-Transfer-Encoding: base64\r\n\r\n!!!\r\n").text.size() < 10);
    CHECK(read(std::string(kHead) + "\r\nLF only\nhere").text == "LF only\nhere");
    CHECK(read(kHead).text.empty());
    const ReadMail mail = read("From: ann@example.org\r\nSubject: a\r\n =?utf-8?Q?b=0D=0ABcc:_x=00?=\r\n\r\nx");
    CHECK(mail.subject.find('\n') == std::string::npos);
    CHECK(mail.id.size() == 64);  // its hash, as it has none
    CHECK(
        read(
            "From: ann@example.org\r\nSubject: =?utf-8?B?5ryi?=\r\n =?utf-8?B?8J+Yg2E=?=\r\n =?utf-8?B?5ryi?=\r\n\r\nx")
            .subject == "\xE6\xBC\xA2\xF0\x9F\x98\x83"
                        "a\xE6\xBC\xA2");
    CHECK_THROWS_AS(read(""), Error);
    CHECK_THROWS_AS(read("no mail at all"), Error);
    CHECK_THROWS_AS(read("From: a@b, c@d\r\n\r\nwho?"), Error);
    CHECK_THROWS_AS(read("From: a@b\r\nFrom: c@d\r\n\r\nwho?"), Error);
    CHECK_THROWS_AS(read("From: undisclosed:;\r\n\r\nwho?"), Error);
}

TEST_CASE("mail: what would be a huge tree is refused")
{
    const std::string part = "--a\r\n\r\nx\r\n";
    const std::string mixed = std::string(kHead) + "Content-Type: multipart/mixed; boundary=a\r\n\r\n";
    CHECK(read(mixed + repeated(part, 90) + "--a--").text.starts_with("x"));
    std::string deep = kHead;
    for (int i = 0; i < 12; ++i) {
        const std::string name = "b" + std::to_string(i);
        deep += "Content-Type: multipart/mixed; boundary=" + name + "\r\n\r\n--" + name + "\r\n";
    }
    const std::string many_inner = std::string(kHead) + repeated("Content-Type: message/rfc822\r\n\r\n", 250);
    const struct {
        const char* name;
        std::string text;
    } cases[] = {
        {"parts", mixed + repeated(part, 110)},
        {"boundaries", mixed + repeated(part, 20'000)},
        {"depth", deep},
        {"types", std::string(kHead) + repeated("Content-Type: message/rfc822\r\n\r\n", 100'000)},
        {"headers", std::string(kHead) + repeated("a:\r\n", 100'000)},
        {"one header", std::string(kHead) + "To: " + repeated("a@b,\r\n ", 20'000)},
        {"one line", std::string(kHead) + "To: " + repeated("a@b,", 100'000)},
        {"bytes", std::string(kHead) + "\r\n" + std::string(kLargestMail, 'x')},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK_THROWS_AS(read(c.text), Error);
    }
    CHECK(read(many_inner).text.empty());  // mails in mails, which GMime takes apart and we do not
}

TEST_CASE("mail: what a machine has sent is not answered")
{
    const struct {
        const char* header;
        bool is_answered;
    } cases[] = {
        {"X-Any: thing", true},
        {"Auto-Submitted: no", true},
        {"Auto-Submitted: auto-replied", false},
        {"auto-submitted: Auto-Generated; owner-email=\"a@b\"", false},
        {"Precedence: bulk", false},
        {"Precedence: first-class", true},
        {"List-Id: <l.example.org>", false},
        {"X-Auto-Response-Suppress: DR, AutoReply", false},
        {"X-Auto-Response-Suppress: DR", true},
        {"Return-Path: <>", false},
        {"Return-Path: <ann@example.org>", true},
        {"Content-Type: multipart/report; boundary=x", false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.header);
        CHECK(read(std::string(kHead) + c.header + "\r\n\r\nx").no_answer.empty() == c.is_answered);
    }
    for (const char* from :
         {"help@example.com", "HELP@Example.com", "MAILER-DAEMON@mx.example", "no-reply@x.example"}) {
        CAPTURE(from);
        CHECK(!read("From: " + std::string(from) + "\r\n\r\nx").no_answer.empty());
    }
}

TEST_CASE("mail: a sender is verified by our own mail server's word alone")
{
    const struct {
        const char* headers;
        bool is_verified;
    } cases[] = {
        {"", false},
        {"Authentication-Results: mx.example.com; spf=pass; dmarc=pass header.from=example.org\r\n", true},
        {"Authentication-Results: MX.example.com 1; dmarc = pass (p=reject; dis=none) header.from=Example.org\r\n",
         true},
        {"Authentication-Results: mx.example.com;\r\n dmarc=pass\r\n", true},
        {"Authentication-Results: evil.example; dmarc=pass header.from=example.org\r\n", false},
        {"Authentication-Results: mx.example.com.evil.example; dmarc=pass\r\n", false},
        {"Authentication-Results: mx.example.com; dmarc=fail header.from=example.org\r\n", false},
        {"Authentication-Results: mx.example.com; dmarc=pass header.from=other.example\r\n", false},
        {"Authentication-Results: mx.example.com; spf=pass (dmarc=pass)\r\n", false},
        {"Authentication-Results: mx.example.com; spf=fail reason=\"; dmarc=pass\"\r\n", false},
        {"Authentication-Results: mx.example.com; spf=pass\r\n", false},
        // the upper one is our server's, the lower came with the mail
        {"Authentication-Results: mx.example.com; dmarc=fail\r\nAuthentication-Results: mx.example.com; dmarc=pass\r\n",
         false},
        {"Authentication-Results: mx.example.com; dmarc=pass\r\nFrom: \r\n", false},  // of two senders
    };
    for (const auto& c : cases) {
        CAPTURE(c.headers);
        CHECK(read(std::string(c.headers) + kHead + "\r\nx").is_verified == c.is_verified);
    }
    CHECK(!read_mail(std::string("Authentication-Results: ; dmarc=pass\r\n") + kHead + "\r\nx", {}).is_verified);
}

TEST_CASE("mail: a report says what became of a mail of ours")
{
    const auto report = [](const std::string& action, const std::string& status, const std::string& original) {
        return read("From: MAILER-DAEMON@mx.example\r\nReturn-Path: <>\r\n"
                    "Content-Type: multipart/report; report-type=delivery-status; boundary=a\r\n\r\n"
                    "--a\r\nContent-Type: text/plain\r\n\r\nSorry.\r\n"
                    "--a\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n"
                    "Final-Recipient: rfc822; ann@example.org\r\nAction: " +
                    action + "\r\nStatus: " + status +
                    "\r\nDiagnostic-Code: smtp; 550 no such\r\n user\r\n\r\n--a\r\n" + original + "\r\n--a--\r\n");
    };
    const std::string whole =
        "Content-Type: message/rfc822\r\n\r\nFrom: help@example.com\r\nMessage-ID: <0af1#2@example.com>\r\n\r\nx";
    const std::string headers =
        "Content-Type: text/rfc822-headers\r\n\r\nSubject: x\r\nMessage-ID: <0af1#2@example.com>\r\n";
    const ReadMail failed = report("failed", "5.1.1", whole);
    REQUIRE(failed.report);
    CHECK(*failed.report == MailReport{"0af1#2@example.com", true, "5.1.1", "smtp; 550 no such user"});
    CHECK(!failed.no_answer.empty());
    CHECK(report("Failed", "5.1.1", headers).report->message_id == "0af1#2@example.com");
    CHECK(!report("delayed", "4.4.1", headers).report->failed);
    CHECK(!report("delivered", "2.0.0", headers).report->failed);
    CHECK(report("failed", "5.0.0", "\r\n").report->message_id.empty());
}

TEST_CASE("mail: what programs quote is cut, answers between quotes are not")
{
    const struct {
        const char* name;
        const char* text;
        const char* own;
    } cases[] = {
        {"nothing", "Hello\n\nAnn", "Hello\n\nAnn"},
        {"quote", "Yes\n\n> no\n>> maybe\n", "Yes"},
        {"attribution", "Yes\n\nOn Tue, Nov 14, 2023 at 9:00, Help wrote:\n> no", "Yes"},
        {"folded", "Yes\nOn Tue, Nov 14, 2023 at 9:00,\nHelp <help@example.com> wrote:\n\n> no", "Yes"},
        {"German", "Ja\n\nAm 14.11.23 um 9:00 schrieb Help:\n> nein", "Ja"},
        {"French",
         "Oui\n\nLe 14 nov. 2023, Help a \xC3\xA9"
         "crit :\n> non",
         "Oui"},
        {"not marked", "Yes\n\nOn Tue, Nov 14, 2023, Help wrote:\n\nno\n", "Yes"},
        {"Outlook", "Yes\n\n________________________________\nFrom: Help\nSent: Tuesday\n\nno", "Yes"},
        {"Outlook's header", "Yes\n\nFrom: Help <help@example.com>\nSent: Tuesday\nTo: Ann\nSubject: x\n\nno", "Yes"},
        {"bold header", "Yes\n\n*From:* Help\n*Sent:* Tuesday\n\nno", "Yes"},
        {"original message", "Yes\n\n-----Original Message-----\nno", "Yes"},
        {"signature", "Yes\n\n-- \nAnn\nBoss of all", "Yes"},
        {"signature and quote", "Yes\n-- \nAnn\n\n> no", "Yes"},
        {"between", "> Monday?\nYes\n> Tuesday?\nNo", "> Monday?\nYes\n> Tuesday?\nNo"},
        {"below", "On Tue, Help wrote:\n> 32 of 40\n\nThanks", "On Tue, Help wrote:\n> 32 of 40\n\nThanks"},
        {"quote alone", "> 32 of 40\n", "> 32 of 40"},
        {"From as a word", "From: here to there\nI go", "From: here to there\nI go"},
        {"wrote as a word", "She wrote:\nthis", "She wrote:\nthis"},
        {"empty", "", ""},
        {"blank", "\n \n", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.name);
        CHECK(without_quotes(c.text).own == c.own);
    }
}
