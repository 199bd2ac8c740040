// The server itself: how it is, what it speaks, who asks.
#include "base/async.hpp"
#include "base/json.hpp"
#include "base/metrics.hpp"
#include "home/home_owner.hpp"
#include "home/redis_copies.hpp"
#include "model/catalogue.hpp"
#include "model/describe.hpp"
#include "model/json_schema.hpp"
#include "server/call.hpp"
#include "server/docs_page.hpp"
#include "server/documents.hpp"
#include "server/front_page.hpp"
#include "server/gauges.hpp"
#include "server/openapi.hpp"
#include "server/otlp.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/sign_in.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;

constexpr std::string_view kHtml = "text/html; charset=utf-8";

// ---- health ----

/// One thing that the server depends on.
struct HealthCheck {
    std::string component{};
    std::string status{};
    std::string text{};
};

const Entity& describe(const HealthCheck*)
{
    static const Entity entity{.name = "health_check_view",
                               .doc = "How one thing is that the server depends on.",
                               .fields = {field("component", &HealthCheck::component, "What."),
                                          field("status", &HealthCheck::status, "healthy, degraded or unhealthy."),
                                          field("text", &HealthCheck::text, "Why.")},
                               .home = {Home::Kind::message}};
    return entity;
}

struct HealthView {
    std::string status = "healthy";
    std::optional<std::string> version{};
    std::optional<std::int64_t> uptime_s{};
    std::vector<HealthCheck> checks{};
};

const Entity& describe(const HealthView*)
{
    static const Entity entity{
        .name = "health_view",
        .doc = "How the server is; without a token only the first word.",
        .fields = {field("status", &HealthView::status, "healthy, degraded or unhealthy."),
                   field("version", &HealthView::version, "Of this program.", {.extension = true}),
                   field("uptime_s", &HealthView::uptime_s, "Seconds since it started.", {.extension = true}),
                   field("checks", &HealthView::checks, "What it depends on.", {.extension = true})},
        .home = {Home::Kind::message}};
    return entity;
}

HealthCheck store_check(Service& service)
{
    const bool failed = service.home.runtime().host().store_failure() != nullptr;
    return {"store", failed ? "unhealthy" : "healthy",
            failed ? "the journal cannot be written" : "the journal is written"};
}

/// What the project's files say now; a fault in them does not touch tasks that run.
HealthCheck project_check(Service& service)
{
    home::Runtime& home = service.home.runtime();
    try {
        home.projects().open(home.place().folder);
        return {"configuration", "healthy", "all files could be read"};
    } catch (const Error& error) {
        return {"configuration", "degraded", public_text(error.what(), service.folders)};
    }
}

/// Whether tokens of the issuer that the settings name can be checked.
HealthCheck token_check(Service& service)
{
    const std::string trouble = service.sign_in.trouble();
    return {"tokens", trouble.empty() ? "healthy" : "degraded",
            trouble.empty() ? "tokens can be checked" : public_text(trouble, service.folders)};
}

/// Whether spans reach who wants them.
HealthCheck collector_check(const Service& service)
{
    const std::string trouble = service.otlp ? service.otlp->trouble() : "";
    return {"collector", trouble.empty() ? "healthy" : "degraded",
            trouble.empty() ? "spans are sent" : public_text(trouble, service.folders)};
}

/// Whether copies of tasks reach Redis; work does not depend on it.
HealthCheck redis_check(const home::RedisCopies& copies, const Service& service)
{
    const std::string& trouble = copies.trouble();
    return {"redis", trouble.empty() ? "healthy" : "degraded",
            trouble.empty() ? "tasks are copied" : "down: " + public_text(trouble, service.folders)};
}

