#include "channels/mail/mail_writer.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "channels/vendor_time.hpp"

#include <algorithm>

namespace cadre::channels {
namespace {

constexpr std::size_t kLongestWrittenSubject = 500;

void check_address(const MailAddress& who)
{
    if (!is_mail_address(who.address))
        throw Error(Code::invalid, in_quotes(who.address) + " is not a mail address that can be written to");
}

std::string part(std::string_view type, std::string_view text)
{
    std::string out("Content-Type: ");
    out.append(type).append("; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n");
    return out + quoted_printable(text);
}

}  // namespace

std::string mail_text(const OutgoingMail& mail)
{
    check_address(mail.from);
    check_address(mail.to);
    if (!is_message_id(mail.message_id)) throw Error(Code::invalid, "a mail needs an id");
    std::string out;
    add_header(out, "From", words_of_address(mail.from));
    add_header(out, "To", words_of_address(mail.to));
    add_header(out, "Subject", words_of_text(header_text(mail.subject, kLongestWrittenSubject)));
    add_header(out, "Date", {mail_date_of(mail.date)});
    add_header(out, "Message-ID", {'<' + mail.message_id + '>'});
    const bool is_reply = is_message_id(mail.in_reply_to);
    if (is_reply) add_header(out, "In-Reply-To", {'<' + mail.in_reply_to + '>'});
    std::vector<std::string> thread;
    for (const std::string& id : mail.references)
        if (is_message_id(id)) thread.push_back('<' + id + '>');
    if (!thread.empty()) add_header(out, "References", thread);
    // so that no machine answers it
    add_header(out, "Auto-Submitted", {is_reply ? "auto-replied" : "auto-generated"});
    add_header(out, "X-Auto-Response-Suppress", {"All"});
    add_header(out, "MIME-Version", {"1.0"});
    if (mail.html.empty()) return out + part("text/plain", mail.text);
    // `=_` occurs in nothing that is quoted-printable; the id, because mails are put into mails
    std::string boundary = "=_";
    for (const char c : mail.message_id.substr(0, std::min<std::size_t>(mail.message_id.find('@'), 60)))
        boundary += is_letter(c) || is_digit(c) ? c : '_';
    add_header(out, "Content-Type", {"multipart/alternative;", "boundary=\"" + boundary + '"'});
    out += "\r\n--" + boundary + "\r\n" + part("text/plain", mail.text);
    out += "\r\n--" + boundary + "\r\n" + part("text/html", mail.html);
    return out + "\r\n--" + boundary + "--\r\n";
}

}  // namespace cadre::channels
