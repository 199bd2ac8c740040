#include "server/deed.hpp"

#include "base/async.hpp"
#include "server/audit.hpp"
#include "server/call.hpp"
#include "server/repeats.hpp"
#include "server/service.hpp"

#include <fmt/core.h>

namespace cadre::server {
namespace {

/// Nothing: the client gave none, or the route has ids that follow from it.
std::optional<RepeatKey> repeat_key_of(const Call& call)
{
    const auto given = net::find_header(call.head().headers, "Idempotency-Key");
    if (!given || call.route().name == "create_task") return std::nullopt;
    expect_repeat_key(*given);
    Sha256 id;
    const auto add = [&](std::string_view text) { id.add(text).add("\n"); };
    for (const std::string_view text :
         {std::string_view(call.by().tenant), std::string_view(call.by().subject), call.route().name, *given})
        add(text);
    for (const auto& [name, value] : call.values()) add(value);
    return RepeatKey{to_hex(id.finish()), to_hex(sha256(to_hex(call.body_hash()) + "\n" + call.head().query))};
}

Async<std::string> audited(Call& call, Async<std::string> work)
{
    std::string text = co_await std::move(work);
    if (is_audited(call.route())) co_await tell_audit(call);
    co_return text;
}

Async<KeptAnswer> to_keep(Call& call, Async<std::string> work)
{
    std::string text = co_await std::move(work);
    co_return KeptAnswer{.status = call.status(),
                         .location = std::string(call.added("Location")),
                         .text = std::move(text),
                         .kept = call.for_repeats()};
}

}  // namespace

Async<std::string> done_once(Call& call, Async<std::string> work)
{
    const auto key = repeat_key_of(call);
    if (!key) co_return co_await audited(call, std::move(work));
    KeptAnswer answer = co_await call.service().repeats.once(*key, to_keep(call, audited(call, std::move(work))));
    if (answer.replayed) {
        call.set_status(answer.status);
        call.set_audited();  // when it was done
        if (!answer.location.empty()) call.add_header("Location", answer.location);
        call.add_header("Idempotency-Replayed", "true");
    }
    co_return std::move(answer.text);
}

AuditEntry audit_entry_of(const Call& call, std::string kind)
{
    AuditEntry entry{.kind = std::move(kind),
                     .verb = std::string(call.route().name),
                     .subject = call.by().subject,
                     .address = call.address(),
                     .target = std::string(call.added("Location")),
                     .request_id = call.request_id(),
                     .status = call.status()};
    if (!entry.target.empty()) return entry;
    for (const auto& [name, value] : call.values())
        entry.target += fmt::format("{}{}={}", entry.target.empty() ? "" : " ", name, value);
    return entry;
}

Async<> tell_audit(Call& call)
{
    call.set_audited();
    std::string why;
    try {
        co_await call.service().audit.acted(call.by().tenant, audit_entry_of(call, "act"));
        co_return;
    } catch (const Error& error) {
        why = error.what();
    }
    call.service().log.error("the audit cannot be written", {{"request", call.request_id()}, {"what", why}});
    throw Error(Code::unavailable, "this was done, but the audit cannot be written");
}

}  // namespace cadre::server
