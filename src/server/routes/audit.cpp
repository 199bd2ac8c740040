// The audit, for the tenant's admins.
#include "server/audit.hpp"
#include "base/async.hpp"
#include "model/describe.hpp"
#include "server/call.hpp"
#include "server/page.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;

struct AuditQuery {
    std::optional<Time> after{};
    std::optional<Time> before{};
    std::optional<std::string> subject{};
    std::optional<std::string> verb{};
    std::optional<std::string> kind{};
    int limit = 50;
    std::optional<std::string> cursor{};
};

const Entity& describe(const AuditQuery*)
{
    static const Entity entity{
        .name = "audit_query",
        .doc = "What the audit is narrowed by.",
        .fields = {field("after", &AuditQuery::after, "Later than that."),
                   field("before", &AuditQuery::before, "Earlier than that."),
                   field("subject", &AuditQuery::subject, "Of this one only."),
                   field("verb", &AuditQuery::verb, "What they did: the name of a route."),
                   field("kind", &AuditQuery::kind, "act, denied or sign_in_refused."),
                   field("limit", &AuditQuery::limit, "How many at most.", {.min = 1, .max = double(kMostOfPage)}),
                   field("cursor", &AuditQuery::cursor, "`next_cursor` of the page before.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct AuditView {
    std::vector<AuditEntry> entries{};
    std::optional<std::string> next_cursor{};
};

const Entity& describe(const AuditView*)
{
    static const Entity entity{
        .name = "audit_page",
        .doc = "What people did, and were refused; the oldest first.",
        .fields = {field("entries", &AuditView::entries, "A page of it."),
                   field("next_cursor", &AuditView::next_cursor, "For the next page; null: this was the last one.")},
        .home = {Home::Kind::message}};
    return entity;
}

std::string text_of_place(const AuditPlace& place)
{
    return fmt::format("{}.{}", place.month, place.offset);
}

/// Sealed by us, so that it is what text_of_place() made.
AuditPlace audit_place(std::string_view text)
{
    const std::size_t dot = text.find('.');
    AuditPlace place{.month = std::string(text.substr(0, dot))};
    std::from_chars(text.data() + dot + 1, text.data() + text.size(), place.offset);
    return place;
}

Async<AuditView> read_entries(Call& call, AuditQuery query)
{
    const std::string cursor = query.cursor.value_or("");
    query.cursor.reset();
    const std::string list = fmt::format("audit\n{}\n{}", call.by().tenant, model::to_json_text(query));
    const std::string& secret = call.service().secret;
    AuditPlace from;
    if (!cursor.empty()) from = audit_place(place_in(cursor, list, secret));
    AuditFilter filter{.after = query.after,
                       .before = query.before,
                       .subject = query.subject.value_or(""),
                       .verb = query.verb.value_or(""),
                       .kind = query.kind.value_or("")};
    AuditPage page = co_await call.service().audit.read(call.by().tenant, std::move(filter), std::move(from),
                                                        static_cast<std::size_t>(query.limit));
    AuditView view{.entries = std::move(page.entries)};
    if (page.next) view.next_cursor = sealed_place(text_of_place(*page.next), list, secret);
    co_return view;
}

struct AuditCheck {
    bool intact = true;
    std::optional<std::string> fault{};
};

const Entity& describe(const AuditCheck*)
{
    static const Entity entity{
        .name = "audit_check",
        .doc = "Whether every line of the audit follows the one before it.",
        .fields = {field("intact", &AuditCheck::intact, "It does."),
                   field("fault", &AuditCheck::fault, "The first line that does not; null: none.")},
        .home = {Home::Kind::message}};
    return entity;
}

Async<AuditCheck> check_audit(Call& call)
{
    auto fault = co_await call.service().audit.find_fault(call.by().tenant);
    co_return AuditCheck{!fault, std::move(fault)};
}

constexpr std::array kAuditFaults = {Fault{400, "bad_cursor", "The cursor is not one of this list."}};

}  // namespace

std::vector<Route> audit_routes()
{
    return {typed({.path = "/audit",
                   .name = "audit",
                   .doc = "What people of the tenant did, and what they were refused.",
                   .act = engine::Act::administer,
                   .rate = RateClass::admin,
                   .faults = kAuditFaults},
                  read_entries),
            typed({.path = "/audit/verify",
                   .name = "verify_audit",
                   .doc = "Whether a line of the audit was changed, added or removed since it was written.",
                   .act = engine::Act::administer,
                   .rate = RateClass::heavy},
                  check_audit)};
}

}  // namespace cadre::server
