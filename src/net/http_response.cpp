#include "net/http_response.hpp"

#include "base/ascii.hpp"
#include "base/trim.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <string>

namespace cadre::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

/// `0`, the end of its line, and that of the trailers.
constexpr std::size_t kShortestAnswerEnd = 5;

[[noreturn]] void refuse(const std::string& what)
{
    throw Error(Code::upstream, "the answer is malformed: " + what);
}

std::string_view view_of(string_view text)
{
    return {text.data(), text.size()};
}

}  // namespace

/// Beast says through calls what it has found; here they are kept until next() returns.
class HttpResponseParser::Impl final : public http::basic_parser<false> {
public:
    Impl(std::string_view method, const HttpResponseLimits& limits) : limits_(limits), connect_(method == "CONNECT")
    {
        header_limit(static_cast<std::uint32_t>(limits.head));
        body_limit(boost::none);  // ours counts what has come, whatever was announced
        if (method == "HEAD") skip(true);
    }

    Step next(std::string_view bytes)
    {
        // Beast asserts that it has five bytes when it looks at the last chunk a second time; no end of a body is shorter
        if (between_chunks_ && bytes.size() < kShortestAnswerEnd) return {};
        const bool in_head = !is_header_done();
        piece_ = {};
        error_code error;
        const std::size_t used = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
        if (in_head) head_ += used;
        const bool wants_more = error == http::error::need_more;
        const std::size_t waiting = wants_more ? bytes.size() - used : 0;  // and will come again
        if ((in_head ? head_ : 0) + waiting > limits_.head || error == http::error::header_limit) refuse_head();
        if (error && !wants_more) refuse(error.message());
        return {used, piece_};
    }

    void end()
    {
        if (done()) return;
        error_code error = http::error::partial_message;
        if (is_header_done()) put_eof(error);
        if (error)
            throw Error(Code::upstream,
                        is_header_done() ? "the answer was cut off in its body" : "the answer was cut off");
    }

    bool done() const { return tunnel_ || is_done(); }
    int status() const { return status_; }
    const HttpHeaders& headers() const { return headers_; }
    bool is_tunnel() const { return tunnel_; }

private:
    [[noreturn]] void refuse_head() const
    {
        throw Error(Code::too_large, "the answer's head has more than " + std::to_string(limits_.head) + " bytes");
    }
    void add_body(std::string_view piece)
    {
        piece_ = piece;
        body_ += piece.size();
        if (body_ > limits_.body) refuse_body();
    }
    [[noreturn]] void refuse_body() const
    {
        throw Error(Code::too_large, "the answer's body has more than " + std::to_string(limits_.body) + " bytes");
    }
    void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
    void on_response_impl(int code, string_view, int, error_code&) override { status_ = code; }
    void on_field_impl(http::field, string_view name, string_view value, error_code&) override
    {
        if (is_header_done()) return;  // a trailer, for which nobody has asked
        headers_.push_back({std::string(view_of(name)), std::string(trimmed(view_of(value), " \t"))});
    }
    void on_header_impl(error_code&) override
    {
        if (status_ < 100) refuse("status " + std::to_string(status_));
        if (status_ == 101) refuse("it switches to another protocol unasked");
        if (connect_ && status_ >= 200 && status_ < 300) tunnel_ = true;
        between_chunks_ = chunked() && !is_done();
        const auto coding = find_header(headers_, "Transfer-Encoding");
        if (coding && !same_in_any_case(*coding, "chunked")) refuse("its transfer encoding is not chunked");
        if (const auto length = content_length_remaining(); length && *length > limits_.body && !is_done())
            refuse_body();
    }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(string_view piece, error_code&) override
    {
        add_body(view_of(piece));
        return piece.size();
    }
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override { between_chunks_ = false; }
    std::size_t on_chunk_body_impl(std::uint64_t left, string_view piece, error_code&) override
    {
        between_chunks_ = piece.size() == left;
        add_body(view_of(piece));
        return piece.size();
    }
    void on_finish_impl(error_code&) override {}

    HttpResponseLimits limits_;
    bool connect_;
    bool tunnel_ = false;
    bool between_chunks_ = false;
    int status_ = 0;
    HttpHeaders headers_;
    std::size_t head_ = 0;  // bytes of it that are done with
    std::size_t body_ = 0;
    std::string_view piece_;
};

HttpResponseParser::HttpResponseParser(std::string_view method, const HttpResponseLimits& limits)
    : impl_(std::make_unique<Impl>(method, limits))
{}
HttpResponseParser::HttpResponseParser(HttpResponseParser&&) noexcept = default;
HttpResponseParser& HttpResponseParser::operator=(HttpResponseParser&&) noexcept = default;
HttpResponseParser::~HttpResponseParser() = default;

HttpResponseParser::Step HttpResponseParser::next(std::string_view bytes)
{
    return impl_->next(bytes);
}
void HttpResponseParser::end()
{
    impl_->end();
}
bool HttpResponseParser::has_head() const
{
    return impl_->is_header_done();
}
bool HttpResponseParser::done() const
{
    return impl_->done();
}
int HttpResponseParser::status() const
{
    return impl_->status();
}
const HttpHeaders& HttpResponseParser::headers() const
{
    return impl_->headers();
}
bool HttpResponseParser::keep_alive() const
{
    return impl_->is_header_done() && !impl_->is_tunnel() && impl_->keep_alive();
}

}  // namespace cadre::net
