#include "channels/mail/mail_letter.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::channels;

namespace {

Account help()
{
    return {.vendor = model::ChannelVendor::smtp,
            .channel = model::conversation::Channel::email,
            .from = "help@example.com"};
}

ReadMail mail_from_ann()
{
    return {.id = "m1@example.org", .from = {"Ann", "Ann@Example.org"}, .subject = "My hours", .text = "How many?"};
}

}  // namespace

TEST_CASE("mail: what comes is a message, a status of ours, or nothing to answer")
{
    const Inbound in = inbound_of(mail_from_ann(), help(), "ann@example.org");
    CHECK(in.kind == InboundKind::message);
    CHECK(in.id == "m1@example.org");
    CHECK(in.sender == "ann@example.org");
    CHECK(in.text == "My hours\n\nHow many?");
    CHECK(inbound_of(mail_from_ann(), help(), "").kind == InboundKind::ignored);

    ReadMail machine = mail_from_ann();
    machine.no_answer = "Precedence: bulk";
    CHECK(inbound_of(machine, help(), "x@y").kind == InboundKind::ignored);

    Account careful = help();
    careful.authserv_id = "mx.example.com";
    ReadMail mail = mail_from_ann();
    CHECK(inbound_of(mail, careful, "x@y").kind == InboundKind::ignored);
    mail.is_verified = true;
    CHECK(inbound_of(mail, careful, "x@y").kind == InboundKind::message);

    ReadMail report = mail_from_ann();
    report.no_answer = "a report";
    report.report = MailReport{"0af1@example.com", true, "5.1.1", "no such user"};
    const Inbound failed = inbound_of(report, help(), "");
    CHECK(failed.kind == InboundKind::status);
    CHECK(failed.status == DeliveryStatus::failed);
    CHECK(failed.key == "0af1");
    CHECK(failed.error == "5.1.1 no such user");
    report.report->message_id = "0af1@evil.example";
    CHECK(inbound_of(report, help(), "").kind == InboundKind::ignored);
    report.report = MailReport{"0af1@example.com", false, "4.4.1", ""};
    CHECK(inbound_of(report, help(), "").kind == InboundKind::ignored);
}

TEST_CASE("mail: a subject is read where it may be the question")
{
    const struct {
        const char* subject;
        const char* text;
        bool is_answer;
        const char* words;
    } cases[] = {
        {"My hours", "", false, "My hours"}, {"", "How many?", false, "How many?"}, {"My hours", "Yes", true, "Yes"},
        {"Anything", "STOP", false, "STOP"}, {"stop", "", false, "stop"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.words);
        ReadMail mail = mail_from_ann();
        mail.subject = c.subject;
        mail.text = c.text;
        if (c.is_answer) mail.in_reply_to = "0af1@example.com";
        CHECK(inbound_of(mail, help(), "x@y").text == c.words);
    }
    ReadMail mail = mail_from_ann();
    mail.attachments = {{"x.pdf", "application/pdf", 5}};
    CHECK(inbound_of(mail, help(), "x@y").text ==
          "My hours\n\nHow many?\n[attached, and not read: x.pdf (application/pdf, 5 bytes)]");
}

TEST_CASE("mail: an answer goes into the thread of what it answers")
{
    const Letter letter{.to = "ann@example.org",
                        .text = "32",
                        .key = "0af1",
                        .reply_to = "m2@example.org",
                        .subject = "Cadre",
                        .html = "<p>32</p>"};
    const MailThread thread{.subject = "RE: My hours", .references = {"m1@example.org"}};
    const OutgoingMail answer = mail_of(letter, help(), &thread, Time{});
    CHECK(answer.from.address == "help@example.com");
    CHECK(answer.to.address == "ann@example.org");
    CHECK(answer.subject == "Re: My hours");
    CHECK(answer.message_id == "0af1@example.com");
    CHECK(answer.in_reply_to == "m2@example.org");
    CHECK(answer.references == std::vector<std::string>{"m1@example.org", "m2@example.org"});
    CHECK(answer.html == "<p>32</p>");

    const MailThread nameless{};
    CHECK(mail_of(letter, help(), &nameless, Time{}).subject == "Re: Cadre");
    CHECK(mail_of(letter, help(), nullptr, Time{}).references == std::vector<std::string>{"m2@example.org"});

    Letter first = letter;
    first.reply_to = std::string(64, 'a');  // of a mail without an id
    CHECK(mail_of(first, help(), &thread, Time{}).in_reply_to.empty());
    Letter confirmation = letter;
    confirmation.key.clear();
    const std::string id = mail_of(confirmation, help(), nullptr, Time{}).message_id;
    CHECK(id.size() == 32 + std::string("@example.com").size());
    CHECK(mail_of(confirmation, help(), nullptr, Time{}).message_id == id);
}
