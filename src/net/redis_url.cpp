#include "net/redis_url.hpp"

#include "base/error.hpp"
#include "net/escapes.hpp"
#include "net/url.hpp"

#include <fmt/core.h>

#include <charconv>
#include <utility>

namespace cadre::net {
namespace {

constexpr int kMostDatabases = 1 << 16;

int database_from(std::string_view text)
{
    if (text.empty()) return 0;
    int number = -1;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || rest != text.data() + text.size() || number < 0 || number >= kMostDatabases)
        throw Error(Code::malformed, "the database in the URL of Redis must be a number, as in redis://host:6379/0");
    return number;
}

std::string plain_part(std::string_view text)
{
    auto plain = find_unescaped(text);
    if (!plain) throw Error(Code::malformed, "the user or the password in the URL of Redis has an escape that is none");
    return std::move(*plain);
}

/// `user:password`, `:password`, or nothing.
void add_credentials(RedisAddress& address, std::string_view text)
{
    const std::size_t colon = text.find(':');
    address.user = plain_part(text.substr(0, colon));
    if (colon != text.npos) address.password = Secret(plain_part(text.substr(colon + 1)));
    if (!address.user.empty() && address.password.empty())
        throw Error(Code::invalid, "the URL of Redis names a user and no password");
}

RedisAddress address_of_file(std::string_view rest)
{
    constexpr std::string_view kDatabase = "db=";
    const std::size_t question = rest.find('?');
    RedisAddress address{.file = plain_part(rest.substr(0, question))};
    if (!address.file.starts_with('/'))
        throw Error(Code::invalid, "the file in the URL of Redis must be absolute, as in unix:///run/redis.sock");
    if (question == rest.npos) return address;
    const std::string_view query = rest.substr(question + 1);
    if (!query.starts_with(kDatabase))
        throw Error(Code::invalid, "behind the file in the URL of Redis only ?db=NUMBER may stand");
    address.database = database_from(query.substr(kDatabase.size()));
    return address;
}

}  // namespace

std::string RedisAddress::origin() const
{
    if (host.empty()) return "unix://" + file;
    const bool is_ip6 = host.find(':') != std::string::npos;
    return fmt::format("{}://{}{}{}:{}", tls ? "rediss" : "redis", is_ip6 ? "[" : "", host, is_ip6 ? "]" : "", port);
}

RedisAddress redis_address_from(std::string_view url)
{
    const std::size_t colon = url.find("://");
    const std::string_view scheme = url.substr(0, colon == url.npos ? 0 : colon);
    std::string_view rest = url.substr(colon == url.npos ? 0 : colon + 3);
    if (scheme == "unix") return address_of_file(rest);
    if (scheme != "redis" && scheme != "rediss")
        throw Error(Code::invalid, "the URL of Redis must begin with redis://, rediss:// or unix://");
    RedisAddress address{.tls = scheme == "rediss"};
    if (const std::size_t at = rest.rfind('@'); at != rest.npos) {
        add_credentials(address, rest.substr(0, at));
        rest.remove_prefix(at + 1);
    }
    const std::size_t slash = rest.find('/');
    std::string place(rest.substr(0, slash));
    if (slash != rest.npos) address.database = database_from(rest.substr(slash + 1));
    if (place.rfind(':') == std::string::npos || place.ends_with(']')) place += ":6379";
    const Url checked = url_from("https://" + place);
    address.host = checked.host;
    address.port = checked.port;
    return address;
}

}  // namespace cadre::net