Async<HealthView> health(Call& call)
{
    Service& service = call.service();
    HealthView view;
    std::vector<HealthCheck> checks{store_check(service), project_check(service), token_check(service)};
    if (service.otlp) checks.push_back(collector_check(service));
    if (const auto* copies = service.home.copies()) checks.push_back(redis_check(*copies, service));
    for (const HealthCheck& check : checks)
        if (check.status == "unhealthy" || (check.status == "degraded" && view.status == "healthy"))
            view.status = check.status;
    if (view.status == "unhealthy") call.set_status(503);
    if (call.by().subject.empty()) co_return view;  // nobody has said who they are
    view.version = service.version;
    view.uptime_s = (service.loop.clock().now() - service.started).count() / 1000;
    view.checks = std::move(checks);
    co_return view;
}

Async<HealthView> live(Call&)
{
    co_return HealthView{};
}

Async<HealthView> ready(Call& call)
{
    const Service& service = call.service();
    const bool is_ready = service.ready && !service.draining;
    if (!is_ready) call.set_status(503);
    co_return HealthView{.status = is_ready ? "healthy" : "unhealthy"};
}

Async<> metrics(Call& call)
{
    co_await refresh_gauges(call.service());
    const bool open = call.header("Accept").find("application/openmetrics-text") != std::string_view::npos;
    const MetricsForm form = open ? MetricsForm::open_metrics : MetricsForm::prometheus;
    co_await call.reply_text(std::string(Metrics::content_type(form)), call.service().metrics.text(form));
}

// ---- what it speaks ----

struct VersionView {
    std::string name = "cadre";
    std::string version{};
};

const Entity& describe(const VersionView*)
{
    static const Entity entity{.name = "version_view",
                               .doc = "What program answers.",
                               .fields = {field("name", &VersionView::name, "Of the program."),
                                          field("version", &VersionView::version, "Of the program.")},
                               .home = {Home::Kind::message}};
    return entity;
}

Async<VersionView> version(Call& call)
{
    co_return VersionView{.version = call.service().version};
}

struct WhoView {
    std::string subject{};
    std::string tenant{};
    std::vector<std::string> roles{};
    std::vector<std::string> scopes{};
};

const Entity& describe(const WhoView*)
{
    static const Entity entity{.name = "who_view",
                               .doc = "Who the server takes you for.",
                               .fields = {field("subject", &WhoView::subject, "Recorded with what you do."),
                                          field("tenant", &WhoView::tenant, "Whose tasks you see."),
                                          field("roles", &WhoView::roles, "What you may do."),
                                          field("scopes", &WhoView::scopes, "What your key is confined to.")},
                               .home = {Home::Kind::message}};
    return entity;
}

Async<WhoView> who_am_i(Call& call)
{
    using engine::Role;
    const engine::Principal& by = call.by();
    WhoView view{.subject = by.subject, .tenant = by.tenant};
    for (const Role role : {Role::viewer, Role::user, Role::approver, Role::steward, Role::admin})
        if (by.roles.has(role)) view.roles.emplace_back(engine::name_of(role));
    for (const engine::Act act : by.scopes) view.scopes.emplace_back(engine::name_of(act));
    co_return view;
}

Async<> openapi(Call& call)
{
    const Service& service = call.service();
    const auto make = [&service] {
        const std::string url = service.settings.public_url.empty() ? "/" : service.settings.public_url;
        return to_text(openapi_document(service.routes->routes(), {service.version, url}));
    };
    co_await reply_document(call, "application/json", call.service().documents.get("openapi", make));
}

Async<> docs(Call& call)
{
    const Service& service = call.service();
    const auto make = [&service] { return docs_page(service.routes->routes(), service.version); };
    call.add_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
    co_await reply_document(call, std::string(kHtml), call.service().documents.get("docs", make));
}

Async<> front_page(Call& call)
{
    FrontPage page = front_page_for(call.service().version);
    call.add_header("Content-Security-Policy", std::move(page.policy));
    call.add_header("Referrer-Policy", "no-referrer");
    co_await call.reply_text(std::string(kHtml), std::move(page.text));
}

struct SchemaList {
    std::vector<std::string> schemas{};
};

