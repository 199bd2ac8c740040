// HTTP as those who call others see it, whoever carries the bytes: HttpClient (http_client.hpp) in programs, a script in tests.
#pragma once

#include "base/async_fwd.hpp"
#include "base/error.hpp"
#include "base/time.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::net {

struct HttpHeader {
    std::string name{};
    std::string value{};

    bool operator==(const HttpHeader&) const = default;
};
using HttpHeaders = std::vector<HttpHeader>;

/// The first of that name, in whatever case it was written; nothing when there is none.
std::optional<std::string_view> find_header(const HttpHeaders& headers, std::string_view name);

/// How long silence is borne. What all of it may take is the deadline of the coroutine that asks.
struct HttpPatience {
    Millis connect{10'000};  // name, TCP, proxy and TLS
    Millis first_byte{30'000};
    Millis idle{30'000};  // between two pieces
};

struct HttpRequest {
    std::string method = "GET";
    std::string url{};
    HttpHeaders headers{};  // without Host, Content-Length, Connection: they follow from the rest
    std::string body{};
    HttpPatience patience{};
    std::size_t largest = 64 << 20;  // of the answer's body
    bool foreign = false;            // the URL is not the operator's own: the egress policy decides
};

/// An answer whose head has come. Destroying it before its end closes the connection.
class HttpReply {
public:
    virtual ~HttpReply() = default;

    virtual int status() const = 0;
    virtual const HttpHeaders& headers() const = 0;
    /// The next piece of the body, valid until the next call; nothing at its end. Throws HttpError.
    virtual Async<std::optional<std::string_view>> read() = 0;
};

/// The conversation failed: no name, no connection, no TLS, cut off, silent, malformed, too large, forbidden.
class HttpError : public Error {
public:
    HttpError(Code code, const std::string& text, bool dispatched) : Error(code, text), dispatched_(dispatched) {}

    /// A byte of the request may have left. When false, nobody has seen it and asking again repeats nothing.
    bool dispatched() const { return dispatched_; }

private:
    bool dispatched_;
};

class Http {
public:
    virtual ~Http() = default;

    /// Throws HttpError. Redirects are answers like others.
    virtual Async<std::unique_ptr<HttpReply>> send(HttpRequest request) = 0;
};

/// The whole body. Throws HttpError.
Async<std::string> read_all(HttpReply& reply);

}  // namespace cadre::net
