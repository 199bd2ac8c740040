// Requests of HTTP/1.1 out of bytes, however they are split; no sockets and no time here.
#pragma once

#include "base/error.hpp"
#include "net/http.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace cadre::net {

/// What a request says before its body.
struct HttpHead {
    std::string method{};
    std::string target{};  // as it was sent
    std::string path{};    // of the target, escapes as they are: `/v1/a%20b`
    std::string query{};   // without its `?`
    int minor = 1;         // of HTTP/1.minor
    HttpHeaders headers{};

    bool operator==(const HttpHead&) const = default;
};

struct HttpLimits {
    std::size_t head = 32 << 10;  // bytes of the first line and all headers
    std::size_t headers = 100;
    std::size_t target = 8 << 10;
    std::size_t body = 8 << 20;  // where nobody says otherwise: limit_body()
};

/// A request that cannot be served, and the status that says why. Handlers may throw it too.
class HttpRefusal : public Error {
public:
    HttpRefusal(int status, Code code, const std::string& text, HttpHeaders headers = {})
        : Error(code, text), status_(status), headers_(std::move(headers))
    {}

    int status() const { return status_; }
    /// What the answer says besides, such as `Allow`.
    const HttpHeaders& headers() const { return headers_; }

private:
    int status_;
    HttpHeaders headers_;
};

/// One request; the next one needs the next parser.
class HttpRequestParser {
public:
    explicit HttpRequestParser(const HttpLimits& limits);
    HttpRequestParser(HttpRequestParser&&) noexcept;
    HttpRequestParser& operator=(HttpRequestParser&&) noexcept;
    ~HttpRequestParser();

    /// Takes from the beginning of `bytes` what it understands by now, the head at most at first, then the body; returns how much
    /// that was. The rest has to come again, with more behind it. Throws HttpRefusal; then the connection is of no use any more.
    std::size_t feed(std::string_view bytes);

    bool has_head() const;
    bool done() const;
    const HttpHead& head() const;
    /// Whether the connection can be used again after this request.
    bool keep_alive() const;
    /// The client waits for `100 Continue` before it sends the body.
    bool expects_continue() const;
    /// How large the body may be, once the head is there. The next feed(), of nothing too, refuses a length that was declared.
    void limit_body(std::size_t most);
    /// What came of the body since this was asked last.
    std::string take_body();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::net
