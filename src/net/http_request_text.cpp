#include "net/http_request_text.hpp"

#include "base/ascii.hpp"
#include "net/proxy.hpp"
#include "net/url.hpp"

#include <algorithm>

namespace cadre::net {
namespace {

bool is_value(std::string_view text)
{
    return std::ranges::all_of(
        text, [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7F'); });
}

void check(const HttpHeader& header)
{
    if (!is_token(header.name))
        throw Error(Code::invalid, "the header " + in_quotes(header.name) + " has a name that is none");
    if (!is_value(header.value))
        throw Error(Code::invalid,
                    "the header " + header.name + " has a value with a line break or another control character");
    for (const char* ours :
         {"Host", "Content-Length", "Connection", "Transfer-Encoding", "Proxy-Authorization", "Upgrade", "TE"})
        if (same_in_any_case(header.name, ours))
            throw Error(Code::invalid, std::string("the header ") + ours + " is not the caller's to set");
    if (same_in_any_case(header.name, "Expect") && !same_in_any_case(header.value, "100-continue"))
        throw Error(Code::invalid, "the header Expect can be 100-continue only");
}

void add(std::string& head, std::string_view name, std::string_view value)
{
    head.append(name).append(": ").append(value).append("\r\n");
}

void add_authorization(std::string& head, const Proxy& proxy)
{
    if (!proxy.authorization.empty()) add(head, "Proxy-Authorization", proxy.authorization.reveal());
}

}  // namespace

bool is_token(std::string_view text)
{
    constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
               kOthers.find(c) != std::string_view::npos;
    });
}

std::string request_head(const HttpRequest& request, const Url& url, const Proxy* proxy, const std::string& user_agent)
{
    if (!is_token(request.method) || request.method == "CONNECT")
        throw Error(Code::invalid, "the method " + in_quotes(request.method) + " cannot be sent");
    for (const HttpHeader& header : request.headers) check(header);
    std::string head = request.method + " " + (proxy ? url.origin() : "") + url.target + " HTTP/1.1\r\n";
    add(head, "Host", url.authority());
    if (proxy) add_authorization(head, *proxy);
    if (!find_header(request.headers, "User-Agent")) add(head, "User-Agent", user_agent);
    const bool may_have_body = request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
    if (may_have_body || !request.body.empty()) add(head, "Content-Length", std::to_string(request.body.size()));
    for (const HttpHeader& header : request.headers)
        if (!request.body.empty() || !same_in_any_case(header.name, "Expect")) add(head, header.name, header.value);
    return head += "\r\n";
}

std::string connect_head(const std::string& target, const Proxy& proxy)
{
    std::string head = "CONNECT " + target + " HTTP/1.1\r\n";
    add(head, "Host", target);
    add_authorization(head, proxy);
    return head += "\r\n";
}

bool expects_continue(const HttpRequest& request)
{
    return !request.body.empty() && find_header(request.headers, "Expect").has_value();
}

bool is_safe(const std::string& method)
{
    return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

}  // namespace cadre::net
