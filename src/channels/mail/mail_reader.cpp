// MIME is GMime's (docs/decisions/0036-mail.md); what is made of it is ours.
#include "channels/mail/mail_reader.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "channels/mail/mail_manners.hpp"
#include "channels/mail/mail_quote.hpp"
#include "channels/mail/mail_shape.hpp"
#include "tools/fetch/html_markdown.hpp"

#include <gmime/gmime.h>

#include <algorithm>
#include <memory>
#include <span>

namespace cadre::channels {
namespace {

constexpr std::size_t kMostParts = 100;
constexpr int kDeepestPart = 10;
constexpr std::size_t kLongestMailText = 1 << 20;
constexpr std::size_t kLongestHeader = 1000;
constexpr std::size_t kMostIds = 200;

struct GFreeing {
    void operator()(void* object) const { ::g_object_unref(object); }
};
struct GTextFreeing {
    void operator()(char* text) const { ::g_free(text); }
};
template <class T>
using GPtr = std::unique_ptr<T, GFreeing>;
using GText = std::unique_ptr<char, GTextFreeing>;

std::string_view view_of(const char* text)
{
    return text ? std::string_view(text) : std::string_view();
}

std::string line_of(const char* text)
{
    return header_text(view_of(text), kLongestHeader);
}

/// Valid UTF-8 without zero bytes and carriage returns.
std::string clean_text(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) out += "\xEF\xBF\xBD";
        else if (text.front() != '\0' && text.front() != '\r') out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

GMimeParserOptions* parser_options()
{
    static GMimeParserOptions* const options = [] {
        ::g_mime_init();
        GMimeParserOptions* made = ::g_mime_parser_options_new();
        const char* charsets[] = {"utf-8", "windows-1252", nullptr};
        ::g_mime_parser_options_set_fallback_charsets(made, charsets);
        return made;
    }();
    return options;
}

std::size_t end_of_headers(std::string_view bytes)
{
    for (std::size_t at = 0; at < bytes.size();) {
        if (bytes.substr(at).starts_with('\n') || bytes.substr(at).starts_with("\r\n")) return at;
        at = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
    }
    return bytes.size();
}

void add_headers(MailHeaders& all, GMimeObject* object)
{
    GMimeHeaderList* list = ::g_mime_object_get_header_list(object);
    for (int i = 0; i < ::g_mime_header_list_get_count(list); ++i) {
        GMimeHeader* header = ::g_mime_header_list_get_header_at(list, i);
        all.emplace_back(line_of(::g_mime_header_get_name(header)),
                         header_text(view_of(::g_mime_header_get_value(header)), 16 * kLongestHeader));
    }
}

std::vector<std::string> ids_in(std::string_view text)
{
    std::vector<std::string> ids;
    while (ids.size() < kMostIds) {
        const std::size_t begin = text.find('<'), end = text.find('>', std::min(begin, text.size()));
        if (end == text.npos) return ids;
        const std::string_view id = text.substr(begin + 1, end - begin - 1);
        if (is_message_id(id)) ids.emplace_back(id);
        text.remove_prefix(end + 1);
    }
    return ids;
}

std::string id_in(std::string_view text)
{
    std::vector<std::string> ids = ids_in(text);
    return ids.empty() ? std::string() : std::move(ids.front());
}

bool is_type(GMimeObject* object, const char* type, const char* subtype)
{
    return ::g_mime_content_type_is_type(::g_mime_object_get_content_type(object), type, subtype) != 0;
}

/// The decoded content, its first bytes.
std::string content_of(GMimePart* part, std::size_t most)
{
    GMimeDataWrapper* content = ::g_mime_part_get_content(part);
    if (!content) return {};
    const GPtr<GMimeStream> stream(::g_mime_stream_mem_new());
    ::g_mime_data_wrapper_write_to_stream(content, stream.get());
    const GByteArray* bytes = ::g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream.get()));
    return std::string(reinterpret_cast<const char*>(bytes->data), std::min<std::size_t>(bytes->len, most));
}

