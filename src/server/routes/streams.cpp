// What happens to a task as it happens: one path for each kind of stream.
#include "server/streams.hpp"
#include "base/async.hpp"
#include "base/json.hpp"
#include "model/describe.hpp"
#include "server/asyncapi.hpp"
#include "server/call.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/stream_console.hpp"
#include "server/stream_kind.hpp"
#include "server/stream_task.hpp"

#include <boost/json.hpp>

#include <array>
#include <map>
#include <string>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;

/// What a page looks like; it is put together from texts that are there already.
struct EventLine {
    std::uint32_t seq = 0;
    boost::json::object event{};
};

const Entity& describe(const EventLine*)
{
    static const Entity entity{.name = "event_line",
                               .doc = "An event and its number.",
                               .fields = {field("seq", &EventLine::seq, "Counts a task's events from 1 on."),
                                          field("event", &EventLine::event, "What happened.")},
                               .home = {Home::Kind::message}};
    return entity;
}

struct EventPage {
    std::vector<EventLine> events{};
    std::uint32_t last = 0;
    bool ended = false;
};

const Entity& describe(const EventPage*)
{
    static const Entity entity{
        .name = "event_page",
        .doc = "Some events of a task, in their order.",
        .fields = {field("events", &EventPage::events, "Those after the number that was asked for."),
                   field("last", &EventPage::last, "What to say as `after` for the next page."),
                   field("ended", &EventPage::ended, "The task has ended, and there is no next page.")},
        .home = {Home::Kind::message}};
    return entity;
}

constexpr std::array kStreamFaults = {
    Fault{400, "bad_since", "`since` is not a place in a stream."},
    Fault{400, "token_in_url", "A token does not belong in a URL; `POST /tickets` gives what does."},
    Fault{416, "ahead", "`since` is beyond the last event; `last` says its number."},
    Fault{429, "streams_of_user",
          "Somebody has too many streams open; also `streams_of_tenant`, `streams_of_server`."}};

// ---- tickets ----

struct TicketRequest {
    std::string path{};
    std::string method = "GET";
};

const Entity& describe(const TicketRequest*)
{
    static const Entity entity{
        .name = "ticket_request",
        .doc = "Asks for a ticket, which is good for one request, for 30 seconds.",
        .fields = {field("path", &TicketRequest::path, "What it is for: a path without its query.",
                         {.required = true, .min_length = 1, .max_length = 2048}),
                   field("method", &TicketRequest::method, "The method of that request.", {.max_length = 16})},
        .home = {Home::Kind::message, "the body of `POST /tickets`"}};
    return entity;
}

struct TicketView {
    std::string ticket{};
    Time expires_at{};
};

const Entity& describe(const TicketView*)
{
    static const Entity entity{
        .name = "ticket_view",
        .doc = "A ticket: `?ticket=` of a URL, or the subprotocol `ticket.` of a WebSocket.",
        .fields = {field("ticket", &TicketView::ticket, "Shown once."),
                   field("expires_at", &TicketView::expires_at, "When it is of no use any more.")},
        .home = {Home::Kind::message}};
    return entity;
}

Async<TicketView> make_ticket(Call& call, TicketRequest body)
{
    if (!body.path.starts_with('/') || body.path.find_first_of("?#") != std::string::npos) {
        model::Problems problems;
        problems.add(model::Path({}, "path"), "is not a path without a query, like /tasks/ID/stream");
        throw BadRequest(std::move(problems));
    }
    if (body.path == "/tickets") {
        model::Problems problems;
        problems.add(model::Path({}, "path"), "is where tickets are sold: a ticket cannot buy another one");
        throw BadRequest(std::move(problems));
    }
    Service& service = call.service();
    const auto shown = net::find_header(call.credentials().headers, "Authorization");
    TicketView view{.expires_at = service.loop.clock().now() + Tickets::kLifetime};
    call.tell_repeats(model::to_json_text(view));
    view.ticket =
        service.streams->tickets().issue(std::string(shown.value_or("")), body.method, body.path, service.loop.now());
    co_return view;
}

/// As the client calls the server.
Async<> asyncapi(Call& call)
{
    Service& service = call.service();
    AsyncApiInfo info{.version = service.version, .is_secure = !service.settings.tls_cert.empty()};
    if (const std::string_view host = call.header("Host"); !host.empty()) info.host = host;
    const auto make = [&info] { return to_text(asyncapi_document(info)); };
    co_await reply_document(call, "application/json", service.documents.get("asyncapi/" + info.host, make));
}

constexpr std::array kTicketFaults = {
    Fault{429, "too_many_tickets", "Too many tickets wait to be used; those that are not go after 30 seconds."}};

}  // namespace

std::vector<Route> stream_routes()
{
    // routes hold views of their texts
    static const auto texts = [] {
        std::map<std::string_view, std::pair<std::string, std::string>> all;
        for (const StreamKind& kind : stream_kinds())
            all[kind.name] = {"/tasks/{task_id}/" + std::string(kind.name), "stream_" + std::string(kind.name)};
        return all;
    }();
    std::vector<Route> routes;
    for (const StreamKind& kind : stream_kinds()) {
        // the list of files and the summary of the memory have these paths, and the streams with them
        if (kind.name == "artifacts" || kind.name == "memory") continue;
        Route route{.path = texts.at(kind.name).first,
                    .name = texts.at(kind.name).second,
                    .doc = kind.doc,
                    .rate = RateClass::stream,
                    .query = &describe(static_cast<const StreamQuery*>(nullptr)),
                    .nothing = kNothingLeft,
                    .faults = kStreamFaults,
                    .form = Form::stream,
                    .requirements = kind.requirements};
        route.handler = [&kind](Call& call) { return stream_task(call, kind); };
        if (kind.name == "events") {
            route.response = &describe(static_cast<const EventPage*>(nullptr));
            route.handler = [&kind](Call& call) { return page_of_events(call, kind); };
            route = with_stream(std::move(route), kind.name);
        }
        routes.push_back(std::move(route));
    }
    routes.push_back({.path = "/stream",
                      .name = "stream_console",
                      .doc = "One WebSocket for many tasks: the client says which it watches.",
                      .rate = RateClass::stream,
                      .success = 101,
                      .faults = kStreamFaults,
                      .form = Form::stream,
                      .handler = stream_console});
    routes.push_back({.path = "/asyncapi.json",
                      .name = "asyncapi",
                      .doc = "The streams as AsyncAPI 3.0.",
                      .act = std::nullopt,
                      .rate = RateClass::exempt,
                      .shed = Shed::never,
                      .form = Form::text,
                      .handler = asyncapi});
    routes.push_back(typed({.method = Method::post,
                            .path = "/tickets",
                            .name = "make_ticket",
                            .doc = "Gives a ticket, for where a token cannot be sent.",
                            .rate = RateClass::stream,
                            .success = 201,
                            .faults = kTicketFaults},
                           make_ticket));
    return routes;
}

}  // namespace cadre::server
