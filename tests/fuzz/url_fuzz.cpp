// What parses as a URL says the same when it is written out and parsed again, and holds nothing that could split a request.
#include "base/error.hpp"
#include "expect.hpp"
#include "net/proxy.hpp"
#include "net/url.hpp"

#include <string>

using namespace cadre;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    net::Url url;
    try {
        url = net::url_from(text);
    } catch (const Error& error) {
        EXPECT(error.code() == Code::malformed || error.code() == Code::invalid || error.code() == Code::too_large);
        url = net::url_from("https://a.example/");
    }
    EXPECT(net::url_from(url.origin() + url.target) == url);
    for (const std::string& part : {url.host_and_port(), url.target})
        for (const char c : part) EXPECT(c > ' ' && c < '\x7F');
    try {
        net::find_proxy({.https_proxy = std::string(text), .http_proxy = "x:1", .no_proxy = std::string(text)}, url);
        net::find_proxy({.https_proxy = std::string(text)}, net::url_from("https://a.example/"));
    } catch (const Error& error) {
        EXPECT(error.code() == Code::invalid);
    }
    return 0;
}