const Entity& describe(const SchemaList*)
{
    static const Entity entity{.name = "schema_list",
                               .doc = "What there are JSON Schemas of.",
                               .fields = {field("schemas", &SchemaList::schemas, "Their names, for /schemas/{name}.")},
                               .home = {Home::Kind::message}};
    return entity;
}

Async<SchemaList> schemas(Call&)
{
    SchemaList list;
    for (const Entity* entity : model::catalogue()) list.schemas.emplace_back(entity->name);
    co_return list;
}

Async<> schema(Call& call)
{
    const std::string& name = call.path("name");
    const Entity* entity = model::find_entity(name);
    if (!entity) throw Error(Code::not_found, "there is no schema called " + in_quotes(name) + "; /schemas lists them");
    co_await call.reply_text("application/schema+json", to_text(model::json_schema(*entity)));
}

/// What `type` of a problem leads to.
Async<> problem(Call& call)
{
    const std::string& name = call.path("code");
    std::string text;
    for (int i = 0; i <= static_cast<int>(Code::internal); ++i)
        if (const Code code = static_cast<Code>(i); cadre::name_of(code) == name) text = title_of(code);
    for (const Route& route : call.service().routes->routes())
        for (const Fault& fault : route.faults)
            if (fault.reason == name) text = fmt::format("{} ({})", fault.doc, route.name);
    if (text.empty()) throw Error(Code::not_found, "there is no problem called " + in_quotes(name));
    co_await call.reply_text("text/plain; charset=utf-8", text + "\n");
}

/// What anybody may ask, as often as they like.
Route open_route(Route route)
{
    route.act.reset();
    route.rate = RateClass::exempt;
    route.shed = Shed::never;
    return route;
}

}  // namespace

std::vector<Route> server_routes()
{
    std::vector<Route> routes = {
        typed(open_route({.path = "/health",
                          .name = "health",
                          .doc = "How the server is.",
                          .tells_more = true,
                          .requirements = "API-23"}),
              health),
        typed({.path = "/version", .name = "version", .doc = "What program answers."}, version),
        typed({.path = "/whoami", .name = "who_am_i", .doc = "Who the server takes you for."}, who_am_i),
        typed({.path = "/schemas", .name = "list_schemas", .doc = "What there are JSON Schemas of."}, schemas),
        {.path = "/schemas/{name}",
         .name = "get_schema",
         .doc = "A JSON Schema.",
         .form = Form::text,
         .handler = schema},
        open_route({.path = "/problems/{code}",
                    .name = "get_problem",
                    .doc = "What a problem means.",
                    .form = Form::text,
                    .handler = problem}),
        open_route({.path = "/openapi.json",
                    .name = "openapi",
                    .doc = "This API as OpenAPI 3.1.",
                    .form = Form::text,
                    .handler = openapi}),
        open_route(
            {.path = "/docs", .name = "docs", .doc = "This API as a page.", .form = Form::text, .handler = docs}),
        open_route({.path = "/", .name = "front_page", .doc = "A page.", .form = Form::text, .handler = front_page}),
        {.path = "/metrics",
         .name = "metrics",
         .doc = "Numbers about the server, for Prometheus.",
         .act = engine::Act::maintain,
         .rate = RateClass::exempt,
         .shed = Shed::never,
         .form = Form::text,
         .requirements = "API-24",
         .handler = metrics},
    };
    struct Name {
        std::string_view path, name;
    };
    for (const Name& name : {Name{"/health/live", "live"}, {"/livez", "livez"}})
        routes.push_back(
            typed(open_route({.path = name.path, .name = name.name, .doc = "Whether the server turns."}), live));
    for (const Name& name : {Name{"/health/ready", "ready"}, {"/readyz", "readyz"}, {"/healthz", "healthz"}})
        routes.push_back(
            typed(open_route({.path = name.path, .name = name.name, .doc = "Whether the server takes work."}), ready));
    return routes;
}

}  // namespace cadre::server
