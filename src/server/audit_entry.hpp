// A line of the audit: who did, or wanted to do, what, and when. Never what they said.
#pragma once

#include "base/sha256.hpp"
#include "base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::model {
struct Entity;
}

namespace cadre::server {

struct AuditEntry {
    Time time{};
    std::string kind{};  // act, denied, sign_in_refused
    std::string verb{};  // the route's name
    std::string subject{};
    std::string address{};
    std::string target{};  // what it was done to: the values in the path
    std::string reason{};  // of a refusal
    std::string request_id{};
    int status = 0;
    std::int64_t count = 1;  // refusals that this line stands for

    bool operator==(const AuditEntry&) const = default;
};
const model::Entity& describe(const AuditEntry*);

/// One line, without its newline: the entry, and the hash of the line before it (64 zeros: there is none).
std::string audit_line(const AuditEntry& entry, const Hash& before);

struct AuditLine {
    AuditEntry entry{};
    Hash before{};
};
/// Nothing for what is not a line of an audit.
std::optional<AuditLine> find_audit_line(std::string_view line);

}  // namespace cadre::server
