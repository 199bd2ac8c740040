#include "net/http_options.hpp"

namespace cadre::net {

HttpClientOptions http_options(const std::function<std::optional<std::string>(const std::string& name)>& environment)
{
    const auto value = [&](const std::string& name) { return environment(name).value_or(""); };
    // capitals win over the other spelling, which is as old
    const auto either = [&](const std::string& capitals, const std::string& small) {
        return environment(capitals).value_or(value(small));
    };
    return {.proxies = {.https_proxy = either("HTTPS_PROXY", "https_proxy"),
                        .http_proxy = value("http_proxy"),  // HTTP_PROXY can come from a request's header in CGI
                        .no_proxy = either("NO_PROXY", "no_proxy")},
            .ca_file = value("SSL_CERT_FILE")};
}

}  // namespace cadre::net
