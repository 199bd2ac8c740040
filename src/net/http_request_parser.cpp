#include "net/http_request_parser.hpp"

#include "base/ascii.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <utility>

namespace cadre::net {
namespace {

namespace beast = boost::beast;
using beast::http::error;
using boost::system::error_code;

/// `0`, the end of its line, and that of the trailers.
constexpr std::size_t kShortestEnd = 5;

std::string_view view(beast::string_view text)
{
    return {text.data(), text.size()};
}

[[noreturn]] void refuse_malformed(const std::string& text)
{
    throw HttpRefusal(400, Code::malformed, text);
}

[[noreturn]] void refuse_head(const HttpLimits& limits)
{
    throw HttpRefusal(431, Code::too_large,
                      "the request's head is larger than " + std::to_string(limits.head) + " bytes or has more than " +
                          std::to_string(limits.headers) + " headers");
}

[[noreturn]] void refuse_target(const HttpLimits& limits)
{
    throw HttpRefusal(414, Code::too_large,
                      "the request's target is longer than " + std::to_string(limits.target) + " bytes");
}

[[noreturn]] void refuse_body(const HttpLimits& limits)
{
    throw HttpRefusal(413, Code::too_large,
                      "the request's body is larger than " + std::to_string(limits.body) + " bytes");
}

/// `/path?query`, `http://host/path?query`, or `*`.
void split_target(HttpHead& head)
{
    std::string_view rest = head.target;
    if (rest == "*" && head.method == "OPTIONS") {
        head.path = rest;
        return;
    }
    if (!rest.starts_with('/')) {
        const std::size_t host = rest.find("://");
        if (host == rest.npos) refuse_malformed("the request's target " + in_quotes(rest) + " is not a path");
        const std::size_t path = rest.find_first_of("/?", host + 3);
        rest = path == rest.npos ? std::string_view{} : rest.substr(path);
    }
    const std::size_t question = std::min(rest.find('?'), rest.size());
    head.path = rest.substr(0, question);
    if (head.path.empty()) head.path = "/";
    if (question < rest.size()) head.query = rest.substr(question + 1);
}

std::size_t count(const HttpHeaders& headers, std::string_view name)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(headers, [&](const HttpHeader& header) { return same_in_any_case(header.name, name); }));
}

/// What Beast lets pass and would make two servers in a row see two different requests.
void check(const HttpHead& head)
{
    const std::size_t hosts = count(head.headers, "Host");
    if (hosts > 1 || (hosts == 0 && head.minor == 1)) refuse_malformed("a request needs one Host header");
    if (const auto coding = find_header(head.headers, "Transfer-Encoding")) {
        if (head.minor == 0) refuse_malformed("HTTP/1.0 knows no Transfer-Encoding");
        if (!same_in_any_case(*coding, "chunked"))
            throw HttpRefusal(501, Code::invalid, "the transfer coding " + in_quotes(*coding) + " is not supported");
    }
    const auto expected = find_header(head.headers, "Expect");
    if (expected && !same_in_any_case(*expected, "100-continue"))
        throw HttpRefusal(417, Code::invalid, "the expectation " + in_quotes(*expected) + " cannot be met");
}

/// Beast's own parser, writing into our structs.
class Parser final : public beast::http::basic_parser<true> {
public:
    explicit Parser(const HttpLimits& l) : limits(l)
    {
        header_limit(static_cast<std::uint32_t>(l.head));
        body_limit(boost::none);  // whoever knows the route says it, once the head is there
    }

    HttpLimits limits;
    HttpHead head{};
    std::string body{};
    std::size_t head_bytes = 0;
    std::size_t fields = 0;  // trailers are among them
    std::size_t body_bytes = 0;
    bool between_chunks = false;

private:
    void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target, int version,
                         error_code&) override
    {
        head.method = view(method);
        head.target = view(target);
        head.minor = version - 10;
    }
    void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value, error_code& ec) override
    {
        if (++fields > limits.headers) ec = error::header_limit;
        else if (!is_header_done()) head.headers.push_back({std::string(view(name)), std::string(view(value))});
    }
    std::size_t on_body_impl(beast::string_view piece, error_code& ec) override { return take(piece, ec); }
    std::size_t on_chunk_body_impl(std::uint64_t left, beast::string_view piece, error_code& ec) override
    {
        between_chunks = piece.size() == left;
        return take(piece, ec);
    }
    std::size_t take(beast::string_view piece, error_code& ec)
    {
        body_bytes += piece.size();
        if (body_bytes > limits.body) ec = error::body_limit;
        else body += view(piece);
        return piece.size();
    }
    void on_response_impl(int, beast::string_view, int, error_code&) override {}
    void on_header_impl(error_code&) override { between_chunks = chunked(); }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    void on_chunk_header_impl(std::uint64_t size, beast::string_view, error_code& ec) override
    {
        between_chunks = false;
        if (size > limits.body - std::min(body_bytes, limits.body)) ec = error::body_limit;
    }
    void on_finish_impl(error_code&) override {}
};

