#include "channels/mail/mail_letter.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "channels/consent_words.hpp"
#include "model/describe.hpp"

#include <fmt/core.h>

namespace cadre::channels {
namespace {

/// The subject of a mail that begins a thread often is the question, or half of it.
std::string words_of(const ReadMail& mail, const Account& account)
{
    std::string text = mail.text;
    const bool begins = mail.in_reply_to.empty() && mail.references.empty();
    if (begins && consent_word_in(text, account.stop_words, true) == ConsentWord::none && !mail.subject.empty())
        text = mail.subject + (text.empty() ? "" : "\n\n") + text;
    for (const MailAttachment& one : mail.attachments)
        text += fmt::format("{}[attached, and not read: {} ({}, {} bytes)]", text.empty() ? "" : "\n", one.name,
                            one.type, one.size);
    return text;
}

class Mail final : public Adapter {
public:
    net::HttpHeader sign(const RawRequest&, const Account&) const override { refuse(); }
    RawRequest probe(std::string) const override { refuse(); }
    Verdict verify(const RawRequest&, const Account&) const override { return Verdict::missing; }
    std::vector<Inbound> read(const RawRequest&) const override { return {}; }
    HookAnswer acknowledge() const override { return {}; }
    net::HttpRequest plan(const Letter&, const Account&) const override { refuse(); }
    SendResult judge(int, const net::HttpHeaders&, std::string_view) const override { return {}; }
    std::size_t largest() const override { return 0; }
    bool has_window(const Account&) const override { return false; }

private:
    [[noreturn]] static void refuse()
    {
        throw Error(Code::invalid, "mail has no webhook: it comes in where the account's `listen` says");
    }
};

}  // namespace

const model::Entity& describe(const MailThread*)
{
    using model::field;
    static const model::Entity entity{
        .name = "channel_thread",
        .doc = "What an answer to a mail needs to know of it.",
        .fields = {field("subject", &MailThread::subject, "Its subject."),
                   field("references", &MailThread::references, "The mails before it, oldest first.")},
        .home = {model::Home::Kind::inside, ""},
    };
    return entity;
}

const Adapter& mail()
{
    static const Mail adapter{};
    return adapter;
}

Inbound inbound_of(const ReadMail& mail, const Account& account, std::string_view return_path)
{
    Inbound in{.id = mail.id, .sender = lower(mail.from.address), .name = mail.from.name, .sent_at = mail.date};
    if (mail.report) {
        in.id = mail.report->message_id;
        in.key = key_in_message_id(in.id, account.from);
        in.error = mail.report->status + ' ' + mail.report->why;
        if (mail.report->failed && !in.key.empty()) in.kind = InboundKind::status;
        in.status = DeliveryStatus::failed;
        return in;
    }
    in.error = mail.no_answer;
    if (in.error.empty() && return_path.empty()) in.error = "its return path is empty";
    if (in.error.empty() && !account.authserv_id.empty() && !mail.is_verified)
        in.error = "its sender is not vouched for";
    if (!in.error.empty()) return in;
    in.kind = InboundKind::message;
    in.text = words_of(mail, account);
    return in;
}

OutgoingMail mail_of(const Letter& letter, const Account& account, const MailThread* thread, Time now)
{
    // what has no key is a confirmation, of which there is one for each message
    const std::string key =
        letter.key.empty() ? to_hex(sha256("confirmation\n" + letter.reply_to)).substr(0, 32) : letter.key;
    OutgoingMail mail{.from = {"", account.from},
                      .to = {"", letter.to},
                      .subject = letter.subject,
                      .text = letter.text,
                      .html = letter.html,
                      .message_id = message_id_for(key, account.from),
                      .date = now};
    if (letter.reply_to.find('@') == std::string::npos) return mail;  // a mail without an id of its own
    mail.in_reply_to = letter.reply_to;
    mail.references = reply_references(thread ? thread->references : std::vector<std::string>(), letter.reply_to);
    if (thread) mail.subject = reply_subject(thread->subject.empty() ? letter.subject : thread->subject);
    return mail;
}

}  // namespace cadre::channels
