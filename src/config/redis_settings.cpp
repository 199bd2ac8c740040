#include "config/redis_settings.hpp"

#include "model/describe.hpp"

namespace cadre::config {
namespace {

/// What the rest of it says is looked at where it is used.
void check_url(const RedisSettings& settings, const model::Path& path, model::Problems& problems)
{
    const std::string& url = settings.url;
    if (!url.empty() && !url.starts_with("redis://") && !url.starts_with("rediss://") && !url.starts_with("unix://"))
        problems.add(model::Path(path, "url"), "must begin with redis://, rediss:// or unix://");
}

}  // namespace

const model::Entity& describe(const RedisSettings*)
{
    using model::field;
    constexpr double kLongestTimeout = 60'000;
    static const model::Entity entity{
        .name = "redis",
        .doc = "A Redis in which clients of document 002 find tasks at `task:ID`. Nothing waits for it, and nothing is "
               "lost without it.",
        .fields =
            {
                field("url", &RedisSettings::url,
                      "redis://user:${REDIS_PASSWORD}@host:6379/0, rediss:// for TLS, or unix:///run/redis.sock?db=0. "
                      "Empty: no copies."),
                field("tls_ca", &RedisSettings::tls_ca,
                      "File with the authorities whose certificates are believed; empty: those of the system."),
                field("timeout_ms", &RedisSettings::timeout_ms,
                      "How long a connection, and each answer, may take; then it counts as down.",
                      {.min = 1, .max = kLongestTimeout}),
                field("insecure", &RedisSettings::insecure,
                      "True: also another machine without TLS or without a password."),
            },
        .home = {model::Home::Kind::yaml_file, "`cadre.yaml`, as `redis`"},
        .checks = {model::check<RedisSettings>(
            {"url"}, "`url` begins with redis://, rediss:// or unix://.", check_url,
            R"({"properties":{"url":{"pattern":"^$|^rediss?://|^unix://|\\$\\{"}}})")},
        .example = R"({"url":"rediss://cadre:${REDIS_PASSWORD}@redis.example.com:6379/0",
"tls_ca":"/etc/ssl/redis-ca.pem","timeout_ms":250,"insecure":false})",
    };
    return entity;
}

}  // namespace cadre::config
