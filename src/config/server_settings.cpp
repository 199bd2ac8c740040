#include "config/server_settings.hpp"

#include "model/describe.hpp"

namespace cadre::config {

const model::Entity& describe(const ServerSettings*)
{
    using model::field;
    constexpr double kMostConnections = 1'000'000;
    static const model::Entity entity{
        .name = "server",
        .doc = "How `serve` listens, and whom it trusts.",
        .fields =
            {
                field("listen", &ServerSettings::listen, "Addresses with a port, like 127.0.0.1:8080, or unix:PATH.",
                      {.min_length = 1}),
                field("public_url", &ServerSettings::public_url,
                      "What clients call it where a proxy stands in front; empty: the addresses that it listens on."),
                field("allowed_origins", &ServerSettings::allowed_origins,
                      "Origins of other sites whose pages may ask, like https://console.example.com."),
                field("tls_cert", &ServerSettings::tls_cert, "File of the certificate, with those that it depends on."),
                field("tls_key", &ServerSettings::tls_key, "File of its key."),
                field("behind_proxy", &ServerSettings::behind_proxy,
                      "A proxy in front speaks TLS, so this server need not."),
                field("forwarded_header", &ServerSettings::forwarded_header,
                      "Behind a proxy: the header in which it says who asks, X-Forwarded-For or Forwarded. No other "
                      "one is "
                      "read."),
                field("auth", &ServerSettings::auth,
                      "False: no token is required; possible only on addresses of this machine."),
                field("allow_root", &ServerSettings::allow_root, "May run as root and be reached from other machines."),
                field("drain_seconds", &ServerSettings::drain_seconds, "How long running requests have when it ends.",
                      {.min = 0, .max = 3600}),
                field("otlp_endpoint", &ServerSettings::otlp_endpoint,
                      "Where a collector of OpenTelemetry takes OTLP over HTTP, like http://127.0.0.1:4318: it gets "
                      "spans of "
                      "requests and of tasks that have ended. Empty: what OTEL_EXPORTER_OTLP_ENDPOINT says."),
                field("connections", &ServerSettings::connections,
                      "How many there may be at a time; those beyond are answered 503.",
                      {.min = 1, .max = kMostConnections}),
                field("connections_per_address", &ServerSettings::connections_per_address,
                      "How many of one client's address; behind a proxy that is the proxy's to limit.",
                      {.min = 1, .max = kMostConnections}),
                field("jwt", &ServerSettings::jwt, "Tokens of an issuer, besides API keys."),
                field(
                    "rates", &ServerSettings::rates,
                    "How often somebody may ask, by the class of requests: read, write, create (of a tenant), stream, "
                    "heavy, admin, sign_in (that failed, of an address); or of one route, by its name in "
                    "/openapi.json; or of one "
                    "person, as user/NAME."),
                field("four_eyes", &ServerSettings::four_eyes,
                      "Only an admin may approve what a task of their own asks."),
            },
        .home = {model::Home::Kind::yaml_file, "`cadre.yaml`, as `server`"},
        .example = R"({"listen":["127.0.0.1:8080"],"public_url":"https://agents.example.com","allowed_origins":[],
"tls_cert":"","tls_key":"","behind_proxy":true,"forwarded_header":"X-Forwarded-For","auth":true,"allow_root":false,"drain_seconds":10,
"otlp_endpoint":"","connections":10000,"connections_per_address":256,
"jwt":{"issuer":""},"rates":{"create":{"requests":600,"seconds":60}},"four_eyes":true})",
    };
    return entity;
}

}  // namespace cadre::config
