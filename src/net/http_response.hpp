// Answers of HTTP/1.1 out of bytes, however they are split; no sockets and no time here.
#pragma once

#include "net/http.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace cadre::net {

struct HttpResponseLimits {
    std::size_t head = 64 << 10;  // bytes of the status line and all headers; of what stands between chunks, too
    std::size_t body = 64 << 20;
};

/// One answer, final or not (1xx); the next one needs the next parser.
class HttpResponseParser {
public:
    /// `method` is what was asked: an answer to HEAD has no body, and one to CONNECT ends where the tunnel begins.
    HttpResponseParser(std::string_view method, const HttpResponseLimits& limits);
    HttpResponseParser(HttpResponseParser&&) noexcept;
    HttpResponseParser& operator=(HttpResponseParser&&) noexcept;
    ~HttpResponseParser();

    struct Step {
        std::size_t used = 0;     // from the beginning of the bytes
        std::string_view body{};  // a piece of it, inside the bytes; may be empty though some were used
    };
    /// Takes from the beginning of `bytes` what it understands by now, the head alone at first. `used` 0: it needs more; the same
    /// bytes have to come again with more behind them. Not to be called when done. Throws Error(upstream | too_large); then
    /// nothing more can be made of the connection.
    Step next(std::string_view bytes);
    /// The peer has closed. Throws Error(upstream) unless that is how this answer ends.
    void end();

    bool has_head() const;
    bool done() const;
    int status() const;
    const HttpHeaders& headers() const;
    /// Whether the connection can carry another request once this answer is done.
    bool keep_alive() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::net
