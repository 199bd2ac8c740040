// Whatever comes as a mail is read or refused, and what is written back to its sender is plain: ASCII, short lines, no header of theirs.
#include "base/error.hpp"
#include "base/utf8.hpp"
#include "channels/mail/lmtp_talk.hpp"
#include "channels/mail/mail_reader.hpp"
#include "channels/mail/mail_writer.hpp"
#include "channels/mail/smtp_reply.hpp"
#include "expect.hpp"

#include <string>

using namespace cadre;
using namespace cadre::channels;

namespace {

void expect_valid(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        EXPECT(length > 0);
        EXPECT(text[0] != '\0' && text[0] != '\r');
        text.remove_prefix(length);
    }
}

void expect_plain(std::string_view mail)
{
    std::size_t column = 0;
    for (std::size_t i = 0; i < mail.size(); ++i) {
        if (mail[i] == '\r') {
            EXPECT(mail.substr(i + 1).starts_with('\n'));
            ++i;
            column = 0;
            continue;
        }
        EXPECT((mail[i] >= ' ' && mail[i] <= '~') || mail[i] == '\t');
        EXPECT(++column <= 998);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view bytes = fuzz::text_of(data, size);
    try {
        SmtpReader replies;
        replies.feed(bytes);
        while (replies.next()) {}
    } catch (const Error&) {}
    LmtpTalk talk([](std::string_view to) { return to.size() > 3; });
    talk.feed(bytes);
    while (auto mail = talk.next()) {
        EXPECT(!mail->to.empty());
        talk.answer(std::vector<std::string>(mail->to.size(), "250 taken"));
    }
    EXPECT(talk.take_output().ends_with("\r\n"));
    try {
        const ReadMail mail = read_mail(bytes, {.authserv_id = "mx.example.com"});
        for (const std::string* text : {&mail.text, &mail.quoted, &mail.subject, &mail.from.name}) expect_valid(*text);
        EXPECT(is_message_id(mail.id));
        if (mail.from.address.empty()) return 0;
        const std::string answer = mail_text({.from = {"Cadre", "help@example.com"},
                                              .to = mail.from,
                                              .subject = reply_subject(mail.subject),
                                              .text = mail.text,
                                              .html = mail.quoted,
                                              .message_id = "0af1@example.com",
                                              .in_reply_to = mail.id,
                                              .references = reply_references(mail.references, mail.id)});
        expect_plain(answer);
        const ReadMail again = read_mail(answer, {});
        EXPECT(again.from.address == "help@example.com");
        EXPECT(again.in_reply_to == mail.id);
        EXPECT(!again.no_answer.empty());
    } catch (const Error&) {}
    return 0;
}