/// Whether the first line says a version at all.
bool says_version(std::string_view bytes)
{
    const std::string_view line = bytes.substr(0, bytes.find("\r\n"));
    constexpr std::string_view form = " HTTP/d.d";
    if (line.size() < form.size()) return false;
    return std::ranges::equal(line.substr(line.size() - form.size()), form,
                              [](char c, char wanted) { return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted; });
}

[[noreturn]] void refuse(const error_code& ec, const Parser& parser, std::string_view bytes)
{
    const bool in_first_line = parser.head.method.empty();
    if (ec == error::header_limit && in_first_line) refuse_target(parser.limits);
    if (ec == error::header_limit) refuse_head(parser.limits);
    if (ec == error::body_limit) refuse_body(parser.limits);
    if (ec == error::bad_version && says_version(bytes))
        throw HttpRefusal(505, Code::invalid, "only HTTP/1.0 and HTTP/1.1 are spoken here");
    refuse_malformed("this is no HTTP request: " + ec.message());
}

/// Beast looks for the end of a quoted extension in all that it has, not in its line, and counts the chunk anew each time that it finds none.
void expect_closed_quotes(std::string_view bytes)
{
    if (bytes.starts_with("\r\n")) bytes.remove_prefix(2);
    const std::size_t end = bytes.find("\r\n");
    if (end == bytes.npos) return;
    bool quotes = false;
    for (std::size_t i = 0; i < end; ++i) {
        if (quotes && bytes[i] == '\\') ++i;
        else if (bytes[i] == '"') quotes = !quotes;
    }
    if (quotes) refuse_malformed("a chunk has an extension with a quote that does not end");
}

}  // namespace

struct HttpRequestParser::Impl {
    Parser parser;
    /// One step of Beast's. Zero without a refusal: more is needed.
    std::size_t step(std::string_view bytes)
    {
        // Beast asserts that it has five bytes when it looks at the last chunk a second time; no end of a body is shorter
        if (parser.between_chunks && bytes.size() < kShortestEnd && bytes.find('0') != bytes.npos) return 0;
        if (parser.between_chunks) expect_closed_quotes(bytes);
        error_code ec;
        const std::size_t used = parser.put({bytes.data(), bytes.size()}, ec);
        if (ec && ec != error::need_more) refuse(ec, parser, bytes);
        // a line of chunks or trailers must come whole, and is as short as a head
        if (ec == error::need_more && parser.is_header_done() && bytes.size() - used > parser.limits.head)
            refuse_head(parser.limits);
        return used;
    }
};

HttpRequestParser::HttpRequestParser(const HttpLimits& limits) : impl_(new Impl{Parser(limits)})
{}
HttpRequestParser::HttpRequestParser(HttpRequestParser&&) noexcept = default;
HttpRequestParser& HttpRequestParser::operator=(HttpRequestParser&&) noexcept = default;
HttpRequestParser::~HttpRequestParser() = default;

std::size_t HttpRequestParser::feed(std::string_view bytes)
{
    Impl& me = *impl_;
    if (has_head() && me.parser.content_length().value_or(0) > me.parser.limits.body) refuse_body(me.parser.limits);
    std::size_t used = 0;
    // empty lines before a request are to be ignored
    if (!me.parser.got_some())
        while (bytes.substr(used).starts_with("\r\n") && me.parser.head_bytes < me.parser.limits.head) {
            used += 2;
            me.parser.head_bytes += 2;
        }
    const bool could_be_empty_line = !me.parser.got_some() && bytes.substr(used) == "\r";
    while (used < bytes.size() && !could_be_empty_line && !done()) {
        const bool in_head = !me.parser.is_header_done();
        const std::size_t step = me.step(bytes.substr(used));
        used += step;
        if (in_head) {
            me.parser.head_bytes += step;
            if (me.parser.head_bytes > me.parser.limits.head) refuse_head(me.parser.limits);
        }
        if (in_head && has_head()) {
            if (me.parser.head.target.size() > me.parser.limits.target) refuse_target(me.parser.limits);
            check(me.parser.head);
            split_target(me.parser.head);
            break;
        }
        if (step == 0) break;
    }
    return used;
}

bool HttpRequestParser::has_head() const
{
    return impl_->parser.is_header_done();
}

bool HttpRequestParser::done() const
{
    return impl_->parser.is_done();
}

const HttpHead& HttpRequestParser::head() const
{
    return impl_->parser.head;
}

bool HttpRequestParser::keep_alive() const
{
    return impl_->parser.keep_alive();
}

bool HttpRequestParser::expects_continue() const
{
    return head().minor == 1 && find_header(head().headers, "Expect").has_value();
}

void HttpRequestParser::limit_body(std::size_t most)
{
    impl_->parser.limits.body = most;
}

std::string HttpRequestParser::take_body()
{
    return std::exchange(impl_->parser.body, {});
}

}  // namespace cadre::net
