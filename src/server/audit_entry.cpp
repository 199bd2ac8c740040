#include "server/audit_entry.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

namespace cadre::server {
namespace {

constexpr std::string_view kBefore = "before";

}  // namespace

const model::Entity& describe(const AuditEntry*)
{
    using namespace model;
    static const Entity entity{
        .name = "audit_entry",
        .doc = "Who did, or wanted to do, what, and when.",
        .fields = {field("time", &AuditEntry::time, "When.", {.required = true}),
                   field("kind", &AuditEntry::kind, "act, denied, sign_in_refused.", {.required = true}),
                   field("verb", &AuditEntry::verb, "What: the name of the route."),
                   field("subject", &AuditEntry::subject, "Who; empty: somebody who is not known."),
                   field("address", &AuditEntry::address, "From where."),
                   field("target", &AuditEntry::target, "To what."),
                   field("reason", &AuditEntry::reason, "Why it was refused."),
                   field("request_id", &AuditEntry::request_id, "The request."),
                   field("status", &AuditEntry::status, "How it was answered."),
                   field("count", &AuditEntry::count, "Of refusals that come often, how many this line stands for.")},
        .home = {Home::Kind::data, "`HOME/audit/TENANT/2026-11.jsonl`"}};
    return entity;
}

std::string audit_line(const AuditEntry& entry, const Hash& before)
{
    std::string line = model::to_json_text(entry);
    line.pop_back();
    return line + ",\"" + std::string(kBefore) + "\":\"" + to_hex(before) + "\"}";
}

std::optional<AuditLine> find_audit_line(std::string_view line)
{
    try {
        json::value value = parse_json(line);
        if (!value.is_object()) return std::nullopt;
        const json::value* const before = value.as_object().if_contains(kBefore);
        const auto hash = before && before->is_string() ? find_hash(before->as_string()) : std::nullopt;
        if (!hash) return std::nullopt;
        value.as_object().erase(kBefore);
        return AuditLine{model::from_json<AuditEntry>(value, {.ignore_unknown = true}), *hash};
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace cadre::server
