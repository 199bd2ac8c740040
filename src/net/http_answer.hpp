// Answers of HTTP/1.1 as text: heads, chunks, events. No sockets here.
#pragma once

#include "base/error.hpp"
#include "base/time.hpp"
#include "net/http.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::net {

struct HttpAnswer {
    int status = 200;
    HttpHeaders headers{};  // without Content-Length, Transfer-Encoding, Connection and Date: they follow from the rest
    std::string body{};
};

/// `{"error":{"code":…,"message":…}}` with that status.
HttpAnswer error_answer(int status, Code code, std::string_view message);
/// A whole answer of JSON text.
HttpAnswer json_answer(int status, std::string json);

/// The headers of an answer that is a stream of events. Nothing between here and the reader should keep it back.
HttpHeaders event_stream_headers();
/// One event of such a stream. Without data readers dispatch nothing, and keep the id and the time.
struct EventText {
    std::optional<std::string_view> data{};  // each of its lines is one of the event's
    std::string_view name{};
    std::string_view id{};          // what a reader that comes back says it has seen (`Last-Event-ID`)
    std::optional<Millis> retry{};  // how long readers should wait before they come back
};
/// Throws Error(internal) for a name or id that would break the stream.
std::string event_text(const EventText& event);
std::string event_text(std::string_view data, std::string_view name = {});
/// A line that readers skip; it keeps a silent connection alive.
std::string event_comment(std::string_view text);

/// How the end of a body is known.
enum class HttpFraming {
    none,    // there is no body
    length,  // Content-Length
    chunks,  // Transfer-Encoding: chunked
    end,     // with the connection, for HTTP/1.0
};

struct HttpHeadText {
    HttpFraming framing = HttpFraming::length;
    std::size_t length = 0;
    bool keep_alive = true;
    int minor = 1;  // of the request
    Time now{};
};
/// Whether the header is one that can stand in a head without breaking it.
bool can_be_sent(const HttpHeader& header);
/// Everything before the body. Throws Error(internal) for a header that would break the head, such as one with a line break.
std::string head_text(int status, const HttpHeaders& headers, const HttpHeadText& how);

/// Whether answers of that status have a body at all.
bool has_body(int status);

/// A piece of a body in chunks; not empty, because that would be the end.
std::string chunk_text(std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace cadre::net