/// The fields of an RFC 3464 report, whoever they are of.
std::string field_in(std::string_view fields, std::string_view name)
{
    std::string value;
    bool is_it = false;
    while (!fields.empty()) {
        const std::size_t end = std::min(fields.find('\n'), fields.size() - 1) + 1;
        const std::string_view line = fields.substr(0, end);
        fields.remove_prefix(end);
        if (is_it && (line.starts_with(' ') || line.starts_with('\t'))) {
            value += line;
            continue;
        }
        if (is_it) break;
        is_it = line.size() > name.size() && line[name.size()] == ':' &&
                same_in_any_case(line.substr(0, name.size()), name);
        if (is_it) value = line.substr(name.size() + 1);
    }
    return header_text(value, kLongestHeader);
}

class MailWalk {
public:
    explicit MailWalk(ReadMail& mail) : mail_(mail) {}

    void walk(GMimeObject* object, int depth);
    const std::string& text() const { return text_; }

private:
    void walk_multipart(GMimeMultipart* multipart, int depth);
    void take_part(GMimePart* part);
    void take_report(std::string_view fields);
    void add_text(GMimePart* part);
    void note_attachment(GMimeObject* object, std::size_t size);
    void count(int depth);

    ReadMail& mail_;
    std::string text_{};
    std::size_t parts_ = 0;
};

void MailWalk::count(int depth)
{
    if (++parts_ > kMostParts || depth > kDeepestPart)
        throw Error(Code::too_large, "a mail has at most 100 parts, 10 inside each other");
}

void MailWalk::walk(GMimeObject* object, int depth)
{
    if (!object) return;
    count(depth);
    if (GMIME_IS_MULTIPART(object)) return walk_multipart(GMIME_MULTIPART(object), depth);
    if (GMIME_IS_MESSAGE_PART(object)) {
        GMimeMessage* inner = ::g_mime_message_part_get_message(GMIME_MESSAGE_PART(object));
        if (!mail_.report) return note_attachment(object, 0);
        if (inner) mail_.report->message_id = id_in('<' + line_of(::g_mime_message_get_message_id(inner)) + '>');
        return;
    }
    if (GMIME_IS_PART(object)) take_part(GMIME_PART(object));
}

void MailWalk::walk_multipart(GMimeMultipart* multipart, int depth)
{
    GMimeObject* object = GMIME_OBJECT(multipart);
    const int size = ::g_mime_multipart_get_count(multipart);
    if (is_type(object, "multipart", "alternative")) {
        // one of them is enough: the text, else what can be made a text of
        for (int round = 0; round < 2; ++round)
            for (int i = 0; i < size; ++i) {
                GMimeObject* part = ::g_mime_multipart_get_part(multipart, i);
                if (round == 1 || is_type(part, "text", "plain")) {
                    const std::size_t before = text_.size();
                    walk(part, depth + 1);
                    if (text_.size() > before) return;
                }
            }
        return;
    }
    const std::string_view kind = view_of(::g_mime_object_get_content_type_parameter(object, "report-type"));
    if (depth == 0 && is_type(object, "multipart", "report") && same_in_any_case(kind, "delivery-status"))
        mail_.report.emplace();
    for (int i = 0; i < size; ++i) walk(::g_mime_multipart_get_part(multipart, i), depth + 1);
}

void MailWalk::take_part(GMimePart* part)
{
    GMimeObject* object = GMIME_OBJECT(part);
    if (mail_.report && is_type(object, "message", "delivery-status")) return take_report(content_of(part, 64 << 10));
    if (mail_.report && is_type(object, "text", "rfc822-headers")) {
        mail_.report->message_id = id_in(field_in(content_of(part, 256 << 10), "Message-ID"));
        return;
    }
    const bool is_attached = ::g_mime_part_is_attachment(part) != 0;
    if (!is_attached && (is_type(object, "text", "plain") || is_type(object, "text", "html"))) return add_text(part);
    note_attachment(object, content_of(part, kLargestMail).size());
}

void MailWalk::take_report(std::string_view fields)
{
    MailReport& report = *mail_.report;
    report.status = field_in(fields, "Status");
    report.why = field_in(fields, "Diagnostic-Code");
    report.failed = same_in_any_case(field_in(fields, "Action"), "failed") && !report.status.starts_with('4');
}

