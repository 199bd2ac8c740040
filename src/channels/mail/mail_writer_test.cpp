#include "channels/mail/mail_writer.hpp"

#include "base/error.hpp"
#include "channels/mail/mail_words.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cadre;
using namespace cadre::channels;

namespace {

std::string joined(const std::vector<std::string>& words)
{
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
    return all;
}

OutgoingMail mail_to_ann()
{
    return {.from = {"Cadre", "help@example.com"},
            .to = {"Ann", "ann@example.org"},
            .subject = "Re: Hours",
            .text = "32 of 40",
            .message_id = "0af1@example.com",
            .date = Time(std::chrono::seconds(1'700'000'000))};
}

/// Lines of at most 76 ASCII characters, each with its CRLF, no other CR or LF: what passes every server unchanged.
bool is_plain_mail(const std::string& text)
{
    std::size_t column = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 2, "\r\n") == 0) {
            column = 0;
            ++i;
            continue;
        }
        if (text[i] != '\t' && (text[i] < ' ' || text[i] > '~')) return false;
        if (++column > 76) return false;
    }
    return text.ends_with("\r\n");
}

}  // namespace

TEST_CASE("mail: a text alone is one part, with all headers that keep machines from answering it")
{
    CHECK(mail_text(mail_to_ann()) == "From: Cadre <help@example.com>\r\n"
                                      "To: Ann <ann@example.org>\r\n"
                                      "Subject: Re: Hours\r\n"
                                      "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"
                                      "Message-ID: <0af1@example.com>\r\n"
                                      "Auto-Submitted: auto-generated\r\n"
                                      "X-Auto-Response-Suppress: All\r\n"
                                      "MIME-Version: 1.0\r\n"
                                      "Content-Type: text/plain; charset=utf-8\r\n"
                                      "Content-Transfer-Encoding: quoted-printable\r\n"
                                      "\r\n"
                                      "32 of 40\r\n");
}

TEST_CASE("mail: with HTML the text comes first, and an answer names its thread")
{
    OutgoingMail mail = mail_to_ann();
    mail.html = "<p>32 of <b>40</b></p>";
    mail.message_id = "0af1#2@example.com";
    mail.in_reply_to = "p@x";
    mail.references = {"a@x", "p@x"};
    const std::string text = mail_text(mail);
    CHECK(is_plain_mail(text));
    CHECK(text.find("In-Reply-To: <p@x>\r\nReferences: <a@x> <p@x>\r\nAuto-Submitted: auto-replied\r\n") != text.npos);
    CHECK(text.find("Content-Type: multipart/alternative; boundary=\"=_0af1_2\"\r\n\r\n--=_0af1_2\r\nContent-Type: "
                    "text/plain") != text.npos);
    CHECK(text.find("\r\n--=_0af1_2\r\nContent-Type: text/html") > text.find("text/plain"));
    CHECK(text.ends_with("</p>\r\n\r\n--=_0af1_2--\r\n"));
}

TEST_CASE("mail: nothing that comes from elsewhere begins a header of its own")
{
    const std::string evil = "x\r\nBcc: eve@evil.example\r\n\r\nbody\nBcc: a@b\rBcc: c@d\0\x1b[31m";
    OutgoingMail mail = mail_to_ann();
    mail.subject = evil;
    mail.from.name = mail.to.name = evil;
    mail.in_reply_to = "a@b>\r\nBcc: e@e";
    mail.references = {"good@x", "a b@x", "a\nBcc:c@d", std::string(500, 'x')};
    const std::string text = mail_text(mail);
    CHECK(is_plain_mail(text));
    CHECK(text.find("\nBcc") == text.npos);
    CHECK(text.find("References: <good@x>\r\n") != text.npos);
    CHECK(text.find("In-Reply-To") == text.npos);
    for (const char* address : {"a@b\r\nBcc: c@d", "a@b>, <c@d", "a b@c", "@b", "a@", "a", "a@b..c", ".a@b",
                                "\"a b\"@c", "ann@b\xC3\xBCro.example", "a@b@c"}) {
        CAPTURE(address);
        OutgoingMail wrong = mail_to_ann();
        wrong.to.address = address;
        CHECK_THROWS_AS(mail_text(wrong), Error);
    }
    mail.message_id = "a@b>\r\nBcc: e@e";
    CHECK_THROWS_AS(mail_text(mail), Error);
}

