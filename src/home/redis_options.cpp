#include "home/redis_options.hpp"

#include "base/error.hpp"
#include "config/settings.hpp"
#include "home/project/project.hpp"
#include "net/egress.hpp"

#include <fmt/format.h>

namespace cadre::home {
namespace {

bool is_on_this_machine(const net::RedisAddress& address)
{
    if (address.host.empty() || address.host == "localhost") return true;
    const auto ip = net::find_ip_address(address.host);
    const char* const kind = ip ? net::special_use(*ip) : nullptr;
    return kind && std::string_view(kind) == "loopback";
}

}  // namespace

std::optional<net::RedisOptions> redis_options(const Project& project)
{
    const config::RedisSettings& redis = project.settings().redis;
    if (redis.url.empty()) return std::nullopt;
    net::RedisOptions options{.address = net::redis_address_from(redis.url), .timeout = Millis(redis.timeout_ms)};
    const bool is_safe = options.address.tls && !options.address.password.empty();
    if (!is_safe && !redis.insecure && !is_on_this_machine(options.address))
        throw Error(Code::invalid, fmt::format("redis.url leads to another machine, {}: say rediss:// and a password, "
                                               "or redis.insecure: true if the network between is yours",
                                               options.address.origin()));
    if (!redis.tls_ca.empty()) options.ca_file = project.folder() / redis.tls_ca;
    return options;
}

std::vector<Want> redis_wants(const Project& project)
{
    const std::string& url = project.settings().redis.url;
    if (url.empty() || project.place().environment(config::variable_of("redis.url"))) return {};
    return {{.text = "copies what tasks of the home say to " + net::redis_address_from(url).origin(),
             .file = "cadre.yaml"}};
}

}  // namespace cadre::home
