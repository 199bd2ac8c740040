#include "server/deed.hpp"

#include "base/async.hpp"
#include "engine/body.hpp"
#include "home/home_owner.hpp"
#include "server/audit.hpp"
#include "server/call.hpp"
#include "server/repeats.hpp"
#include "server/service.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::server {
namespace {

std::optional<Id> task_of(const Call& call)
{
    for (const auto& [name, value] : call.values())
        if (name == "task_id") return find_id(value);
    return std::nullopt;
}

/// How many records the task has; 0: it is about none, or there is no such task, which the handler says better.
Async<std::uint32_t> records_of(Call& call)
{
    const auto task = task_of(call);
    home::Runtime& home = call.service().home.runtime();
    if (!task || !co_await home.store().find_task(*task)) co_return 0;
    co_return (co_await home.queries().task(call.by(), *task))->end.seq;
}

/// Who said what a record says; empty: nobody in particular.
struct WhoSaid {
    std::string operator()(const engine::InstructionBody& body) const { return body.by.str(); }
    std::string operator()(const engine::CancelBody& body) const { return body.by.str(); }
    std::string operator()(const engine::ResumeBody& body) const { return body.by.str(); }
    std::string operator()(const engine::SettingBody& body) const { return body.by.str(); }
    std::string operator()(const engine::AnswerBody& body) const { return body.answer.get().by.value_or(""); }
    std::string operator()(const auto&) const { return {}; }
};

/// Nothing: the client gave none, or the route has ids that follow from it.
std::optional<RepeatKey> repeat_key_of(const Call& call)
{
    if (call.route().name == "create_task") return std::nullopt;
    const auto hash = repeat_hash(call);
    if (!hash) return std::nullopt;
    const auto task = task_of(call);
    return RepeatKey{to_hex(*hash), to_hex(sha256(to_hex(call.body_hash()) + "\n" + call.head().query)),
                     task ? to_string(*task) : ""};
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

std::optional<Hash> repeat_hash(const Call& call)
{
    const auto given = net::find_header(call.head().headers, "Idempotency-Key");
    if (!given) return std::nullopt;
    expect_repeat_key(*given);
    Sha256 id;
    const auto add = [&](std::string_view text) { id.add(text).add("\n"); };
    for (const std::string_view text :
         {std::string_view(call.by().tenant), std::string_view(call.by().subject), call.route().name, *given})
        add(text);
    for (const auto& [name, value] : call.values()) add(value);
    return id.finish();
}

Id id_from_hash(const Hash& seed)
{
    Id id;
    std::copy_n(seed.begin(), id.bytes.size(), id.bytes.begin());
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0F) | 0x40);
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3F) | 0x80);
    return id;
}

Async<std::string> done_once(Call& call, Async<std::string> work)
{
    const auto key = repeat_key_of(call);
    if (!key) co_return co_await audited(call, std::move(work));
    Repeatable deed{.work = to_keep(call, audited(call, std::move(work))),
                    .where = [&call] { return records_of(call); },
                    .hold = [&call](std::shared_ptr<void> turn) { call.hold(std::move(turn)); }};
    if (call.route().can_try_again) deed.again = [&call](std::uint32_t since) { call.set_cut_off_at(since); };
    KeptAnswer answer = co_await call.service().repeats.once(*key, std::move(deed));
    call.let_others();
    if (answer.replayed) {
        call.set_status(answer.status);
        call.set_audited();  // when it was done
        if (!answer.location.empty()) call.add_header("Location", answer.location);
        call.add_header("Idempotency-Replayed", "true");
    }
    co_return std::move(answer.text);
}

/// Requests with a key change a task one after the other, so that what somebody has said since then is what this one said.
Async<bool> was_written(Call& call, storage::RecordKind kind)
{
    const auto since = call.cut_off_at();
    if (!since) co_return false;
    for (const storage::Record& record :
         co_await call.service().home.runtime().queries().records(call.by(), call.task()))
        if (record.seq > *since && record.kind == kind && engine::Body(record).visit(WhoSaid{}) == call.by().subject)
            co_return true;
    co_return false;
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