void MailWalk::add_text(GMimePart* part)
{
    std::string text;
    if (GMIME_IS_TEXT_PART(part)) {
        const GText whole(::g_mime_text_part_get_text(GMIME_TEXT_PART(part)));
        text = clean_text(view_of(whole.get()).substr(0, kLongestMailText));
    }
    if (is_type(GMIME_OBJECT(part), "text", "html")) text = tools::markdown_from_html(text, "", kLongestMailText).text;
    if (text_.size() + text.size() > kLongestMailText) return;
    if (!text_.empty() && !text_.ends_with('\n')) text_ += '\n';
    text_ += text;
}

void MailWalk::note_attachment(GMimeObject* object, std::size_t size)
{
    const GText type(::g_mime_content_type_get_mime_type(::g_mime_object_get_content_type(object)));
    const char* name = GMIME_IS_PART(object) ? ::g_mime_part_get_filename(GMIME_PART(object)) : nullptr;
    mail_.attachments.push_back({.name = line_of(name), .type = line_of(type.get()), .size = size});
}

MailAddress sender_of_mail(GMimeMessage* message)
{
    InternetAddressList* list = ::g_mime_message_get_from(message);
    if (!list || ::internet_address_list_length(list) != 1) return {};
    InternetAddress* first = ::internet_address_list_get_address(list, 0);
    if (!INTERNET_ADDRESS_IS_MAILBOX(first)) return {};
    const std::string address = line_of(::internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(first)));
    if (!is_mail_address(address)) return {};
    return {.name = line_of(::internet_address_get_name(first)), .address = address};
}

std::optional<Time> date_of_mail(GMimeMessage* message)
{
    GDateTime* date = ::g_mime_message_get_date(message);
    if (!date) return std::nullopt;
    return Time(std::chrono::seconds(::g_date_time_to_unix(date)));
}

}  // namespace

ReadMail read_mail(std::string_view bytes, const MailReading& reading)
{
    check_mail_shape(bytes);
    GMimeParserOptions* const options = parser_options();
    const std::size_t body_at = end_of_headers(bytes);
    const std::string whole = with_q_words(bytes.substr(0, body_at)).append(bytes.substr(body_at));
    const GPtr<GMimeStream> stream(::g_mime_stream_mem_new_with_buffer(whole.data(), whole.size()));
    const GPtr<GMimeParser> parser(::g_mime_parser_new_with_stream(stream.get()));
    const GPtr<GMimeMessage> message(::g_mime_parser_construct_message(parser.get(), options));
    if (!message) throw Error(Code::malformed, "this is not a mail");
    GMimeObject* const content = ::g_mime_message_get_mime_part(message.get());
    MailHeaders headers;
    add_headers(headers, GMIME_OBJECT(message.get()));
    if (content) add_headers(headers, content);  // those that say what the body is

    ReadMail mail{.from = sender_of_mail(message.get()),
                  .subject = line_of(::g_mime_message_get_subject(message.get())),
                  .date = date_of_mail(message.get())};
    mail.id = id_in(first_header(headers, "Message-ID"));
    if (mail.id.empty()) mail.id = to_hex(sha256(bytes));
    mail.in_reply_to = id_in(first_header(headers, "In-Reply-To"));
    mail.references = ids_in(first_header(headers, "References"));

    MailWalk walk(mail);
    walk.walk(content, 0);
    MailWords words = without_quotes(walk.text());
    mail.text = std::move(words.own);
    mail.quoted = std::move(words.quoted);
    if (mail.from.address.empty()) {
        if (!mail.report) throw Error(Code::malformed, "the mail says not, or not clearly, who has written it");
        mail.no_answer = "a report";
        return mail;
    }
    mail.is_verified = is_vouched_for(headers, reading.authserv_id, mail.from.address);
    mail.no_answer = why_unanswered(headers, mail.from.address);
    for (const std::string& own : reading.own)
        if (same_in_any_case(own, mail.from.address)) mail.no_answer = "it is from our own address";
    return mail;
}

}  // namespace cadre::channels