TEST_CASE("mail: headers are folded, and encoded where they are not plain ASCII")
{
    const struct {
        const char* text;
        const char* words;
    } cases[] = {
        {"Hours of this week", "Hours of this week"},
        {"", ""},
        {"caf\xC3\xA9", "=?utf-8?Q?caf=C3=A9?="},
        {"=?utf-8?Q?x?=", "=?utf-8?Q?=3D=3Futf=2D8=3FQ=3Fx=3F=3D?="},  // as it was written, not as it would be read
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(joined(words_of_text(c.text)) == c.words);
    }
    CHECK(joined(words_of_address({"Ann O'Neil", "a@b"})) == "Ann O'Neil <a@b>");
    CHECK(joined(words_of_address({"Dr. \"Ann\" \\ Co, Ltd", "a@b"})) == R"("Dr. \"Ann\" \\ Co, Ltd" <a@b>)");
    CHECK(joined(words_of_address({" \r\n", "a@b"})) == "a@b");
    OutgoingMail mail = mail_to_ann();
    for (const std::string& subject :
         {std::string(5000, 'x'), std::string(300, 'x') + " y", std::string(2000, ' ') + "a",
          std::string("\xF0\x9F\x98\x80 ") + std::string(100, '\xFF')}) {
        mail.subject = mail.from.name = subject;
        CHECK(is_plain_mail(mail_text(mail)));
    }
}

TEST_CASE("mail: encoded words in base64 are those in Q, and nothing else changes")
{
    const struct {
        const char* text;
        const char* expected;
    } cases[] = {
        {"", ""},
        {"a =?utf-8?B?w6k=?= b", "a =?utf-8?Q?=C3=A9?= b"},
        {"=?utf-8*de?b?w6k?= =?x?B?Yg==", "=?utf-8*de?Q?=C3=A9?= =?x?B?Yg=="},
        {"=?utf-8?Q?a?= =?=?=?B?", "=?utf-8?Q?a?= =?=?=?B?"},
        {"=?utf-8?B?no base64!?= =?utf-8?B?YQ==", "=?utf-8?B?no base64!?= =?utf-8?B?YQ=="},
        {"=?", "=?"},
        {"=?a?B", "=?a?B"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(with_q_words(c.text) == c.expected);
    }
}

TEST_CASE("mail: quoted-printable")
{
    const std::string x75(75, 'x'), x76(76, 'x'), x77(77, 'x');
    const std::string x74e = std::string(74, 'x') + "\xC3\xA9";
    const struct {
        std::string text, encoded;
    } cases[] = {
        {"", ""},
        {"a=b", "a=3Db\r\n"},
        {"caf\xC3\xA9", "caf=C3=A9\r\n"},
        {"a \nb\t\n c", "a=20\r\nb=09\r\n c\r\n"},
        {"a\r\nb\rc\n", "a\r\nb=0Dc\r\n"},
        {"\n\n.\n", "\r\n\r\n.\r\n"},
        {"From me\nFrom: From ", "=46rom me\r\nFrom: From=20\r\n"},
        {x76, x76 + "\r\n"},
        {x76 + "\r\ny", x76 + "\r\ny\r\n"},
        {x77, x75 + "=\r\nxx\r\n"},
        {x74e, std::string(74, 'x') + "=\r\n=C3=A9\r\n"},
        {x76 + " ", x75 + "=\r\nx=20\r\n"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(quoted_printable(c.text) == c.encoded);
    }
}

TEST_CASE("mail: an answer has one Re: and the thread's first and newest mails")
{
    const struct {
        const char* subject;
        const char* answer;
    } cases[] = {{"Hours", "Re: Hours"},
                 {"RE: re:Re[2]: Hours", "Re: Hours"},
                 {"", "Re: "},
                 {"Re", "Re: Re"},
                 {"Regarding: x", "Re: Regarding: x"},
                 {"Re[x]: y", "Re: Re[x]: y"},
                 {"Re: a\r\nBcc: x", "Re: a Bcc: x"}};
    for (const auto& c : cases) {
        CAPTURE(c.subject);
        CHECK(reply_subject(c.subject) == c.answer);
    }
    CHECK(reply_references({}, "p@x") == std::vector<std::string>{"p@x"});
    CHECK(reply_references({"a@x", "p@x", "a@x", "b c"}, "p@x") == std::vector<std::string>{"a@x", "p@x"});
    std::vector<std::string> chain;
    for (int i = 0; i < 50; ++i) chain.push_back(std::to_string(i) + "@x");
    const auto kept = reply_references(chain, "p@x");
    CHECK(kept.size() == 21);
    CHECK(kept[0] == "0@x");
    CHECK(kept[1] == "31@x");
    CHECK(kept[20] == "p@x");
    CHECK(message_id_for("0af1#2", "help@Example.com") == "0af1#2@Example.com");
    CHECK(key_in_message_id("0af1#2@example.com", "help@Example.com") == "0af1#2");
    CHECK(key_in_message_id("0af1@evil.example", "help@example.com").empty());
    CHECK(key_in_message_id("0af1", "help@example.com").empty());
}
