#include "net/http_answer.hpp"

#include "base/ascii.hpp"
#include "base/json_writer.hpp"
#include "net/http_request_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace cadre::net {
namespace {

struct Reason {
    int status;
    std::string_view text;
};
constexpr Reason kReasons[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

std::string_view reason(int status)
{
    const auto found = std::ranges::find(kReasons, status, &Reason::status);
    return found == std::end(kReasons) ? std::string_view("Unknown") : found->text;
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
std::string date_text(Time now)
{
    constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = std::chrono::floor<std::chrono::days>(now);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(now - day));
    return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", days[std::chrono::weekday(day).c_encoding()],
                       static_cast<unsigned>(date.day()), months[static_cast<unsigned>(date.month()) - 1],
                       static_cast<int>(date.year()), time.hours().count(), time.minutes().count(),
                       time.seconds().count());
}

void append_event_line(std::string& out, std::string_view field, std::string_view value)
{
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos)
        throw Error(Code::internal, "an event's " + std::string(field) + " " + in_quotes(value) + " cannot be sent");
    if (!value.empty()) out += fmt::format("{}: {}\n", field, value);
}

void append(std::string& out, std::string_view name, std::string_view value)
{
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
}

}  // namespace

HttpAnswer json_answer(int status, std::string json)
{
    return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(json)};
}

HttpAnswer error_answer(int status, Code code, std::string_view message)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("error").begin_object();
    json.field("code", name_of(code)).field("message", message);
    json.end_object().end_object();
    return json_answer(status, std::move(text));
}

HttpHeaders event_stream_headers()
{
    return {{"Content-Type", "text/event-stream; charset=utf-8"},
            {"Cache-Control", "no-cache"},
            {"X-Accel-Buffering", "no"}};
}

std::string event_text(std::string_view data, std::string_view name)
{
    return event_text(EventText{.data = data, .name = name});
}

std::string event_text(const EventText& event)
{
    std::string out;
    if (event.retry) out += fmt::format("retry: {}\n", event.retry->count());
    append_event_line(out, "id", event.id);
    append_event_line(out, "event", event.name);
    std::string_view data = event.data.value_or("");
    // a carriage return ends a line too
    while (event.data) {
        const std::size_t end = data.find_first_of("\r\n");
        out += "data: ";
        out += data.substr(0, end);
        out += '\n';
        if (end == data.npos) break;
        data.remove_prefix(data.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
    }
    return out + "\n";
}

std::string event_comment(std::string_view text)
{
    return fmt::format(": {}\n\n", text);
}

bool can_be_sent(const HttpHeader& header)
{
    return is_token(header.name) && header.value.find_first_of(std::string_view("\r\n\0", 3)) == header.value.npos;
}

std::string head_text(int status, const HttpHeaders& headers, const HttpHeadText& how)
{
    std::string out = fmt::format("HTTP/1.1 {} {}\r\n", status, reason(status));
    for (const HttpHeader& header : headers) {
        if (!can_be_sent(header))
            throw Error(Code::internal, "the header " + in_quotes(header.name) + " cannot be sent");
        append(out, header.name, header.value);
    }
    append(out, "Date", date_text(how.now));
    switch (how.framing) {
    case HttpFraming::length: append(out, "Content-Length", std::to_string(how.length)); break;
    case HttpFraming::chunks: append(out, "Transfer-Encoding", "chunked"); break;
    case HttpFraming::none:
    case HttpFraming::end: break;
    }
    if (status != 101) {
        if (!how.keep_alive) append(out, "Connection", "close");
        else if (how.minor == 0) append(out, "Connection", "keep-alive");
    }
    return out + "\r\n";
}

bool has_body(int status)
{
    return status >= 200 && status != 204 && status != 304;
}

std::string chunk_text(std::string_view piece)
{
    std::string out = fmt::format("{:x}\r\n", piece.size());
    out.reserve(out.size() + piece.size() + 2);
    out += piece;
    return out + "\r\n";
}

}  // namespace cadre::net
